// Serves this folder and the built package to a browser:
//
//   npm run example:browser              on any free port
//   npm run example:browser -- --port 8080

import { createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = "/examples/browser/";
const SERVED = [PAGE, "/dist/"]; // nothing else of the project
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".wasm": "application/wasm",
};

const port = readPort();
try {
  await access(join(ROOT, "dist"));
} catch {
  fail("The package is not built yet: there is no dist/. `npm run build` makes it.");
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.once("error", (error) => fail(`Cannot listen on port ${port}: ${error.message}`));
server.listen(port, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}${PAGE}`);
});

async function answer(request, response) {
  const path = readPath(request.url);
  if (path === "/" || path === PAGE.slice(0, -1)) {
    response.writeHead(302, { location: PAGE }).end();
    return;
  }
  const file = path && fileOf(path);
  const found = file && (await stat(file).catch(() => undefined));
  if (!found?.isFile()) {
    response.writeHead(404, { "content-type": "text/plain" }).end("not found\n");
    return;
  }
  response.writeHead(200, {
    "content-type": TYPES[extname(file)] ?? "application/octet-stream",
    "content-length": found.size,
    "cache-control": "no-store",
  });
  if (request.method === "HEAD") response.end();
  else createReadStream(file).pipe(response);
}

/** The path of a request, decoded; undefined if it is none. */
function readPath(url) {
  try {
    return decodeURIComponent(new URL(url, "http://localhost").pathname);
  } catch {
    return undefined;
  }
}

/** The file for a path, if it is one of those we serve. Normalised first, so ".." leads nowhere. */
function fileOf(path) {
  const file = join(ROOT, path.endsWith("/") ? `${path}index.html` : path);
  const allowed = SERVED.some((folder) => file.startsWith(join(ROOT, folder)));
  return allowed && !path.includes("/.") && !path.includes("\0") ? file : undefined;
}

function readPort() {
  let values;
  try {
    ({ values } = parseArgs({ options: { port: { type: "string", default: "0" } } }));
  } catch (error) {
    fail(error.message.split(". ")[0]);
  }
  const number = Number(values.port);
  if (!Number.isInteger(number) || number < 0 || number > 65_535) {
    fail(`--port takes a whole number up to 65535, not "${values.port}"`);
  }
  return number;
}

function fail(message) {
  console.error(message);
  process.exit(2);
}

// Cells in Chromium: a page each, in a browser of its own, served from here.
//
// bursar and the files of the cell are served as they are. The adapters of its peers are bundled with them, since a
// browser cannot read node_modules.

import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { at } from "../../../scripts/lib/paths.mjs";
import { findChromium } from "../../../scripts/lib/setup/chromium.mjs";
import { start } from "./process.mjs";

const asIs = /^\/(benches\/js\/cell|dist)\/[\w.-]+$|^\/benches\/js\/libraries\/(bursar|promise)\.mjs$/;
const adapter = /^\/benches\/js\/libraries\/[\w-]+\.mjs$/;
const page =
  '<!doctype html><title>bench</title><script type="module" src="/benches/js/cell/browser.mjs"></script>';

async function bundle(path) {
  // Imported late: the set-up installs it.
  const esbuild = await import("esbuild");
  const { outputFiles } = await esbuild.build({
    entryPoints: [at(path)],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "esnext",
    logLevel: "error",
  });
  return outputFiles[0].text;
}

const bundles = new Map();

function bundled(path) {
  if (!bundles.has(path)) bundles.set(path, bundle(path));
  return bundles.get(path);
}

async function textOf(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

/** Serves one cell. `done` is called with what the page posts. */
function answer(spec, done) {
  const script = (text) => ["text/javascript", text];
  const content = async (request) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname === "/") return ["text/html", page];
    if (pathname === "/spec") return ["application/json", JSON.stringify(spec)];
    if (asIs.test(pathname)) return script(await readFile(at(pathname), "utf8"));
    if (adapter.test(pathname)) return script(await bundled(pathname));
    if (pathname !== "/figures") return undefined;
    done(JSON.parse(await textOf(request)));
    return ["text/plain", ""];
  };
  return async (request, response) => {
    const found = await content(request).catch((error) => {
      done({ error: String(error.stack) });
    });
    const [type, body] = found ?? ["text/plain", "not found"];
    response.writeHead(found ? 200 : 404, {
      "content-type": type,
      // A page on its own gets a clock of 5 microseconds, not of 100.
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    });
    response.end(body);
  };
}

function flagsFor(profile, { bytes }) {
  const flags = ["--headless", "--no-first-run", "--disable-gpu", "--disable-extensions"];
  flags.push("--remote-debugging-port=0", `--user-data-dir=${profile}`);
  // Chromium's sandbox does not work for root, who runs it in containers.
  if (process.getuid?.() === 0) flags.push("--no-sandbox");
  if (bytes) flags.push("--js-flags=--expose-gc", "--enable-precise-memory-info");
  return flags;
}

export async function runInChromium(spec, boundMs) {
  const profile = mkdtempSync(join(tmpdir(), "bursar-bench-"));
  let done;
  const figures = new Promise((resolve) => {
    done = resolve;
  });
  const server = createServer(answer(spec, done));
  await new Promise((resolve) => server.listen(0, "localhost", resolve));
  const args = [...flagsFor(profile, spec), `http://localhost:${server.address().port}/`];
  const browser = start(findChromium(), args, boundMs, { graceMs: 5_000 });
  const outcome = browser.ended.then(({ stopped, error, code, signal, stderr }) => {
    if (stopped !== undefined) return { gaveUp: stopped };
    return { error: error ?? `the browser ended with ${signal ?? code}: ${stderr.trim()}` };
  });
  const result = await Promise.race([figures, outcome]);
  browser.end("done");
  await browser.ended;
  server.closeAllConnections();
  server.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  return result;
}

// What a user's page has to load, and what it need not.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { at } from "../../scripts/lib/paths.mjs";
import { install } from "./packed.mjs";

/** Bytes, compressed. */
const budget = { wasm: 25_000, whole: 45_000 };

let user;
before(() => {
  user = install();
});
after(() => user?.remove());

const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;

/** A page's script, bundled and minified as a page would have it. */
async function bundle(contents, options = {}) {
  const stdin = { contents, resolveDir: user.folder };
  const { outputFiles } = await esbuild.build({
    stdin,
    bundle: true,
    format: "esm",
    write: false,
    ...options,
  });
  return outputFiles[0].text;
}

function check(t, what, size, limit) {
  t.diagnostic(`${what}: ${(size / 1000).toFixed(1)} kB gzip of ${limit / 1000} kB`);
  assert.ok(size <= limit, `${what} is ${size} bytes, over its budget of ${limit}`);
}

test("the Wasm is within its budget", (t) => {
  check(t, ".wasm", gzip(readFileSync(at("js/generated/bursar_bg.wasm"))), budget.wasm);
});

test("the whole import is within its budget", async (t) => {
  const code = await bundle('import * as bursar from "bursar"; globalThis.bursar = bursar;', {
    minify: true,
  });
  check(t, "whole import", gzip(code), budget.whole);
});

// `ignoreAnnotations` takes "sideEffects": false from the bundler, so what is left is what really runs.
test("importing the package runs nothing", async () => {
  const file = JSON.stringify(join(user.folder, "node_modules/bursar/dist/index.js"));
  const code = await bundle(`import ${file};`, { ignoreAnnotations: true });
  assert.equal(code.replaceAll(/^\s*\/\/.*$/gm, "").trim(), "");
});

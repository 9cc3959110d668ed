// Brings a fresh machine to where everything can be built and tested; says nothing where nothing is missing.
// Only Node's own modules are used here and in what this imports: node_modules may not exist yet.

import { Failure } from "../failure.mjs";
import { setUpChromium } from "./chromium.mjs";
import { setUpNodeModules } from "./node-modules.mjs";
import { setUpRust } from "./rust.mjs";
import { setUpWasmPack } from "./wasm-pack.mjs";

/** The package itself runs on any Node 20; the bundler and the test runner need this. */
const oldest = "20.19.0";

/** @param {{ browser?: boolean }} wants whether a browser for tests is needed too */
export async function setUp({ browser = false } = {}) {
  if (process.versions.node.localeCompare(oldest, "en", { numeric: true }) < 0) {
    throw new Failure(`Node ${process.versions.node} is too old: Node ${oldest} or newer is needed`);
  }
  setUpRust();
  await setUpNodeModules();
  setUpWasmPack();
  if (browser) setUpChromium();
}

// wasm-pack, in cargo's own folder. It brings the wasm-bindgen tool of the version that Cargo.lock names.

import { say } from "../failure.mjs";
import { probe, quiet } from "../run.mjs";

const version = "0.15.1";

/** A newer one that somebody installed is left alone: what decides the output is wasm-bindgen, pinned in Cargo.toml. */
function isEnough(installed) {
  return installed.localeCompare(version, "en", { numeric: true }) >= 0;
}

export function setUpWasmPack() {
  const installed = probe("wasm-pack", ["--version"])?.split(" ")[1];
  if (installed !== undefined && isEnough(installed)) return;
  say(`installing wasm-pack ${version} (once, a few minutes)`);
  quiet("cargo", ["install", "wasm-pack", "--locked", "--version", version], {
    why: `cargo could not install wasm-pack ${version}`,
  });
}

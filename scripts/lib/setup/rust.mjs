// Rust itself, and the two targets that the package and the bare ledger are compiled for.

import { existsSync } from "node:fs";
import { Failure, say } from "../failure.mjs";
import { probe, quiet } from "../run.mjs";

const targets = ["wasm32-unknown-unknown", "wasm32v1-none"];

/** Asks the compiler, not rustup: a distribution's Rust with its own targets is as good. */
function missing(target) {
  const folder = probe("rustc", ["--print", "target-libdir", "--target", target]);
  return folder === undefined || !existsSync(folder);
}

export function setUpRust() {
  if (probe("cargo", ["--version"]) === undefined || probe("rustc", ["--version"]) === undefined) {
    throw new Failure("Rust is missing: install it with rustup, then run this again");
  }
  const wanted = targets.filter(missing);
  if (wanted.length === 0) return;
  if (probe("rustup", ["--version"]) === undefined) {
    throw new Failure(`Rust has no target ${wanted.join(", ")} and there is no rustup to add it`);
  }
  say(`adding the Rust targets ${wanted.join(", ")}`);
  quiet("rustup", ["target", "add", ...wanted], { why: `rustup could not add ${wanted.join(", ")}` });
}

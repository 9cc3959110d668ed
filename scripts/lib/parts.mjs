// What `npm test` runs, in order: the cheap and the Rust parts first, then what needs the build.

import { existsSync, readdirSync } from "node:fs";
import { at } from "./paths.mjs";
import { loud } from "./run.mjs";

const node = process.execPath;

/** No part takes this long: one that does hangs, and the others should still have their turn. */
const limits = { timeout: 25 * 60_000 };

/** A part that is one command: a line of plain words, or a list of them. */
function command(id, title, words, more = {}) {
  const [program, ...args] = typeof words === "string" ? words.split(" ") : words;
  return { id, title, run: () => loud(program, args, limits), ...more };
}

/** A part that is a script of its own. That it is missing is a failure, not a reason to skip it. */
function script(id, title, file, more) {
  const run = () => {
    if (existsSync(at(file))) return loud(node, [at(file)], limits);
    console.error(`bursar: ${file} is missing`);
    return 1;
  };
  return { id, title, run, ...more };
}

/** By name, since versions of Node differ in what they make of a folder. One at a time: each file packs. */
function packageTests() {
  const files = readdirSync(at("tests/package")).filter((file) => file.endsWith(".test.mjs"));
  return [
    node,
    "--test",
    "--test-concurrency=1",
    "--test-reporter=spec",
    ...files.map((file) => at("tests/package", file)),
  ];
}

/** `needs` names the part that has to pass first; `browser` says that a Chromium is needed. */
const built = { needs: "build" };
const inBrowser = { ...built, browser: true };

export const parts = [
  command("fmt", "Rust format", "cargo fmt --check"),
  command("clippy", "Rust lints", "cargo clippy --all-targets --all-features -- -D warnings"),
  command("rust", "Rust tests", "cargo test --features config"),
  command("bare", "Ledger without std", "cargo build --no-default-features --target wasm32v1-none"),
  command("lint", "JavaScript lints and format", "biome check ."),
  command("build", "Build", [node, at("scripts/build.mjs")]),
  command("types", "Types, and tests of types", "tsc -p tests/js/tsconfig.json", built),
  command("node", "JavaScript tests in Node", "vitest run --project node", built),
  command("chromium", "JavaScript tests in Chromium", "vitest run --project chromium", inBrowser),
  command("package", "The packed package", packageTests(), built),
  script("example", "Main example", "examples/fetch-pages/main.mjs", built),
  script("example-browser", "Browser example", "tests/browser/example.mjs", inBrowser),
];

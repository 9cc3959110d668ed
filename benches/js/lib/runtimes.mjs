// Where cells run, and how a cell's process is started there.

import { existsSync } from "node:fs";
import { at } from "../../../scripts/lib/paths.mjs";
import { runInChromium } from "./chromium.mjs";
import { runProcess } from "./process.mjs";

const main = at("benches/js/cell/main.mjs");
const installed = (...path) => at("benches/node_modules", ...path);

/** A program that is given its own flags, those that let a script collect garbage, and the cell. */
function program(title, file, flags, flagsForMemory) {
  const run = (spec, boundMs) => {
    const args = [...flags, ...(spec.bytes ? flagsForMemory : []), main, JSON.stringify(spec)];
    return runProcess(file, args, boundMs);
  };
  return { title, run, missing: () => (existsSync(file) ? undefined : file) };
}

/** Nothing is fetched while we measure, and what runs is what benches/package.json pins. */
const denoFlags = ["run", "-A", "--no-prompt", "--no-lock", "--cached-only", "--node-modules-dir=manual"];

export const runtimes = {
  node: program("Node", process.execPath, [], ["--expose-gc"]),
  node24: program("Node", installed("node/bin/node"), [], ["--expose-gc"]),
  deno: program("Deno", installed("deno/deno"), denoFlags, ["--v8-flags=--expose-gc"]),
  bun: program("Bun", installed("bun/bin/bun.exe"), [], []),
  chromium: { title: "Chromium", run: runInChromium, missing: () => undefined },
};

// What the bench can be told to do.

import { writeFileSync } from "node:fs";
import { cases } from "../cell/cases.mjs";
import { cellsFor } from "./cells.mjs";
import { libraryIds } from "./libraries.mjs";
import { markdownOf } from "./markdown.mjs";
import { isWrong, measureAll } from "./measure-all.mjs";
import { readResults, resultsOf, writeResults } from "./results.mjs";
import { runtimes } from "./runtimes.mjs";
import { endProgress, printTables, progressOf } from "./terminal.mjs";

export function list() {
  console.log(`cases      ${Object.keys(cases).join("\n           ")}`);
  console.log(`libraries  ${libraryIds.join(" ")}`);
  console.log(`runtimes   ${Object.keys(runtimes).join(" ")}`);
}

/** Writes results that were kept as Markdown, or as a plot: to `--out`, or else to the terminal. */
export async function draw({ markdown, svg, out }) {
  const results = readResults(markdown ?? svg);
  const text = markdown ? markdownOf(results) : await (await import("./plot.mjs")).plotOf(results);
  if (out === undefined) process.stdout.write(text);
  else writeFileSync(out, text);
}

export async function measure(options, args) {
  // An interrupted bench takes the process that it measures along: see process.mjs.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  const cells = await cellsFor(options);
  const keep = (rows) => {
    if (options.json) writeResults(options.json, resultsOf(rows, args));
  };
  const progress = progressOf(cells.length);
  const rows = await measureAll(cells, options, progress, keep).finally(endProgress);
  printTables(rows);
  return rows.some(isWrong) ? 1 : 0;
}

// `npm test`: the set-up, then every part, each with its own output. Goes on after a failure, so that one run tells
// everything. The last line counts the parts.
//
// `npm test -- --only node,types` runs some parts, and those that they need.

import { parseArgs } from "node:util";
import { Failure, main } from "./lib/failure.mjs";
import { parts } from "./lib/parts.mjs";
import { findChromium } from "./lib/setup/chromium.mjs";
import { setUp } from "./lib/setup/index.mjs";

function chosen(only) {
  if (only === undefined) return parts;
  const ids = new Set(only.flatMap((list) => list.split(",")));
  for (const id of ids) {
    const part = parts.find((part) => part.id === id);
    if (!part)
      throw new Failure(`no part is called ${id}; there are ${parts.map((part) => part.id).join(", ")}`);
    // A part that is needed may stand before or after: a set is walked to its end while it grows.
    if (part.needs) ids.add(part.needs);
  }
  return parts.filter((part) => ids.has(part.id));
}

/** Runs one part. `results` are those of the parts before it. */
function run(part, results) {
  console.log(`\n=== ${part.title} (${part.id})\n`);
  const start = performance.now();
  const blocked = results.find((result) => result.part.id === part.needs && !result.ok);
  if (blocked) console.error(`bursar: not run, because the part ${part.needs} failed`);
  const ok = !blocked && part.run() === 0;
  return { part, ok, seconds: (performance.now() - start) / 1000 };
}

function report(results) {
  console.log("\n=== Summary\n");
  const width = Math.max(...results.map(({ part }) => part.title.length));
  for (const { part, ok, seconds } of results) {
    const time = seconds.toFixed(1).padStart(7);
    console.log(`${part.title.padEnd(width)}  ${ok ? "ok    " : "FAILED"} ${time} s  ${part.id}`);
  }
}

await main(async () => {
  const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } });
  const selected = chosen(values.only);
  const browser = selected.some((part) => part.browser);
  await setUp({ browser });
  if (browser) process.env.CHROMIUM = findChromium();
  const results = [];
  for (const part of selected) results.push(run(part, results));
  report(results);
  const failed = results.filter((result) => !result.ok).length;
  console.log(`\n${results.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});

// `npm run bench`: bursar beside what one would use instead, each library and case in a process of its own.
// benches/js/README.md has the options.

import { main } from "../../scripts/lib/failure.mjs";
import { readOptions } from "./lib/options.mjs";
import { runtimes } from "./lib/runtimes.mjs";
import { buildBursar, setUpModules, setUpRuntimes } from "./lib/setup.mjs";
import { draw, list, measure } from "./lib/tasks.mjs";

await main(async () => {
  const args = process.argv.slice(2);
  const options = readOptions(args);
  if (options.list) return list();
  if (options.markdown ?? options.svg) {
    if (options.svg) await setUpModules();
    return draw(options);
  }
  await setUpModules();
  if (options.build) buildBursar();
  setUpRuntimes(options.runtimes, runtimes);
  return measure(options, args);
});

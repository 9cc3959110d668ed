// A cell's process in Node, Deno and Bun: `main.mjs SPEC` prints the figures as the last line.

import { runCell } from "./run.mjs";

const figures = await runCell(JSON.parse(process.argv[2]));
console.log(`\n${JSON.stringify(figures)}`);
// A library may have left a timer.
process.exit(0);

// A cell's page in a browser: the page asks the server what to do, and posts the figures.

import { runCell } from "./run.mjs";

const spec = await (await fetch("/spec")).json();
await fetch("/figures", { method: "POST", body: JSON.stringify(await runCell(spec)) });

// `npm start`: everything that is missing, then the main example. `--example browser` runs the one for browsers.
// Further arguments are the example's.

import { main } from "./lib/failure.mjs";
import { at } from "./lib/paths.mjs";
import { loud } from "./lib/run.mjs";
import { setUp } from "./lib/setup/index.mjs";

const examples = { main: "examples/fetch-pages/main.mjs", browser: "examples/browser/serve.mjs" };

await main(async () => {
  const args = process.argv.slice(2);
  const browser = args[0] === "--example" && args[1] === "browser";
  await setUp();
  const { build } = await import("./lib/build/index.mjs");
  await build();
  const script = browser ? examples.browser : examples.main;
  return loud(process.execPath, [at(script), ...args.slice(browser ? 2 : 0)]);
});

// `npm run build`: the npm package's files, from Rust and TypeScript to dist/.

import { main } from "./lib/failure.mjs";
import { setUp } from "./lib/setup/index.mjs";

await main(async () => {
  await setUp();
  // Imported late: these need what set-up installs.
  const { build } = await import("./lib/build/index.mjs");
  await build();
});

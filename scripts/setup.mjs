// `npm run setup`: installs what building and testing need. `npm start` and `npm test` do it by themselves.

import { main } from "./lib/failure.mjs";
import { setUp } from "./lib/setup/index.mjs";

await main(() => setUp({ browser: true }));

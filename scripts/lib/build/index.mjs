// The build, in its order. Each step is skipped while what it reads is unchanged.

import { bundle } from "./bundle.mjs";
import { types } from "./types.mjs";
import { wasm } from "./wasm.mjs";

export async function build() {
  await wasm();
  await bundle();
  await types();
}

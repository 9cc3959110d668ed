// wasm-bindgen's glue, made lazy.
//
// As it comes, importing the glue runs code (it makes text coders and finalization registries), and it carries an
// asynchronous loader that asks for `import.meta.url`, which CommonJS does not have. Importing bursar must do
// nothing. So esbuild bundles what is wanted of the glue into one function expression, which leaves the loader out
// because nobody asks for it, and that becomes the body of `loadGlue()`. No text of the glue is edited.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { Failure } from "../failure.mjs";

/** The names that the glue exports, but for the asynchronous loader, which is its default export. */
async function exportsOf(glue) {
  const options = {
    entryPoints: [glue],
    format: "esm",
    bundle: true,
    write: false,
    metafile: true,
    outdir: ".",
  };
  const { metafile } = await esbuild.build({ ...options, logLevel: "silent" });
  const names = Object.values(metafile.outputs)[0].exports;
  if (!names.includes("default") || !names.includes("initSync")) {
    throw new Failure(
      "wasm-bindgen's glue no longer has the loaders that this build knows: see scripts/lib/build/glue.mjs",
    );
  }
  return names.filter((name) => name !== "default");
}

/** Writes bursar.js and bursar.d.ts into a folder. */
export async function writeGlue(glue, folder) {
  const names = await exportsOf(glue);
  const bundled = await esbuild.build({
    stdin: { contents: `export { ${names.join(", ")} } from ${JSON.stringify(glue)};`, resolveDir: folder },
    bundle: true,
    format: "iife",
    globalName: "glue",
    target: "es2022",
    write: false,
    legalComments: "none",
  });
  const body = bundled.outputFiles[0].text;
  if (body.includes("import.meta")) {
    throw new Failure("wasm-bindgen's glue still asks for import.meta: see scripts/lib/build/glue.mjs");
  }
  const made = "// Written by `npm run build` from what wasm-bindgen made.\n";
  writeFileSync(join(folder, "bursar.js"), `${made}export function loadGlue() {\n${body}return glue;\n}\n`);
  writeFileSync(
    join(folder, "bursar.d.ts"),
    `${made}import type * as glue from "./glue.js";\n` +
      "/** Makes a glue of its own at each call: keep the first. `initSync` then gives it a module. */\n" +
      'export declare function loadGlue(): Omit<typeof glue, "default">;\n',
  );
}

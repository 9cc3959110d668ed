// dist/: the package as an ES module, as CommonJS, and the door through which Node's `import` reaches the latter.
//
// A Node program may import bursar in one place and require it in another. Both must meet the same classes and the
// same compiled module, so in Node the ES module only hands on what the CommonJS file exports.

import { rmSync, writeFileSync } from "node:fs";
import * as esbuild from "esbuild";
import { Failure, say } from "../failure.mjs";
import { at, root } from "../paths.mjs";
import { step } from "../stamp.mjs";

async function write(format, file) {
  const bundling = esbuild.build({
    absWorkingDir: root,
    entryPoints: ["js/index.ts"],
    outfile: file,
    format,
    bundle: true,
    // For CommonJS, "node" only adds the hint by which Node's `import` finds the names.
    platform: format === "cjs" ? "node" : "neutral",
    target: "es2022",
    sourcemap: true,
    metafile: true,
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    logOverride: { "empty-import-meta": "error" },
  });
  const { metafile } = await bundling.catch(() => {
    throw new Failure("js/index.ts cannot be bundled");
  });
  const { exports, imports } = metafile.outputs[file];
  if (imports.length > 0) throw new Failure(`${file} is not on its own: it imports ${imports[0].path}`);
  return exports;
}

function nodeWrapper(names) {
  const list = names.map((name) => `  ${name},\n`).join("");
  return (
    "// Node's `import` and `require` share one set of classes and one ledger module: the CommonJS file's.\n" +
    `export {\n${list}} from "./index.cjs";\n`
  );
}

export async function bundle() {
  const inputs = ["js", "package.json", "package-lock.json", "scripts/lib/build"];
  const outputs = ["dist/index.js", "dist/index.cjs", "dist/node.mjs"];
  await step("bundle", { inputs, outputs }, async () => {
    say("bundling dist/");
    for (const output of outputs) rmSync(at(output), { force: true });
    const names = await write("esm", "dist/index.js");
    await write("cjs", "dist/index.cjs");
    if (names.length === 0) throw new Failure("js/index.ts exports nothing");
    if (names.includes("default"))
      throw new Failure("js/index.ts has a default export, which CommonJS users would trip over");
    writeFileSync(at("dist/node.mjs"), nodeWrapper(names));
  });
}

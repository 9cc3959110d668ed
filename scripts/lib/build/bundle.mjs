// dist/: the package as ES modules, as CommonJS, and the doors through which Node's `import` reaches the latter.
//
// A Node program may import bursar in one place and require it in another. Both must meet the same classes and the
// same compiled module, so in Node the ES module only hands on what the CommonJS file exports. For the same reason
// the further entries import the first one's file and carry nothing of it.

import { rmSync, writeFileSync } from "node:fs";
import * as esbuild from "esbuild";
import { Failure, say } from "../failure.mjs";
import { at, root } from "../paths.mjs";
import { step } from "../stamp.mjs";

/** By their names in dist/. The first is the package itself. */
const entries = [
  { name: "index", door: "node" },
  { name: "config", door: "config.node" },
];

/** js/index.ts as the built file beside the one that imports it. */
const main = (extension) => ({
  name: "main-entry",
  setup(build) {
    build.onResolve({ filter: /\/index\.js$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: `./index.${extension}`, external: true },
    );
  },
});

async function write(name, format) {
  const extension = format === "cjs" ? "cjs" : "js";
  const file = `dist/${name}.${extension}`;
  const bundling = esbuild.build({
    absWorkingDir: root,
    entryPoints: [`js/${name}.ts`],
    outfile: file,
    format,
    bundle: true,
    plugins: [main(extension)],
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
    throw new Failure(`js/${name}.ts cannot be bundled`);
  });
  const { exports, imports } = metafile.outputs[file];
  const allowed = name === "index" ? [] : [`./index.${extension}`];
  const alien = imports.find(({ path }) => !allowed.includes(path));
  if (alien) throw new Failure(`${file} is not on its own: it imports ${alien.path}`);
  return exports;
}

function nodeWrapper(name, names) {
  const list = names.map((name) => `  ${name},\n`).join("");
  return (
    "// Node's `import` and `require` share one set of classes and one ledger module: the CommonJS file's.\n" +
    `export {\n${list}} from "./${name}.cjs";\n`
  );
}

export async function bundle() {
  const inputs = ["js", "package.json", "package-lock.json", "scripts/lib/build"];
  const outputs = entries.flatMap(({ name, door }) => [
    `dist/${name}.js`,
    `dist/${name}.cjs`,
    `dist/${door}.mjs`,
  ]);
  await step("bundle", { inputs, outputs }, async () => {
    say("bundling dist/");
    for (const output of outputs) rmSync(at(output), { force: true });
    for (const { name, door } of entries) {
      const names = await write(name, "esm");
      await write(name, "cjs");
      if (names.length === 0) throw new Failure(`js/${name}.ts exports nothing`);
      if (names.includes("default"))
        throw new Failure(`js/${name}.ts has a default export, which CommonJS users would trip over`);
      writeFileSync(at(`dist/${door}.mjs`), nodeWrapper(name, names));
    }
  });
}

// The package's declarations: dist/types for `import`, and the same as .d.cts in dist/types-cjs for `require`
// (TypeScript takes the kind of a module from its file's extension).

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Failure, say } from "../failure.mjs";
import { at, root } from "../paths.mjs";
import { quiet } from "../run.mjs";
import { step } from "../stamp.mjs";

const [esm, cjs] = [at("dist/types"), at("dist/types-cjs")];
const specifier = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])(\.[^"']*)\.js\2/g;

/** The declarations that a public one reaches; the rest would only ship what nobody can name. */
function reachable(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  const name = relative(root, file);
  if (file.startsWith(join(esm, "generated")))
    throw new Failure(`a public type leaks the Wasm's glue: ${name}`);
  if (!existsSync(file)) throw new Failure(`a public type comes from ${name}, which is not there`);
  seen.add(file);
  for (const [, , , path] of readFileSync(file, "utf8").matchAll(specifier)) {
    reachable(resolve(dirname(file), `${path}.d.ts`), seen);
  }
  return seen;
}

function writeAsCommonJs(file) {
  const text = readFileSync(file, "utf8").replace(specifier, "$1$2$3.cjs$2");
  const target = join(cjs, relative(esm, file)).replace(/\.d\.ts$/, ".d.cts");
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

export async function types() {
  const inputs = ["js", "tsconfig.json", "tsconfig.build.json", "package-lock.json", "scripts/lib/build"];
  const entries = ["index", "config"];
  const outputs = entries.flatMap((name) => [`dist/types/${name}.d.ts`, `dist/types-cjs/${name}.d.cts`]);
  await step("types", { inputs, outputs }, () => {
    say("writing the type declarations");
    for (const folder of [esm, cjs]) rmSync(folder, { recursive: true, force: true });
    quiet("tsc", ["-p", "tsconfig.build.json"], { why: "the TypeScript sources do not compile" });
    const kept = new Set();
    for (const name of entries) reachable(join(esm, `${name}.d.ts`), kept);
    for (const name of readdirSync(esm, { recursive: true })) {
      const file = join(esm, name);
      if (file.endsWith(".d.ts") && !kept.has(file)) rmSync(file);
    }
    for (const file of kept) writeAsCommonJs(file);
  });
}

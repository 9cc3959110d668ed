// The Rust ledger as WebAssembly: js/generated/ with the module, its glue, and the module once more as base64.
//
// The module travels inside the package's JavaScript, so that an import needs no file, no fetch and no await.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure, say } from "../failure.mjs";
import { at, cache } from "../paths.mjs";
import { probe, quiet } from "../run.mjs";
import { step } from "../stamp.mjs";
import { writeGlue } from "./glue.mjs";

const raw = join(cache, "wasm-pack");
const generated = at("js/generated");

// What rustc emits by default, and nothing more: engines of 2022 have all of it.
const features = [
  "--enable-bulk-memory",
  "--enable-multivalue",
  "--enable-mutable-globals",
  "--enable-nontrapping-float-to-int",
  "--enable-reference-types",
  "--enable-sign-ext",
];

function compile() {
  rmSync(raw, { recursive: true, force: true });
  const options = ["--target", "web", "--profile", "wasm", "--no-pack", "--no-opt", "--out-name", "bursar"];
  quiet("wasm-pack", ["build", at("js/wasm"), ...options, "--out-dir", raw], {
    // Level "s" inlines up to 50, and is 1.5 % larger for it.
    env: { RUSTFLAGS: "-Cllvm-args=--inline-threshold=40" },
    why: "the Wasm could not be built",
  });
}

function optimize() {
  const [input, output] = [join(raw, "bursar_bg.wasm"), join(generated, "bursar_bg.wasm")];
  const strip = ["--strip-debug", "--strip-producers"];
  // Without the inlining of what has one caller: rustc has inlined what pays, and the rest would be 1 % larger.
  const passes = [
    "--flatten",
    "--rereloop",
    "-Oz",
    "-O3",
    "--converge",
    "--one-caller-inline-max-function-size=0",
  ];
  quiet("wasm-opt", [...passes, ...strip, ...features, input, "-o", output], { why: "wasm-opt failed" });
  const bytes = readFileSync(output);
  if (!WebAssembly.validate(bytes)) throw new Failure("wasm-opt wrote a module that this Node refuses");
  return bytes;
}

/** A source map that says "nothing to see": else every map of the package would carry the module once more. */
const emptyMap = Buffer.from('{"version":3,"sources":[""],"mappings":"A"}').toString("base64");

function asSource(bytes) {
  return [
    "/** The ledger's WebAssembly module. Written by `npm run build`. */",
    `export const wasmBase64: string = "${bytes.toString("base64")}";`,
    `//# sourceMappingURL=data:application/json;base64,${emptyMap}`,
    "",
  ].join("\n");
}

export async function wasm() {
  const inputs = ["Cargo.toml", "Cargo.lock", "src", "js/wasm", "package-lock.json", "scripts/lib/build"];
  const files = ["bursar.js", "bursar.d.ts", "glue.d.ts", "bursar_bg.wasm", "wasm-base64.ts"];
  const outputs = files.map((file) => `js/generated/${file}`);
  await step("wasm", { inputs, outputs, facts: probe("rustc", ["--version"]) }, async () => {
    say("building the Wasm (the first time also its tools, a few minutes)");
    compile();
    rmSync(generated, { recursive: true, force: true });
    mkdirSync(generated, { recursive: true });
    writeFileSync(join(generated, "wasm-base64.ts"), asSource(optimize()));
    copyFileSync(join(raw, "bursar.d.ts"), join(generated, "glue.d.ts"));
    await writeGlue(join(raw, "bursar.js"), generated);
  });
}

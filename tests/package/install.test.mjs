// What a user meets who installs the package: it loads every way that Node loads modules, and it is complete.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { execute, install } from "./packed.mjs";

let user;
before(() => {
  user = install();
});
after(() => user?.remove());

const use =
  "const lease = new Bursar({ db: 2 }).tryClaim({ db: 1 }); lease.release(); console.log(typeof lease)";

/** Runs a piece of code with `node -e` in the user's folder. */
function evaluate(type, code) {
  return execute(user.folder, process.execPath, [`--input-type=${type}`, "-e", code]);
}

test("require works in one line", () => {
  assert.equal(evaluate("commonjs", `const { Bursar } = require("bursar"); ${use}`), "object");
});

test("import works in one line", () => {
  assert.equal(evaluate("module", `import { Bursar } from "bursar"; ${use}`), "object");
});

test("node -e works without a word on the kind of module", () => {
  const code = `const { Bursar } = require("bursar"); ${use}`;
  assert.equal(execute(user.folder, process.execPath, ["-e", code]), "object");
});

test("import and require give the same values under the same names", () => {
  const code = `
    import { createRequire } from "node:module";
    import * as imported from "bursar";
    const required = createRequire(process.cwd() + "/")("bursar");
    const names = Object.keys(required);
    const same = names.filter((name) => imported[name] === required[name]);
    console.log(JSON.stringify({ names, same, imported: Object.keys(imported) }));
  `;
  const { names, same, imported } = JSON.parse(evaluate("module", code));
  assert.ok(names.includes("Bursar"));
  assert.deepEqual(same, names);
  assert.deepEqual(imported.filter((name) => names.includes(name)).sort(), names.sort());
});

test("the configuration's entry meets the same classes, imported and required", () => {
  const code = `
    import { createRequire } from "node:module";
    import { Bursar, BursarError } from "bursar";
    import { ConfigError, fromConfig } from "bursar/config";
    const required = createRequire(process.cwd() + "/")("bursar/config");
    const bursar = fromConfig({ resources: { db: { kind: "semaphore", permits: 2 } } });
    const isError = new ConfigError([]) instanceof BursarError;
    console.log(bursar instanceof Bursar, isError, required.fromConfig === fromConfig);
  `;
  assert.equal(evaluate("module", code), "true true true");
});

test("editors find the schema", () => {
  const code = `console.log(require("bursar/schema.json").title)`;
  assert.equal(evaluate("commonjs", code), "bursar configuration");
});

test("the file for browsers loads in Node too", () => {
  assert.equal(
    evaluate("module", `import { Bursar } from "./node_modules/bursar/dist/index.js"; ${use}`),
    "object",
  );
});

test("nothing keeps a program alive that only loads the package", () => {
  assert.equal(
    evaluate("module", 'import "bursar"; console.log(process.getActiveResourcesInfo().includes("Timeout"))'),
    "false",
  );
});

test("the tarball has what it needs and nothing else", () => {
  const needed = [
    ...["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "package.json"],
    ...["dist/index.cjs", "dist/index.js", "dist/node.mjs"],
    ...["dist/config.cjs", "dist/config.js", "dist/config.node.mjs", "schema/bursar.schema.json"],
    ...["dist/types/index.d.ts", "dist/types-cjs/index.d.cts"],
    ...["dist/types/config.d.ts", "dist/types-cjs/config.d.cts"],
  ];
  for (const file of needed) assert.ok(user.files.includes(file), `${file} is missing`);
  const allowed =
    /^(dist\/((index|config)\.c?js(\.map)?|(config\.)?node\.mjs|types\/.+\.d\.ts|types-cjs\/.+\.d\.cts)|[A-Z-]+(\.md)?|package\.json|schema\/bursar\.schema\.json)$/;
  assert.deepEqual(
    user.files.filter((file) => !allowed.test(file)),
    [],
  );
});

test("the package has no dependencies and no install script", () => {
  const meta = JSON.parse(readFileSync(join(user.folder, "node_modules/bursar/package.json"), "utf8"));
  assert.deepEqual(meta.dependencies ?? {}, {});
  for (const hook of ["preinstall", "install", "postinstall"]) assert.equal(meta.scripts[hook], undefined);
});

test("publint has nothing to say", async () => {
  const pkgDir = join(user.folder, "node_modules/bursar");
  const { messages, pkg } = await publint({ pkgDir, pack: false, strict: true });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg, { color: false })),
    [],
  );
});

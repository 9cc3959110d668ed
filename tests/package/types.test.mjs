// The declarations resolve and hold for both kinds of module, under every way that TypeScript resolves them,
// with the library checked as well and no types of Node around.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { execute, install } from "./packed.mjs";

const consumer = `
import { Bursar, tokenBucket } from "bursar";
import { type ConfigError, fromConfig } from "bursar/config";

const bursar = new Bursar({ db: 2, api: tokenBucket({ rate: 50, burst: 100 }) });

const configured = fromConfig({ resources: { gpu: { kind: "semaphore", permits: 4 } } });
export const same: Bursar<"gpu"> = configured;
export const paths = (error: ConfigError): string[] => error.mistakes.map(({ path }) => path);

export async function main(): Promise<number> {
  const lease = await bursar.claim({ db: 1, api: 1 }, { timeout: 5_000, priority: 10 });
  lease.release({ db: 1 });
  // @ts-expect-error an unknown resource
  bursar.tryClaim({ disk: 1 });
  // @ts-expect-error units are numbers
  bursar.tryClaim({ db: "1" });
  return bursar.run({ api: 1 }, () => 1);
}
`;

let user;
before(() => {
  user = install();
});
after(() => user?.remove());

function compile(name, module, moduleResolution, file) {
  const folder = join(user.folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), consumer);
  const compilerOptions = {
    ...{ module, moduleResolution, target: "ES2022", lib: ["ES2022", "DOM"], types: [] },
    ...{ strict: true, noEmit: true, skipLibCheck: false },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  execute(folder, "tsc", ["-p", "."]);
}

for (const [module, moduleResolution] of [
  ["Node16", "Node16"],
  ["NodeNext", "NodeNext"],
  ["Preserve", "Bundler"],
]) {
  for (const file of ["consumer.mts", "consumer.cts"]) {
    test(`${file} compiles with ${moduleResolution} resolution`, () => {
      compile(`${moduleResolution}-${file}`, module, moduleResolution, file);
    });
  }
}

// What the benches need beyond the project's own set-up: their peers and runtimes, and bursar built.

import { Failure, say } from "../../../scripts/lib/failure.mjs";
import { at } from "../../../scripts/lib/paths.mjs";
import { loud, quiet } from "../../../scripts/lib/run.mjs";
import { setUpChromium } from "../../../scripts/lib/setup/chromium.mjs";
import { step } from "../../../scripts/lib/stamp.mjs";

/** The packages that benches/package-lock.json names, in the benches' own node_modules. */
export async function setUpModules() {
  const state = {
    inputs: ["benches/package-lock.json"],
    outputs: ["benches/node_modules/.package-lock.json"],
  };
  await step("bench-modules", state, () => {
    say("installing the benches' peers and runtimes (once, about 500 MB)");
    quiet("npm", ["ci"], { cwd: at("benches"), why: "npm ci failed in benches/" });
  });
}

export function buildBursar() {
  if (loud(process.execPath, [at("scripts/build.mjs")]) !== 0) throw new Failure("bursar could not be built");
}

/** That every runtime which is asked for is there. */
export function setUpRuntimes(ids, runtimes) {
  if (ids.includes("chromium")) setUpChromium();
  for (const id of ids) {
    const file = runtimes[id].missing();
    if (file === undefined) continue;
    throw new Failure(
      `${id} is missing (${file}): delete benches/node_modules, or leave it out by --runtime`,
    );
  }
}

// The npm packages that package-lock.json names, in the project's own node_modules.

import { say } from "../failure.mjs";
import { quiet } from "../run.mjs";
import { step } from "../stamp.mjs";

export async function setUpNodeModules() {
  const state = { inputs: ["package-lock.json"], outputs: ["node_modules/.package-lock.json"] };
  await step("node-modules", state, () => {
    say("installing npm packages");
    quiet("npm", ["ci"], { why: "npm ci failed" });
  });
}

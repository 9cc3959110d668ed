// Steps that are skipped while nothing they read has changed.
//
// A stamp is the hash of a step's inputs by content, not by time: a checkout, a branch switch or a touched file
// neither repeats a step without need nor skips one that is due.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { at, cache, root } from "./paths.mjs";

/** Every file at or under a path of the checkout, in a stable order. A path that does not exist has none. */
function filesUnder(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
}

function hashOf(inputs, facts) {
  const hash = createHash("sha256").update(JSON.stringify(facts));
  for (const file of inputs.map((input) => at(input)).flatMap(filesUnder)) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/**
 * Runs `make` unless the last run that succeeded had the same inputs and its outputs are still there.
 *
 * @param {string} name names the stamp
 * @param {object} step
 * @param {string[]} step.inputs files and folders that decide the result, relative to the checkout
 * @param {string[]} step.outputs files that must exist afterwards, relative to the checkout
 * @param {unknown} [step.facts] what else decides the result, such as a compiler's version
 * @param {() => unknown} make
 * @returns {Promise<boolean>} whether anything was done
 */
export async function step(name, { inputs, outputs, facts = [] }, make) {
  const stamp = join(cache, `${name}.stamp`);
  const hash = hashOf(inputs, facts);
  const done = existsSync(stamp) && readFileSync(stamp, "utf8") === hash;
  if (done && outputs.every((output) => existsSync(at(output)))) return false;
  rmSync(stamp, { force: true });
  await make();
  mkdirSync(cache, { recursive: true });
  writeFileSync(stamp, hash);
  return true;
}

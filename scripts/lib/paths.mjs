// Where things are. Every path is absolute, so that scripts work from any folder.

import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

/** A path inside the checkout. */
export const at = (...parts) => join(root, ...parts);

/** What scripts keep between runs. Inside node_modules, so that a fresh install starts afresh. */
export const cache = at("node_modules/.cache/bursar");

export const cargoBin = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin");

/** The environment of every child: this project's tools first, then cargo's, then what the user has. */
export function environment() {
  const path = [at("node_modules/.bin"), process.env.PATH ?? "", cargoBin].join(delimiter);
  return { ...process.env, PATH: path };
}

// The libraries that are measured, in the order of the tables: bursar, then its peers by how bare they are.

import { readFileSync } from "node:fs";
import { at } from "../../../scripts/lib/paths.mjs";

export const libraryIds = [
  "bursar",
  "promise",
  "async-sema",
  "async-mutex",
  "cockatiel",
  "limiter",
  "effect",
  "p-limit",
  "p-queue",
  "bottleneck",
];

/** The version that is installed; a bare promise is the runtime's. */
export function versionOf(id) {
  if (id === "promise") return undefined;
  const file = id === "bursar" ? at("package.json") : at("benches/node_modules", id, "package.json");
  return JSON.parse(readFileSync(file, "utf8")).version;
}

export const adapterOf = (id) => import(`../libraries/${id}.mjs`);

// What a configuration has, and what each part must be. Mistakes come in the order of this file, the same as in
// src/config/schema.rs and limits.rs; tests/config holds both to the same words.

import type { ConfigMistake } from "./errors.js";
import { pathOf, type Range, Reader, type Section } from "./reader.js";

// The ranges that the constructors take, and as they say it.
const UNITS: Range = [1, Number.MAX_SAFE_INTEGER, "a whole number from 1 to 2^53 - 1"];
const RATE: Range = [1e-9, Number.MAX_SAFE_INTEGER, "a number from 1e-9 to 2^53 - 1 (units a second)"];
const WINDOW: Range = [1e-6, 1e13, "a number from 1e-6 to 1e13 (milliseconds)"];
const COUNT: Range = [0, 2 ** 32 - 1, "a whole number from 0 to 2^32 - 1"];
const KEYS: Range = [1, 2 ** 32 - 1, "a whole number from 1 to 2^32 - 1"];

const ORDERS = ["fair", "newest", "greedy"];
/** `$schema` is a note to editors. */
const ROOT = ["order", "max_bypass", "max_waiting", "resources", "pools", "$schema"];
const POOL = ["concurrency", "shard"];
/** What any resource has beside its kind's own keys. */
const COMMON = ["shard", "family", "max_keys"];
/** By kind: as messages call one, and its own keys. */
const KINDS = {
  semaphore: ["a semaphore", ["permits"]],
  token_bucket: ["a token bucket", ["rate", "burst"]],
  at_most: ["an at_most", ["limit", "per_ms", "burst"]],
} as const;
const KIND_NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[];
/** Where the kind is not known: any kind's keys. */
const ANY = ["a resource", ["permits", "rate", "burst", "limit", "per_ms"]] as const;

/** Everything that is wrong with a configuration. */
export function mistakesOf(config: unknown): ConfigMistake[] {
  const reader = new Reader();
  const root = reader.section("", config);
  if (root !== undefined) {
    reader.keys(root, "a configuration", ROOT);
    policy(reader, root);
    const resources = named(reader, root, "resources");
    for (const section of resources.values()) resource(reader, section);
    for (const section of named(reader, root, "pools").values()) {
      reader.keys(section, "a pool", POOL);
      reader.whole(section, "concurrency", false, UNITS);
      reader.name(section, "shard");
    }
    if (isEmpty(root, "resources") && isEmpty(root, "pools")) {
      reader.note("resources", "there are no resources; name at least one");
    }
    families(reader, resources);
  }
  return reader.finish();
}

function isEmpty(root: Section, key: string): boolean {
  const value = root.entries.has(key) ? root.entries.get(key) : {};
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && Object.keys(value).length === 0;
}

function policy(reader: Reader, root: Section): void {
  reader.word(root, "order", false, ORDERS);
  if (root.entries.get("max_bypass") !== "unlimited") {
    reader.whole(root, "max_bypass", false, [COUNT[0], COUNT[1], `${COUNT[2]}, or "unlimited"`]);
  }
  reader.whole(root, "max_waiting", false, COUNT);
}

/** The objects in one of the root's, by name. */
function named(reader: Reader, root: Section, key: string): Map<string, Section> {
  const parts = new Map<string, Section>();
  const value = root.entries.get(key);
  const section = value === undefined ? undefined : reader.section(key, value);
  for (const [name, value] of section?.entries ?? []) {
    const path = pathOf(key, name);
    if (name === "") reader.note(path, `${path}: the name is ""; it must not be empty`);
    // Half a surrogate pair, which no text in a file can be: two names could become the same one.
    if (/\p{Surrogate}/u.test(name)) reader.note(path, `${path}: the name must be of whole characters`);
    const part = reader.section(path, value);
    if (part !== undefined) parts.set(name, part);
  }
  return parts;
}

function resource(reader: Reader, section: Section): void {
  limit(reader, section);
  reader.name(section, "shard");
  const family = section.entries.get("family");
  reader.flag(section, "family");
  reader.whole(section, "max_keys", false, KEYS);
  if (section.entries.has("max_keys") && (family === undefined || family === false)) {
    const path = pathOf(section.path, "max_keys");
    reader.note(path, `${path} is for a family; add family = true, or leave it out`);
  }
}

function limit(reader: Reader, section: Section): void {
  const kind = reader.word(section, "kind", true, KIND_NAMES);
  const [one, own] = kind === undefined ? ANY : KINDS[kind];
  reader.keys(section, one, ["kind", ...own, ...COMMON]);
  if (kind === "semaphore") {
    reader.whole(section, "permits", true, UNITS);
  } else if (kind === "token_bucket") {
    reader.number(section, "rate", RATE);
    reader.whole(section, "burst", true, UNITS);
  } else if (kind === "at_most") {
    const units = reader.whole(section, "limit", true, UNITS);
    reader.number(section, "per_ms", WINDOW);
    const burst = reader.whole(section, "burst", false, UNITS);
    if (units === 1 && !section.entries.has("burst")) {
      const path = pathOf(section.path, "limit");
      reader.note(path, `${path} is 1; it must be above the burst, which is 1 if it is not given`);
    } else if (units !== undefined && burst !== undefined && burst >= units) {
      reader.wrong(pathOf(section.path, "burst"), burst, `below ${units}, the limit of a window`);
    }
  }
}

/**
 * The key of `origin/KEY` begins behind the first stroke. So a family's own name has none, and what begins with a
 * family's name and a stroke is of that family.
 */
function families(reader: Reader, resources: Map<string, Section>): void {
  const isFamily = (name: string) => resources.get(name)?.entries.get("family") === true;
  for (const name of resources.keys()) {
    if (!name.includes("/")) continue;
    const path = pathOf("resources", name);
    const first = name.slice(0, name.indexOf("/"));
    if (isFamily(name)) reader.note(path, `${path}: the name of a family must have no "/"`);
    else if (isFamily(first)) {
      reader.note(path, `${path}: the name is one of the family ${JSON.stringify(first)}; choose another`);
    }
  }
}

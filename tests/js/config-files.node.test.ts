// The files of tests/config, which drive tests/rust/config.rs as well, against the checks and the schema.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Ajv from "ajv";
import { ConfigError, parseConfig } from "bursar/config";
import { describe, expect, test } from "vitest";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string) => readFileSync(at(path), "utf8");
const files = (folder: string) =>
  readdirSync(at(`tests/config/${folder}`))
    .filter((name) => name.endsWith(".json") && !name.endsWith(".mistakes.json"))
    .map((name) => `tests/config/${folder}/${name}`);

const schema = JSON.parse(read("schema/bursar.schema.json"));
const isValid = new Ajv({ allErrors: true, strictTypes: false, strictRequired: false }).compile(schema);

/** What only a program can see. */
const beyondSchemas = ["tests/config/bad/families.json"];

function mistakes(config: string): ConfigError["mistakes"] {
  try {
    parseConfig(config);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

describe("good files", () => {
  test.each(files("good"))("%s has no mistakes, and the schema finds none", (file) => {
    expect(parseConfig(read(file))).toEqual(JSON.parse(read(file)));
    expect(isValid(JSON.parse(read(file))), JSON.stringify(isValid.errors)).toBe(true);
  });
});

describe("bad files", () => {
  test.each(files("bad"))("%s has the mistakes that Rust finds, in the same words", (file) => {
    expect(mistakes(read(file))).toEqual(JSON.parse(read(`${file}.mistakes.json`)));
  });

  test.each(files("bad"))("%s does not pass the schema", (file) => {
    const config = JSON.parse(read(file));
    for (const part of beyondSchemas.includes(file) ? Object.keys(config.resources) : []) {
      // What the schema can see of it would hide whether it sees the rest.
      if (config.resources[part].max_keys !== undefined) delete config.resources[part];
    }
    expect(isValid(config)).toBe(beyondSchemas.includes(file));
  });
});

// One resource or pool alone, so that no mistake of another part hides that one is not seen.
describe("single parts of the bad files", () => {
  const single = files("bad")
    .filter((file) => !beyondSchemas.includes(file))
    .flatMap((file) => {
      const config = JSON.parse(read(file));
      return ["resources", "pools"].flatMap((group) => {
        const parts = config?.[group];
        if (typeof parts !== "object" || parts === null) return [];
        return Object.entries(parts).map(([name, part]) => ({ file, config: { [group]: { [name]: part } } }));
      });
    });

  /** A schema cannot compare two numbers. */
  const compares = (config: object) =>
    mistakes(JSON.stringify(config)).some(({ message }) => /below \d/.test(message));

  test.each(single)("$file: $config", ({ config }) => {
    const right = mistakes(JSON.stringify(config)).length === 0 || compares(config);
    expect(isValid(config)).toBe(right);
  });
});

describe("the schema has the keys of the checks", () => {
  const told = (config: object) =>
    mistakes(JSON.stringify(config)).flatMap(({ message }) => {
      const list = message.split(" has ")[1];
      return list === undefined ? [] : [...list.matchAll(/"([^"]+)"/g)].map(([, key]) => key);
    });
  const keys = (part: { properties: object }) => Object.keys(part.properties).sort();

  test("of the whole", () => {
    expect(told({ qqqqqq: 1 }).sort()).toEqual(keys(schema));
  });

  test.each(["semaphore", "token_bucket", "at_most"])("of %s", (kind) => {
    expect(told({ resources: { a: { kind, qqqqqq: 1 } } }).sort()).toEqual(keys(schema.definitions[kind]));
  });

  test("of a pool", () => {
    expect(told({ pools: { a: { qqqqqq: 1 } } }).sort()).toEqual(keys(schema.definitions.pool));
  });
});

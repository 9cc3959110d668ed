// Resources that cannot be are refused, new or changed; and questions and orders about resources that are not there.

import {
  atMost,
  Bursar,
  InvalidOptionError,
  InvalidResourceError,
  ManualClock,
  type ResourceSpec,
  semaphore,
  tokenBucket,
  UnknownResourceError,
} from "bursar";
import { describe, expect, it } from "vitest";
import { expectIntact, expectRefusal, type Refusal, type Stock, stock, thrownBy } from "./bad-support.js";

const invalid = (...says: Refusal["says"]): Refusal => ({
  type: InvalidResourceError,
  code: "INVALID_RESOURCE",
  says,
});
const unknown = (...says: Refusal["says"]): Refusal => ({
  type: UnknownResourceError,
  code: "UNKNOWN_RESOURCE",
  says: [...says, '"db", "ramMb", "api"'],
});

const counts = [
  [0, "0"],
  [-1, "-1"],
  [0.5, "0.5"],
  [Number.NaN, "NaN"],
  [Number.POSITIVE_INFINITY, "Infinity"],
  [2 ** 53, "9007199254740992"],
  ["2", '"2"'],
  [2n, "2n"],
  [null, "null"],
  [undefined, "undefined"],
  [Symbol("two"), "a symbol"],
] as [number, string][];

const rates = [
  [0, "0"],
  [-1, "-1"],
  [1e-10, "1e-10"],
  [Number.NaN, "NaN"],
  [Number.POSITIVE_INFINITY, "Infinity"],
  [2 ** 54, "18014398509481984"],
  ["50", '"50"'],
  [50n, "50n"],
  [null, "null"],
  [undefined, "undefined"],
  [Symbol("fifty"), "a symbol"],
] as [number, string][];

const whole = "a whole number from 1 to 2^53 - 1";

const specs: [string, unknown, Refusal][] = [
  ...counts.map(([value, shown]): [string, unknown, Refusal] => [
    `${shown} permits`,
    semaphore(value),
    invalid(`the number of permits is ${shown}`, whole),
  ]),
  ...counts
    .filter(([value]) => typeof value === "number")
    .map(([value, shown]): [string, unknown, Refusal] => [
      `a plain ${shown}`,
      value,
      invalid(`the number of permits is ${shown}`, whole),
    ]),
  ...rates.map(([rate, shown]): [string, unknown, Refusal] => [
    `a rate of ${shown}`,
    tokenBucket({ rate, burst: 1 }),
    invalid(`rate is ${shown}`, "a number from 1e-9 to 2^53 - 1"),
  ]),
  ...counts.map(([burst, shown]): [string, unknown, Refusal] => [
    `a burst of ${shown}`,
    tokenBucket({ rate: 1, burst }),
    invalid(`burst is ${shown}`, whole),
  ]),
  ...counts.map(([units, shown]): [string, unknown, Refusal] => [
    `at most ${shown} units`,
    atMost(units, { per: 1_000 }),
    invalid(`the number of units is ${shown}`, whole),
  ]),
  ...rates.map(([value, shown]): [string, unknown, Refusal] => [
    `a window of ${shown} ms`,
    atMost(10, { per: value }),
    invalid(`per is ${shown}`, "from 1e-6 to 1e13"),
  ]),
  [
    "a burst as large as a window's units",
    atMost(10, { per: 1, burst: 10 }),
    invalid("burst is 10", "below 10"),
  ],
  ["at most one, of which one at once", atMost(1, { per: 1 }), invalid("burst is 1", "below 1")],
  ["a string", "2", invalid('"2"', "tokenBucket(...)")],
  ["a BigInt", 2n, invalid("2n", "a number of permits")],
  ["true", true, invalid("true", "a number of permits")],
  ["null", null, invalid("null", "a number of permits")],
  ["undefined", undefined, invalid("undefined", "a number of permits")],
  ["a symbol", Symbol("two"), invalid("a symbol", "a number of permits")],
  ["a function", () => 2, invalid("a function", "a number of permits")],
  ["an array", [2], invalid("an array", "a number of permits")],
  ["an empty object", {}, invalid("an object", "a number of permits")],
  ["an unknown kind", { kind: "mutex", permits: 1 }, invalid("an object", "a number of permits")],
  ["a kind that all objects have", { kind: "constructor" }, invalid("an object", "a number of permits")],
];

describe("a new bursar refuses", () => {
  it.each(specs)("a resource that is %s, and names it", (_, spec, refusal) => {
    const error = thrownBy(() => new Bursar({ good: 1, bad: spec as ResourceSpec }));
    expectRefusal(error, { ...refusal, says: ['"bad"', ...refusal.says] });
    expect(error).toMatchObject({ resource: "bad" });
  });

  it.each([
    ["null", null, "null"],
    ["undefined", undefined, "undefined"],
    ["a number", 2, "2"],
    ["a string", "db", '"db"'],
    ["a function", () => ({ db: 1 }), "a function"],
    ["an empty object", {}, "name at least one"],
    ["an empty array", [], "name at least one"],
    ["a map", new Map([["db", 1]]), "name at least one"],
  ])("resources that are %s", (_, resources, says) => {
    expectRefusal(
      thrownBy(() => new Bursar(resources as never)),
      invalid(says),
    );
  });

  it("an empty name", () => {
    expectRefusal(
      thrownBy(() => new Bursar({ db: 1, "": 1 })),
      invalid("name", "empty"),
    );
  });
});

describe("resize refuses", () => {
  it.each(specs)("%s, and the resource stays as it was", (_, spec, refusal) => {
    const bursar = stock();
    const error = thrownBy(() => bursar.resize("db", spec as ResourceSpec));
    expectRefusal(error, { ...refusal, says: ['"db"', ...refusal.says] });
    expect(bursar.capacity("db")).toBe(2);
    expectIntact(bursar);
  });

  it.each([
    ["a semaphore that is to be a bucket", "db", tokenBucket({ rate: 1, burst: 1 })],
    ["a semaphore that is to be a window", "db", atMost(10, { per: 1_000 })],
    ["a bucket that is to be a semaphore", "api", 5],
  ] as const)("%s", (_, name, spec) => {
    const bursar = stock();
    const error = thrownBy(() => bursar.resize(name, spec));
    expectRefusal(error, invalid(JSON.stringify(name), "keeps its kind"));
    expectIntact(bursar);
  });
});

describe("define refuses", () => {
  const define = (bursar: Stock, name: unknown, spec: unknown) =>
    (bursar as Bursar).define(name as string, spec as ResourceSpec);

  it.each(specs)("%s, and there is no such resource", (_, spec, refusal) => {
    const bursar = stock();
    const error = thrownBy(() => define(bursar, "gpu", spec));
    expectRefusal(error, { ...refusal, says: ['"gpu"', ...refusal.says] });
    expect(() => (bursar as Bursar).capacity("gpu")).toThrow(UnknownResourceError);
    expectIntact(bursar);
  });

  it("a name that is taken", () => {
    const bursar = stock();
    expectRefusal(
      thrownBy(() => define(bursar, "db", 5)),
      invalid('"db"', "exists"),
    );
    expectIntact(bursar);
  });

  it.each([
    ["empty", "", '""'],
    ["a number", 1, "1"],
    ["null", null, "null"],
    ["undefined", undefined, "undefined"],
    ["a symbol", Symbol("gpu"), "a symbol"],
    ["an object", {}, "an object"],
  ])("a name that is %s", (_, name, shown) => {
    const bursar = stock();
    expectRefusal(
      thrownBy(() => define(bursar, name, 1)),
      invalid(shown, "the name", "a string"),
    );
    expectIntact(bursar);
  });
});

const orders: [string, (bursar: Stock, name: never) => unknown][] = [
  ["resize", (bursar, name) => bursar.resize(name, 5)],
  ["remove", (bursar, name) => bursar.remove(name)],
  ["pause", (bursar, name) => bursar.pause(name, 5)],
  ["setLevel", (bursar, name) => bursar.setLevel(name, 5)],
  ["capacity", (bursar, name) => bursar.capacity(name)],
  ["available", (bursar, name) => bursar.available(name)],
  ["held", (bursar, name) => bursar.held(name)],
];

describe.each(orders)("%s refuses a resource", (_, order) => {
  it.each([
    ["that is not there", "nope", '"nope"'],
    ["called `__proto__`", "__proto__", '"__proto__"'],
    ["called `constructor`", "constructor", '"constructor"'],
    ["without a name", "", '""'],
    ["that is a number", 0, "0"],
    ["that is null", null, "null"],
    ["that is undefined", undefined, "undefined"],
    ["that is a symbol", Symbol("db"), "a symbol"],
    ["that is an array of its name", ["db"], "an array"],
    ["that is an object with its name", { toString: () => "db" }, "an object"],
  ])("%s", (_, name, shown) => {
    const bursar = stock();
    expectRefusal(
      thrownBy(() => order(bursar, name as never)),
      unknown(shown),
    );
    expectIntact(bursar);
  });
});

describe("pause refuses", () => {
  it.each([
    [-1, "-1"],
    [Number.NaN, "NaN"],
    [Number.NEGATIVE_INFINITY, "-Infinity"],
    ["5", '"5"'],
    [5n, "5n"],
    [null, "null"],
    [undefined, "undefined"],
    [Symbol("five"), "a symbol"],
  ])("%s ms, and pauses nothing", (milliseconds, shown) => {
    const bursar = stock();
    const error = thrownBy(() => bursar.pause("db", milliseconds as number));
    expectRefusal(error, { type: InvalidOptionError, code: "INVALID_OPTION", says: ["the pause is", shown] });
    expectIntact(bursar);
  });
});

it("a pause may be for ever, and is ended by one of 0 ms", async () => {
  const clock = new ManualClock();
  const bursar = new Bursar({ db: 1 }, { clock });
  bursar.pause("db", Number.POSITIVE_INFINITY);
  const claim = bursar.claim({ db: 1 });
  clock.advance(1e9);
  expect(bursar.waiting).toBe(1);
  bursar.pause("db", 0);
  expect((await claim).ended).toBe(false);
});

describe("setLevel refuses", () => {
  it.each([
    [-1, "-1"],
    [0.5, "0.5"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "Infinity"],
    [2 ** 53, "9007199254740992"],
    ["5", '"5"'],
    [5n, "5n"],
    [null, "null"],
    [undefined, "undefined"],
  ])("a level of %s, and keeps the one there was", (level, shown) => {
    const bursar = stock();
    const error = thrownBy(() => bursar.setLevel("api", level as number));
    expectRefusal(error, invalid('"api"', `the level is ${shown}`));
    expectIntact(bursar);
  });

  it("a level above the burst", () => {
    const bursar = stock();
    expectRefusal(
      thrownBy(() => bursar.setLevel("api", 11)),
      invalid('"api"', "11", "burst of 10"),
    );
    expectIntact(bursar);
  });

  it("the level of a semaphore", () => {
    const bursar = stock();
    expectRefusal(
      thrownBy(() => bursar.setLevel("db", 1)),
      invalid('"db"', "a semaphore"),
    );
    expectIntact(bursar);
  });
});

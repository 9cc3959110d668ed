// What is not a demand is refused, whichever way it comes in: with a typed error that says what is wrong, nothing
// granted and nothing lost.

import { ExceedsCapacityError, InvalidDemandError, UnknownResourceError } from "bursar";
import { describe, expect, it } from "vitest";
import {
  expectIntact,
  expectRefusal,
  type Refusal,
  rejectionOf,
  stock,
  waysInForDemands,
} from "./bad-support.js";

const invalid = (...says: Refusal["says"]): Refusal => ({
  type: InvalidDemandError,
  code: "INVALID_DEMAND",
  says,
});
const unknown = (name: string): Refusal => ({
  type: UnknownResourceError,
  code: "UNKNOWN_RESOURCE",
  says: [JSON.stringify(name), '"db", "ramMb", "api"'],
});
const exceeds = (name: string, wanted: number, capacity: number): Refusal => ({
  type: ExceedsCapacityError,
  code: "EXCEEDS_CAPACITY",
  says: [JSON.stringify(name), String(wanted), String(capacity)],
});

const units = (label: string, value: unknown, shown: string | RegExp): [string, unknown, Refusal][] => [
  [label, { db: value }, invalid('"db"', shown, "whole numbers from 1 to 2^53 - 1")],
  [`${label}, in the second place`, { db: 1, ramMb: value }, invalid('"ramMb"', shown)],
  [`${label}, in the third place`, { db: 1, ramMb: 1, api: value }, invalid('"api"', shown)],
];

const unitsThatAreNone: [string, unknown, Refusal][] = [
  ...units("zero", 0, "0 of"),
  ...units("minus zero", -0, "0 of"),
  ...units("a negative number", -1, "-1 of"),
  ...units("a fraction", 0.5, "0.5 of"),
  ...units("a fraction above one", 1.5, "1.5 of"),
  ...units("NaN", Number.NaN, "NaN of"),
  ...units("Infinity", Number.POSITIVE_INFINITY, "Infinity of"),
  ...units("minus Infinity", Number.NEGATIVE_INFINITY, "-Infinity of"),
  ...units("2^53", 2 ** 53, "9007199254740992 of"),
  ...units("a huge number", Number.MAX_VALUE, "1.7976931348623157e+308 of"),
  ...units("a string", "1", '"1" of'),
  ...units("an empty string", "", '"" of'),
  ...units("a long string", "x".repeat(1_000_000), /^"x{40}\.\.\." of/),
  ...units("a BigInt", 1n, "1n of"),
  ...units("true", true, "true of"),
  ...units("null", null, "null of"),
  ...units("undefined", undefined, "undefined of"),
  ...units("a symbol", Symbol("one"), "a symbol of"),
  ...units("an array", [1], "an array of"),
  ...units("an object with a number's value", { valueOf: () => 1 }, "an object of"),
  ...units("a boxed number", Object(1), "an object of"),
  ...units("a function", () => 1, "a function of"),
];

const namesThatAreNone: [string, unknown, Refusal][] = [
  ["a name that nothing has", { nope: 1 }, unknown("nope")],
  ["a name in other letters", { DB: 1 }, unknown("DB")],
  ["a name with a space before it", { " db": 1 }, unknown(" db")],
  ["an empty name", { "": 1 }, unknown("")],
  ["`__proto__`", { ["__proto__"]: 1 }, unknown("__proto__")],
  ["`__proto__` from JSON", JSON.parse('{ "__proto__": 1 }'), unknown("__proto__")],
  ["`constructor`", { constructor: 1 }, unknown("constructor")],
  ["`prototype`", { prototype: 1 }, unknown("prototype")],
  ["`toString`", { toString: 1 }, unknown("toString")],
  ["`hasOwnProperty`", { hasOwnProperty: 1 }, unknown("hasOwnProperty")],
  ["`valueOf`, after a good name", { db: 1, valueOf: 1 }, unknown("valueOf")],
  ["an unknown name after a good one", { db: 1, nope: 1 }, unknown("nope")],
  ["an unknown name before a good one", { nope: 1, db: 1 }, unknown("nope")],
  ["an unknown name after three good ones", { db: 1, ramMb: 1, api: 1, nope: 1 }, unknown("nope")],
  ["a symbol", { [Symbol("db")]: 1 }, unknown("Symbol(db)")],
  ["an array of names", ["db"], unknown("0")],
];

const objectsThatAreNone: [string, unknown, Refusal][] = [
  ["an empty object", {}, invalid("empty", "at least one resource")],
  ["an object without a prototype, empty", Object.create(null), invalid("empty")],
  ["an object that only inherits", Object.create({ db: 1 }), invalid("empty")],
  ["an object with a hidden key", Object.defineProperty({}, "db", { value: 1 }), invalid("empty")],
  ["a literal with another prototype", { __proto__: { db: 1 } }, invalid("empty")],
  ["a map", new Map([["db", 1]]), invalid("empty")],
  ["an empty array", [], invalid("an array", "an object such as")],
  ["undefined", undefined, invalid("undefined", "an object such as")],
  ["null", null, invalid("null", "an object such as")],
  ["a string", "db", invalid('"db"', "an object such as")],
  ["a number", 1, invalid("1", "an object such as")],
  ["a BigInt", 1n, invalid("1n", "an object such as")],
  ["true", true, invalid("true", "an object such as")],
  ["a symbol", Symbol("db"), invalid("a symbol", "an object such as")],
  ["a function", () => ({ db: 1 }), invalid("a function", "an object such as")],
];

const demandsThatCanNeverBe: [string, unknown, Refusal][] = [
  ["one more than the permits", { db: 3 }, exceeds("db", 3, 2)],
  ["one more than the burst", { api: 11 }, exceeds("api", 11, 10)],
  ["too much of the second", { db: 1, ramMb: 4097 }, exceeds("ramMb", 4097, 4096)],
  ["too much of the third", { db: 1, ramMb: 1, api: 11 }, exceeds("api", 11, 10)],
  ["the largest number of units", { db: 2 ** 53 - 1 }, exceeds("db", 2 ** 53 - 1, 2)],
];

describe.each(Object.entries(waysInForDemands))("%s", (_, claim) => {
  const refuses = async (demand: unknown, refusal: Refusal) => {
    const bursar = stock();
    expectRefusal(await rejectionOf(claim(bursar, demand)), refusal);
    expectIntact(bursar);
  };

  it.each(unitsThatAreNone)("refuses units that are %s", (_, demand, refusal) => refuses(demand, refusal));
  it.each(namesThatAreNone)("refuses %s", (_, demand, refusal) => refuses(demand, refusal));
  it.each(objectsThatAreNone)("refuses a demand that is %s", (_, demand, refusal) =>
    refuses(demand, refusal),
  );
  it.each(demandsThatCanNeverBe)("refuses %s", (_, demand, refusal) => refuses(demand, refusal));

  it("refuses a bad demand while others wait, who lose nothing by it", async () => {
    const bursar = stock();
    const lease = bursar.tryClaim({ db: 2 });
    const waiting = bursar.claim({ db: 1, ramMb: 4096 });
    for (const demand of [{}, { db: 0 }, { db: 3 }, { nope: 1 }, null])
      await rejectionOf(claim(bursar, demand));
    expect(bursar.waiting).toBe(1);
    lease?.release();
    (await waiting).release();
    expectIntact(bursar);
  });

  it("refuses everything when the last resource was removed", async () => {
    const bursar = stock();
    for (const name of ["db", "ramMb", "api"] as const) bursar.remove(name);
    const error = await rejectionOf(claim(bursar, { db: 1 }));
    expectRefusal(error, {
      type: UnknownResourceError,
      code: "UNKNOWN_RESOURCE",
      says: ['"db"', "there are none"],
    });
  });
});

it("names the resource, what was asked and what there is, as fields too", async () => {
  const tooMuch = await rejectionOf(stock().claim({ db: 3 }));
  expect(tooMuch).toMatchObject({ resource: "db", wanted: 3, capacity: 2 });
  const nothing = await rejectionOf(stock().claim({ nope: 1 } as never));
  expect(nothing).toMatchObject({ resource: "nope" });
});

// What a lease does not have cannot be given back: a typed error, and the lease has all that it had.

import {
  Bursar,
  InvalidDemandError,
  type Lease,
  LeaseExpiredError,
  ManualClock,
  TicketError,
  tokenBucket,
  UnknownResourceError,
} from "bursar";
import { describe, expect, it } from "vitest";
import { expectIntact, expectRefusal, type Refusal, stock, thrownBy } from "./bad-support.js";

const ticket = (...says: Refusal["says"]): Refusal => ({ type: TicketError, code: "TICKET", says });
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

const always: [string, unknown, Refusal][] = [
  ["nothing at all", {}, invalid("empty")],
  ["null", null, invalid("null")],
  ["a string", "db", invalid('"db"')],
  ["a number", 1, invalid("1")],
  ["true", true, invalid("true")],
  ["a function", () => 1, invalid("a function")],
  ["an empty array", [], invalid("an array")],
  ["an unknown name", { nope: 1 }, unknown("nope")],
  ["`__proto__`", { ["__proto__"]: 1 }, unknown("__proto__")],
  ["`constructor`", { constructor: 1 }, unknown("constructor")],
  ["a symbol", { [Symbol("db")]: 1 }, unknown("Symbol(db)")],
];

const units = (name: string): [string, unknown, Refusal][] =>
  (
    [
      ["a negative number", -1, "-1"],
      ["a fraction", 0.5, "0.5"],
      ["NaN", Number.NaN, "NaN"],
      ["Infinity", Number.POSITIVE_INFINITY, "Infinity"],
      ["2^53", 2 ** 53, "9007199254740992"],
      ["a string", "1", '"1"'],
      ["a BigInt", 1n, "1n"],
      ["undefined", undefined, "undefined"],
      ["null", null, "null"],
    ] as const
  ).map(([label, value, shown]) => [
    `${label} of "${name}"`,
    { [name]: value },
    invalid(shown, JSON.stringify(name), "whole numbers"),
  ]);

const parts: [string, unknown, Refusal][] = [
  ...always,
  ...units("db"),
  ["zero", { db: 0 }, invalid("0 of", '"db"')],
  ["more than it has", { db: 2 }, ticket('2 of "db"', "has 1 of it")],
  ["the most there can be", { db: 2 ** 53 - 1 }, ticket('9007199254740991 of "db"', "has 1 of it")],
  ["what it did not claim", { ramMb: 1 }, ticket('1 of "ramMb"', "has 0 of it")],
  ["one thing that it has and one that it has not", { db: 1, ramMb: 1 }, ticket('1 of "ramMb"')],
  ["tokens, which are spent", { api: 1 }, ticket('"api"', "settled")],
];

const uses: [string, unknown, Refusal][] = [
  ...always,
  ...units("api"),
  ["permits, which are given back", { db: 1 }, ticket('"db"', "given back")],
  ["tokens and permits", { api: 1, db: 1 }, ticket('"db"', "given back")],
];

const calls: [string, typeof parts, (lease: Lease, part: unknown) => void][] = [
  ["release", parts, (lease, part) => lease.release(part as never)],
  ["settle", uses, (lease, used) => lease.settle(used as never)],
];

describe.each(calls)("%s", (_, bad, call) => {
  it.each(bad)("refuses %s, and the lease keeps all that it has", (_, part, refusal) => {
    const bursar = stock();
    const lease = bursar.tryClaim({ db: 1, api: 2 })!;
    expectRefusal(
      thrownBy(() => call(lease, part)),
      refusal,
    );
    expect([lease.ended, bursar.held("db"), bursar.held("api"), bursar.available("api")]).toEqual([
      false,
      1,
      2,
      8,
    ]);
    lease.settle({ api: 0 });
    lease.release();
    expectIntact(bursar);
  });

  it.each(bad)("refuses %s of a lease that has ended, whatever else is wrong", (_, part) => {
    const bursar = stock();
    const lease = bursar.tryClaim({ db: 1 })!;
    lease.release();
    expect(thrownBy(() => call(lease, part))).toBeInstanceOf(TicketError);
    expectIntact(bursar);
  });

  it("serves nobody with what was refused", async () => {
    const bursar = stock();
    const lease = bursar.tryClaim({ db: 2, api: 10 })!;
    const waiting = bursar.claim({ db: 1, api: 1 });
    for (const [, part] of bad) thrownBy(() => call(lease, { ...(part as object), nope: 1 }));
    expect(bursar.waiting).toBe(1);
    lease.settle({ api: 0 });
    lease.release();
    const served = await waiting;
    served.settle({ api: 0 });
    served.release();
    expectIntact(bursar);
  });
});

it("settle refuses a bucket that the lease did not claim", () => {
  const bursar = stock();
  const lease = bursar.tryClaim({ db: 1 })!;
  expectRefusal(
    thrownBy(() => (lease as Lease).settle({ api: 1 })),
    ticket('1 of "api"', "has 0 of it"),
  );
  lease.release();
  expectIntact(bursar);
});

describe("a lease whose time to live has passed", () => {
  const lapsed = () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 2, api: tokenBucket({ rate: 1, burst: 10 }) }, { clock });
    const lease = bursar.tryClaim({ db: 2, api: 1 }, { ttl: 50 })!;
    clock.advance(50);
    return { bursar, lease };
  };
  const refusal = ticket("the lease has ended", "50 ms");

  it.each([
    ["release", (lease: Lease) => lease.release()],
    ["release of a part", (lease: Lease) => lease.release({ db: 1 })],
    ["settle", (lease: Lease) => lease.settle({ api: 1 })],
  ])("refuses %s, says why, and mints nothing", (_, call) => {
    const { bursar, lease } = lapsed();
    const next = bursar.tryClaim({ db: 1 });
    expectRefusal(
      thrownBy(() => call(lease)),
      refusal,
    );
    expect([next?.ended, bursar.available("db"), bursar.held("db")]).toEqual([false, 1, 1]);
  });

  it("is disposed of in silence", () => {
    const { bursar, lease } = lapsed();
    lease[Symbol.dispose]();
    expect(bursar.available("db")).toBe(2);
  });

  it("has an aborted signal that says so, also when it is asked for only then", () => {
    const { signal } = lapsed().lease;
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBeInstanceOf(LeaseExpiredError);
    expect(signal.reason).toMatchObject({ code: "LEASE_EXPIRED", ttl: 50 });
  });
});

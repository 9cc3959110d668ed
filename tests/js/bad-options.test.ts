// Options with values that they do not take are refused; those at the ends of their ranges are taken at their word.

import { Bursar, InvalidOptionError, ManualClock } from "bursar";
import { describe, expect, it } from "vitest";
import {
  expectIntact,
  expectRefusal,
  type Refusal,
  rejectionOf,
  stock,
  thrownBy,
  waysIn,
} from "./bad-support.js";

const invalid = (...says: Refusal["says"]): Refusal => ({
  type: InvalidOptionError,
  code: "INVALID_OPTION",
  says,
});

const each = (option: string, right: string, values: [unknown, string][]): [string, unknown, Refusal][] =>
  values.map(([value, shown]) => [
    `the ${option} ${shown}`,
    { [option]: value },
    invalid(new RegExp(`^${option} is `), shown, right),
  ]);

const claimOptions: [string, unknown, Refusal][] = [
  ...each("timeout", "milliseconds, 0 or more", [
    [-1, "-1"],
    [-0.001, "-0.001"],
    [Number.NaN, "NaN"],
    [Number.NEGATIVE_INFINITY, "-Infinity"],
    ["5", '"5"'],
    [5n, "5n"],
    [null, "null"],
    [true, "true"],
    [{}, "an object"],
    [new Date(5), "an object"],
  ]),
  ...each("ttl", "milliseconds, above 0", [
    [0, "0"],
    [-1, "-1"],
    [Number.NaN, "NaN"],
    ["5", '"5"'],
    [5n, "5n"],
    [null, "null"],
  ]),
  ...each("priority", "a whole number from -2^31 to 2^31 - 1", [
    [0.5, "0.5"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "Infinity"],
    [2 ** 31, "2147483648"],
    [-(2 ** 31) - 1, "-2147483649"],
    [2 ** 53, "9007199254740992"],
    ["1", '"1"'],
    [1n, "1n"],
    [null, "null"],
    [Symbol("high"), "a symbol"],
  ]),
  ...each("signal", "an AbortSignal", [
    [null, "null"],
    ["abort", '"abort"'],
    [true, "true"],
    [() => {}, "a function"],
    [{}, "an object"],
  ]),
  ["a signal that is a controller", { signal: new AbortController() }, invalid("signal is an object")],
  ["a signal that is an event target", { signal: new EventTarget() }, invalid("signal is an object")],
  ["a signal that cannot be listened to", { signal: { aborted: false } }, invalid("signal is an object")],
  [
    "a signal that cannot be left again",
    { signal: { aborted: false, addEventListener() {} } },
    invalid("signal is an object"),
  ],
  ["options that are null", null, invalid("the options", "null", "an object")],
  ["options that are a string", "fast", invalid("the options", '"fast"', "an object")],
  ["options that are a number", 5_000, invalid("the options", "5000", "an object")],
  ["options that are a BigInt", 1n, invalid("the options", "1n", "an object")],
  ["options that are a symbol", Symbol("fast"), invalid("the options", "a symbol", "an object")],
  ["options that are a function", () => {}, invalid("the options", "a function", "an object")],
];

describe.each(Object.entries(waysIn))("%s", (_, claim) => {
  it.each(claimOptions)("refuses %s", async (_, options, refusal) => {
    const bursar = stock();
    expectRefusal(await rejectionOf(claim(bursar, { db: 1 }, options)), refusal);
    expectIntact(bursar);
  });

  it.each(claimOptions)("refuses %s when it would have to wait", async (_, options, refusal) => {
    const bursar = stock();
    const lease = bursar.tryClaim({ db: 2 });
    expectRefusal(await rejectionOf(claim(bursar, { db: 1 }, options)), refusal);
    expect(bursar.waiting).toBe(0);
    lease?.release();
    expectIntact(bursar);
  });
});

it.each([-(2 ** 31), -1, -0, 0, 1, 2 ** 31 - 1])("takes the priority %d", async (priority) => {
  const bursar = stock();
  bursar.tryClaim({ db: 2 });
  const claim = bursar.enqueue({ db: 1 }, { priority });
  expect(bursar.snapshot().claims[1]?.priority).toBe(priority === 0 ? 0 : priority);
  claim.cancel();
});

it.each([0.5, Number.NaN, 2 ** 31, -(2 ** 31) - 1, "1", null])(
  "refuses to change a priority to %s, and leaves it as it was",
  async (priority) => {
    const bursar = stock();
    const lease = bursar.tryClaim({ db: 2 });
    const claim = bursar.enqueue({ db: 2 }, { priority: 3 });
    const error = thrownBy(() => {
      claim.priority = priority as number;
    });
    expectRefusal(error, invalid("priority is", "a whole number from -2^31 to 2^31 - 1"));
    expect([claim.priority, bursar.snapshot().claims[1]?.priority]).toEqual([3, 3]);
    lease?.release();
    (await claim.lease).release();
    expectIntact(bursar);
  },
);

/** Treats long delays as runtimes do: what does not fit into 31 bits goes off at once. */
class OverflowingClock extends ManualClock {
  override setTimeout(callback: () => void, delay: number): unknown {
    return super.setTimeout(callback, delay > 2 ** 31 - 1 ? 1 : delay);
  }
}

describe("a timeout beyond 2^31 ms", () => {
  it.each([2 ** 31, 2 ** 31 + 5, 2 ** 32 + 1, 2 ** 40])("of %d is waited for in full", async (timeout) => {
    const clock = new OverflowingClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    bursar.tryClaim({ db: 1 });
    const claim = bursar.enqueue({ db: 1 }, { timeout });
    clock.advance(timeout - 1);
    expect(claim.state).toBe("waiting");
    const error = rejectionOf(claim.lease);
    clock.advance(1);
    expect(await error).toMatchObject({ code: "CLAIM_TIMEOUT", timeout });
    expect(bursar.waiting).toBe(0);
  });

  it.each([2 ** 53, 1e300, Number.MAX_VALUE, Number.POSITIVE_INFINITY])(
    "of %d is as good as none",
    async (timeout) => {
      const clock = new OverflowingClock();
      const bursar = new Bursar({ db: 1 }, { clock });
      const lease = bursar.tryClaim({ db: 1 });
      const claim = bursar.claim({ db: 1 }, { timeout });
      clock.advance(2 ** 40);
      expect(bursar.waiting).toBe(1);
      lease?.release();
      expect((await claim).ended).toBe(false);
    },
  );
});

it("a ttl beyond 2^31 ms is held in full", async () => {
  const clock = new OverflowingClock();
  const bursar = new Bursar({ db: 1 }, { clock });
  const lease = await bursar.claim({ db: 1 }, { ttl: 2 ** 32 });
  clock.advance(2 ** 32 - 1);
  expect(lease.ended).toBe(false);
  clock.advance(1);
  expect([lease.ended, bursar.available("db")]).toEqual([true, 1]);
});

const range = "a whole number from 0 to 2^32 - 1, or Infinity";
const bounds: [unknown, string][] = [
  [-1, "-1"],
  [0.5, "0.5"],
  [Number.NaN, "NaN"],
  [Number.NEGATIVE_INFINITY, "-Infinity"],
  [2 ** 32, "4294967296"],
  ["1", '"1"'],
  [1n, "1n"],
  [null, "null"],
];

const bursarOptions: [string, unknown, Refusal][] = [
  ...each("order", '"fair", "newest" or "greedy"', [
    ["lifo", '"lifo"'],
    ["Fair", '"Fair"'],
    ["", '""'],
    [0, "0"],
    [null, "null"],
    [["fair"], "an array"],
  ]),
  ...each("maxBypass", range, bounds),
  ...each("maxWaiting", range, bounds),
  ...each("clock", "", [
    [null, "null"],
    ["system", '"system"'],
    [Date.now, "a function"],
    [{}, "an object"],
  ]),
  ["a clock without timers", { clock: { now: () => 0 } }, invalid("clock is an object")],
  ...each("onLeak", "a function", [
    [null, "null"],
    [false, "false"],
    ["report", '"report"'],
    [{}, "an object"],
  ]),
  ["options that are null", null, invalid("the options", "null", "an object")],
  ["options that are a string", "fair", invalid("the options", '"fair"', "an object")],
  ["options that are a function", () => {}, invalid("the options", "a function", "an object")],
];

describe("a new bursar", () => {
  it.each(bursarOptions)("refuses %s", (_, options, refusal) => {
    expectRefusal(
      thrownBy(() => new Bursar({ db: 1 }, options as never)),
      refusal,
    );
  });

  it.each([0, 1, 2 ** 32 - 1, Number.POSITIVE_INFINITY, undefined])("takes the bounds %s", (bound) => {
    const bursar = new Bursar({ db: 1 }, { maxBypass: bound, maxWaiting: bound });
    expect(bursar.tryClaim({ db: 1 })?.ended).toBe(false);
  });

  it("takes options that are undefined as options that are missing", () => {
    const options = { order: undefined, clock: undefined, onLeak: undefined };
    expect(new Bursar({ db: 1 }, options).tryClaim({ db: 1 })?.ended).toBe(false);
  });
});

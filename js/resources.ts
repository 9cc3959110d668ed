// Limits as callers write them: a number is a semaphore, `tokenBucket` and `atMost` are rates.

import { InvalidResourceError } from "./errors.js";
import { shown } from "./text.js";

/** Permits that leases hold and give back. */
export interface Semaphore {
  readonly kind: "semaphore";
  /** 1 to 2^53 - 1. */
  readonly permits: number;
}

/** Tokens that a grant consumes and time refills. */
export interface TokenBucket {
  readonly kind: "tokenBucket";
  /** Units a second, 1e-9 to 2^53 - 1. */
  readonly rate: number;
  /** The most that gather, and that one claim can have: 1 to 2^53 - 1. */
  readonly burst: number;
}

/** A token bucket that never lets more than `units` through in any window of `per` milliseconds. */
export interface AtMost {
  readonly kind: "atMost";
  readonly units: number;
  readonly per: number;
  readonly burst: number;
}

/** What a resource can be: a number of permits, or what the functions of this file make. */
export type ResourceSpec = number | Semaphore | TokenBucket | AtMost;

/** The same, with a number written out. */
export type Limit = Exclude<ResourceSpec, number>;

/**
 * A semaphore: what a plain number stands for.
 *
 * @param permits 1 to 2^53 - 1
 */
export function semaphore(permits: number): Semaphore {
  return { kind: "semaphore", permits };
}

/**
 * A rate: tokens refill continuously, `rate` a second, up to `burst`. It starts full. In any window of t seconds it
 * grants at most `burst + rate * t`.
 *
 * @example
 * const bursar = new Bursar({ api: tokenBucket({ rate: 50, burst: 100 }) });
 */
export function tokenBucket({ rate, burst }: { rate: number; burst: number }): TokenBucket {
  return { kind: "tokenBucket", rate, burst };
}

/**
 * A limit of the form "never more than `units` in any `per` milliseconds": a token bucket that refills at
 * `(units - burst) / per`. What comes at once, the `burst`, is missing from the refill: the smaller it is, the more
 * evenly the units are spread.
 *
 * @param units the most in any window
 * @param options.per the window's length in milliseconds
 * @param options.burst the most at once, below `units`; 1 if not given
 *
 * @example
 * const bursar = new Bursar({ mails: atMost(750, { per: 3_600_000, burst: 10 }) });
 */
export function atMost(units: number, { per, burst = 1 }: { per: number; burst?: number }): AtMost {
  return { kind: "atMost", units, per, burst };
}

const whole = "a whole number from 1 to 2^53 - 1";

/** Checks a name. Half a surrogate pair is no text: two names could become the same one. */
export function nameOf<R extends string>(name: R): R {
  const refuse = () =>
    new InvalidResourceError(
      "",
      `the name is ${shown(name)}; it must be a string of whole characters, and not empty`,
    );
  if (typeof name !== "string" || name === "") throw refuse();
  try {
    encodeURIComponent(name);
  } catch {
    throw refuse();
  }
  return name;
}

/** Checks a spec and writes it out. */
export function limitOf(name: string, spec: unknown): Limit {
  const limit = typeof spec === "number" ? semaphore(spec) : (spec as Limit);
  const check = (ok: boolean, what: string, value: unknown, right: string) => {
    if (!ok) throw new InvalidResourceError(name, `${what} is ${shown(value)}; it must be ${right}`);
  };
  const count = (what: string, value: unknown) => {
    check(Number.isSafeInteger(value) && (value as number) >= 1, what, value, whole);
  };
  switch (limit?.kind) {
    case "semaphore":
      count("the number of permits", limit.permits);
      break;
    case "tokenBucket": {
      const { rate, burst } = limit;
      const inRange = typeof rate === "number" && rate >= 1e-9 && rate <= Number.MAX_SAFE_INTEGER;
      check(inRange, "rate", rate, "a number from 1e-9 to 2^53 - 1 (units a second)");
      count("burst", burst);
      break;
    }
    case "atMost": {
      const { units, per, burst } = limit;
      count("the number of units", units);
      count("burst", burst);
      check(burst < units, "burst", burst, `below ${units}, the units of a window`);
      const inRange = typeof per === "number" && per >= 1e-6 && per <= 1e13;
      check(inRange, "per", per, "from 1e-6 to 1e13 (milliseconds)");
      break;
    }
    default:
      check(false, "the limit", spec, "a number of permits, tokenBucket(...) or atMost(...)");
  }
  return limit;
}

/** A limit as the ledger takes it: its kind and three numbers. See src/js/config.rs. */
export function numbersOf(limit: Limit): [kind: number, x: number, y: number, z: number] {
  switch (limit.kind) {
    case "semaphore":
      return [0, limit.permits, 0, 0];
    case "tokenBucket":
      return [1, limit.rate, limit.burst, 0];
    case "atMost":
      return [2, limit.units, limit.per, limit.burst];
  }
}

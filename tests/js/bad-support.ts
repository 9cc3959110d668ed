// What the tests of bad input share: a bursar, every way for a demand to come in, and the proof that nothing happened.

import {
  Bursar,
  type BursarError,
  type BursarErrorCode,
  type ClaimOptions,
  type Demand,
  ManualClock,
  tokenBucket,
} from "bursar";
import { expect } from "vitest";

const everything = { db: 2, ramMb: 4096, api: 10 };

/** A bursar of every kind of resource, at a moment that does not pass. */
export function stock() {
  const clock = new ManualClock();
  return new Bursar({ db: 2, ramMb: 4096, api: tokenBucket({ rate: 1, burst: 10 }) }, { clock });
}

export type Stock = ReturnType<typeof stock>;

type WayIn = (bursar: Stock, demand: unknown, options?: unknown) => Promise<unknown>;

const never = () => expect.unreachable("the function ran");

/** Each gives a promise that rejects. Only `tryClaim` may throw; what the others throw at once is thrown here too. */
export const waysIn: Record<string, WayIn> = {
  claim: (bursar, demand, options) => bursar.claim(demand as Demand, options as ClaimOptions),
  run: (bursar, demand, options) => bursar.run(demand as Demand, never, options as ClaimOptions),
  enqueue: (bursar, demand, options) => bursar.enqueue(demand as Demand, options as ClaimOptions).lease,
  tryClaim: async (bursar, demand, options) => bursar.tryClaim(demand as Demand, options as ClaimOptions),
};

/** The same, and `claim` and `tryClaim` with options: those take another path. */
export const waysInForDemands: Record<string, WayIn> = {
  ...waysIn,
  "claim with options": (bursar, demand) => bursar.claim(demand as Demand, { priority: 1 }),
  "tryClaim with options": async (bursar, demand) => bursar.tryClaim(demand as Demand, { priority: 1 }),
};

export type ErrorClass = abstract new (...args: never[]) => BursarError;

/** What one kind of refusal looks like. */
export interface Refusal {
  type: ErrorClass;
  code: BursarErrorCode;
  /** Parts of the message. */
  says: readonly (string | RegExp)[];
}

export function expectRefusal(error: unknown, { type, code, says }: Refusal): void {
  expect(error).toBeInstanceOf(type);
  const { message } = error as BursarError;
  expect(error).toMatchObject({ code, name: type.name });
  for (const part of says) expect(message).toMatch(part);
}

/** What a promise rejects with. What is wrong is known at once: it must not take longer than the microtasks. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const rejection = promise.then(
    () => expect.unreachable("it was granted"),
    (error: unknown) => error,
  );
  const later = new Promise((resolve) => setTimeout(resolve, 0)).then(() => expect.unreachable("it waits"));
  return Promise.race([rejection, later]);
}

/** What a function throws. */
export function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return expect.unreachable("it did not throw");
}

/** Nothing is held, nobody waits, and a good claim gets everything there is. */
export function expectIntact(bursar: Stock): void {
  expect(bursar.waiting).toBe(0);
  expect(bursar.snapshot()).toMatchObject({ closed: false, waiting: 0, leases: 0, claims: [] });
  const lease = bursar.tryClaim(everything);
  expect(lease?.ended).toBe(false);
  expect([bursar.available("db"), bursar.available("ramMb"), bursar.available("api")]).toEqual([0, 0, 0]);
  lease?.release();
  expect([bursar.available("db"), bursar.available("ramMb")]).toEqual([2, 4096]);
}

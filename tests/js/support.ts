// Looking at promises and clocks without letting real time pass.

import type { Clock, Lease } from "bursar";

/** Lets everything run that is due now. No timer goes off. */
export async function settle(): Promise<void> {
  for (let step = 0; step < 25; step++) await undefined;
}

/** What has become of a promise by now. */
export async function stateOf(promise: Promise<unknown>): Promise<"pending" | "fulfilled" | "rejected"> {
  let state: "pending" | "fulfilled" | "rejected" = "pending";
  promise.then(
    () => {
      state = "fulfilled";
    },
    () => {
      state = "rejected";
    },
  );
  await settle();
  return state;
}

/** What a promise has been rejected with by now. */
export async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  let reason: unknown = "not rejected";
  promise.then(
    () => {},
    (given: unknown) => {
      reason = given;
    },
  );
  await settle();
  return reason;
}

/** Notes in which order claims are served, by name. */
export class Line {
  readonly served: string[] = [];
  readonly leases = new Map<string, Lease>();

  add(name: string, claim: Promise<Lease>): void {
    claim.then(
      (lease) => {
        this.served.push(name);
        this.leases.set(name, lease);
      },
      () => {},
    );
  }

  /** Gives one back, and says who has been served by then. */
  async release(name: string): Promise<string[]> {
    this.leases.get(name)!.release();
    await settle();
    return this.served;
  }
}

/** A clock whose timers go off only when a test says so, however late that is. */
export class LateClock implements Clock {
  time = 0;
  readonly delays: number[] = [];
  #alarm: (() => void) | undefined;

  now(): number {
    return this.time;
  }

  setTimeout(callback: () => void, delay: number): unknown {
    this.delays.push(delay);
    this.#alarm = callback;
    return callback;
  }

  clearTimeout(timer: unknown): void {
    if (timer === this.#alarm) this.#alarm = undefined;
  }

  /** Whether a timer is set. */
  get armed(): boolean {
    return this.#alarm !== undefined;
  }

  /** Lets the timer go off. */
  ring(): void {
    const alarm = this.#alarm;
    this.#alarm = undefined;
    alarm?.();
  }
}

/** Random numbers that a seed repeats. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }
}

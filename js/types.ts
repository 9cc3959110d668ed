// The shapes that callers write and read.

import type { Clock } from "./clock.js";
import type { ResourceSpec } from "./resources.js";

/** Units of one or more resources, wanted together: whole numbers from 1 to 2^53 - 1. */
export type Demand<R extends string = string> = { readonly [resource in R]?: number };

/** The names of a bursar's resources, and what each is. */
export type Resources<R extends string = string> = { readonly [resource in R]: ResourceSpec };

/** How a claim waits and how long its lease lives. */
export interface ClaimOptions {
  /** The longest wait, in milliseconds; then the claim rejects with `ClaimTimeoutError`. Default: no limit. */
  timeout?: number | undefined;
  /** Aborting it ends the wait; the claim rejects with the signal's reason. A lease that was granted stays. */
  signal?: AbortSignal | undefined;
  /** Higher goes first: a whole number from -2^31 to 2^31 - 1. Default: 0. */
  priority?: number | undefined;
  /** The longest hold, in milliseconds: then the units are taken back and `lease.signal` aborts. Default: no limit. */
  ttl?: number | undefined;
}

/** A lease that its holder forgot: it was garbage-collected without being given back. */
export interface Leak {
  /** What it held. */
  readonly demand: Demand;
  /** Where it was claimed. */
  readonly stack: string;
}

/** An `AsyncLocalStorage` (or an `AsyncContext.Variable`): carries a value along with the code that it was set for. */
export interface Context {
  // biome-ignore lint/suspicious/noExplicitAny: whatever its values are declared to be, this one is the bursar's own
  run<T>(value: any, run: () => T): T;
  getStore?(): unknown;
  get?(): unknown;
}

/** How a bursar treats those who wait. */
export interface BursarOptions {
  /**
   * Who goes first. `fair` (default): higher priority, then first come, first served; a claim that does not fit lets
   * others pass, up to `maxBypass`. `newest`: the newest first within a priority. `greedy`: whoever asks while units
   * are free; starvation is possible.
   */
  order?: "fair" | "newest" | "greedy" | undefined;
  /** How often a claim may be passed before units are kept for it. 0 is strict, `Infinity` no bound. Default: 1,000. */
  maxBypass?: number | undefined;
  /** How many claims may wait; one more rejects with `QueueFullError`. Default: no limit. */
  maxWaiting?: number | undefined;
  /** Where the time comes from: a `ManualClock` in tests. Default: the runtime's monotonic clock. */
  clock?: Clock | undefined;
  /**
   * Called with each lease that was garbage-collected unreleased; its units have been given back. Costs several
   * times the claim itself, and nothing when it is not given.
   */
  onLeak?: ((leak: Leak) => void) | undefined;
  /**
   * An `AsyncLocalStorage` of its own, `new AsyncLocalStorage()`: what a function run by `run` claims is then made under
   * its lease, as by `lease.claim`, wherever in the function's calls it is claimed. Costs each claim the long way, and
   * nothing when it is not given. Several bursars can share one.
   */
  context?: Context | undefined;
}

/** How a resource stands. */
export interface ResourceSnapshot {
  readonly name: string;
  readonly kind: "semaphore" | "tokenBucket";
  /** The most that one claim can have: permits, or burst. */
  readonly capacity: number;
  /** Of a token bucket: units a second. */
  readonly rate?: number;
  /** Units that could be claimed now. */
  readonly available: number;
  /** Units that leases have. A bucket's are spent all the same. */
  readonly held: number;
  /** What must come back before anything is available: held above a capacity that shrank, or use beyond a claim. */
  readonly debt: number;
  /** Claims that wait for it. */
  readonly waiting: number;
  /** The end of a pause, on the bursar's clock. */
  readonly pausedUntil?: number;
}

/** A claim that waits or holds. */
export interface ClaimSnapshot<R extends string = string> {
  readonly state: "waiting" | "granted";
  readonly demand: Demand<R>;
  readonly priority: number;
  /** How often it was passed while it was the first of those that want the same; 0 where there is no bound. */
  readonly bypassed: number;
  /** Whether units are being kept for it. */
  readonly barrier: boolean;
  /** When its wait, or its lease, ends, on the bursar's clock. */
  readonly deadline?: number;
}

/** A whole bursar, for people and dashboards. */
export interface Snapshot<R extends string = string> {
  readonly order: "fair" | "newest" | "greedy";
  readonly closed: boolean;
  /** How many claims wait. */
  readonly waiting: number;
  /** How many leases there are. */
  readonly leases: number;
  readonly resources: readonly ResourceSnapshot[];
  /** By arrival. */
  readonly claims: readonly ClaimSnapshot<R>[];
}

/// <reference lib="esnext.disposable" preserve="true" />
// The package's exports. Importing them does nothing: the ledger is compiled when the first bursar is made.

export { Bursar } from "./bursar.js";
export type { Claim } from "./claim.js";
export { type Clock, ManualClock } from "./clock.js";
export * from "./errors.js";
export type { Lease } from "./lease.js";
export { type AnyBursar, NoopBursar } from "./noop.js";
export {
  type AtMost,
  atMost,
  type Limit,
  type ResourceSpec,
  type Semaphore,
  semaphore,
  type TokenBucket,
  tokenBucket,
} from "./resources.js";
export type {
  BursarOptions,
  ClaimOptions,
  ClaimSnapshot,
  Context,
  Demand,
  Leak,
  ResourceSnapshot,
  Resources,
  Snapshot,
} from "./types.js";

// A claim that its caller can steer while it waits.

import type { Core } from "./core.js";
import { CancelledError } from "./errors.js";
import type { Lease } from "./lease.js";
import type { Demand } from "./types.js";
import { calls, readNumbers } from "./wasm.js";

/** What `bursar.enqueue` gives: the lease to be, and the means to ask about it and to change one's mind. */
export class Claim<R extends string = string> {
  /** The lease. Rejects as `bursar.claim` does, and with `CancelledError` after `cancel()`. */
  readonly lease: Promise<Lease<R>>;
  readonly #core: Core;
  readonly #lease: Lease | undefined;
  #priority: number;

  /** @internal */
  constructor(core: Core, lease: Lease | undefined, promise: Promise<Lease<R>>, priority: number) {
    this.#core = core;
    this.#lease = lease;
    this.lease = promise;
    this.#priority = priority;
  }

  /** `waiting`; `granted`, from then on; or `ended` without having been granted. */
  get state(): "waiting" | "granted" | "ended" {
    if (this.#lease === undefined) return "ended";
    if (this.#lease._resolve !== undefined) return "waiting";
    return this.#lease._extra?.granted ? "granted" : "ended";
  }

  /** How many claims are before this one; `undefined` once it does not wait. Costs a look at every waiting claim. */
  get position(): number | undefined {
    if (this.state !== "waiting") return undefined;
    return calls.position(this.#core.pointer, this.#lease!._slot);
  }

  /** What keeps it waiting: units that are missing, by resource. Empty once it does not wait. */
  get shortOf(): Demand<R> {
    if (this.state !== "waiting") return {};
    if (this.#core.clocked) this.#core.tellTime();
    const { pointer, names } = this.#core;
    const short = readNumbers(pointer, calls.shortage(pointer, this.#lease!._slot));
    const pairs: [string, number][] = [];
    for (let at = 0; at < short.length; at += 2) pairs.push([names[short[at]!]!, short[at + 1]!]);
    return Object.fromEntries(pairs) as Demand<R>;
  }

  /** Higher goes first. Can be changed while it waits; it keeps its place among those of its new priority. */
  get priority(): number {
    return this.#priority;
  }

  set priority(priority: number) {
    if (this.#lease !== undefined) this.#core.setPriority(this.#lease, priority);
    this.#priority = priority;
  }

  /**
   * Ends the wait: `lease` rejects with `reason`, or with a `CancelledError`.
   *
   * @returns whether it was still waiting; a lease that was granted is its holder's to release
   */
  cancel(reason?: unknown): boolean {
    if (this.state !== "waiting") return false;
    // It may turn out to have been served, or to be over, when the ledger is told the time.
    this.#core.catchUp();
    if (this.state !== "waiting") return false;
    // Whoever cancels knows: nobody need listen to the promise any more.
    this.lease.catch(() => {});
    this.#core.abandon([this.#lease!], reason ?? new CancelledError());
    return true;
  }
}

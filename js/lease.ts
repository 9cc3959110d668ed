// What a granted claim hands its caller.

import type { Core } from "./core.js";
import { LeaseExpiredError, TicketError } from "./errors.js";
import { claimUnder, runUnder } from "./nested.js";
import type { SharedSignal } from "./signals.js";
import type { ClaimOptions, Demand } from "./types.js";
import { release } from "./wasm.js";

/** In place of the slot once a claim or lease has ended. */
export const ENDED = -1;

/** What only some claims have: kept apart, so that the others stay small. */
export interface Extra {
  /** What it wants, for messages: resource and units in turn. */
  pairs: number[];
  timeout: number;
  ttl: number;
  signal?: SharedSignal;
  /** Of `lease.signal`, once somebody asked for it. */
  controller?: AbortController;
  lapsed: boolean;
  /** Whether it waits no more because it was served. */
  granted: boolean;
}

/**
 * Units that are yours until you give them back: by `release()`, or at the end of a block with `using`.
 *
 * Giving back twice throws, so that a mistake is seen; disposing twice does not.
 */
export class Lease<R extends string = string> {
  /** @internal */
  readonly _core: Core;
  /** @internal While it waits. */
  _resolve: ((lease: Lease<R> | Promise<never>) => void) | undefined = undefined;
  /** @internal */
  _extra: Extra | undefined = undefined;
  /** @internal Where the ledger keeps it, small and unique among those that wait or hold. */
  _slot = ENDED;

  /** @internal */
  constructor(core: Core) {
    this._core = core;
  }

  /**
   * Gives back everything, or a part: permits of semaphores. Tokens are spent; see `settle`.
   *
   * @throws TicketError if the lease has ended, or does not have that much
   */
  release(part?: Demand<R>): void {
    const core = this._core;
    const slot = this._slot;
    if (slot < 0) throw this._endedError();
    if (part !== undefined) {
      core.give("release_part", this, part, 1);
      return;
    }
    this._slot = ENDED;
    if (core.quiet && this._extra === undefined) {
      // Nearly all: the ledger is all there is to tell.
      const result = release(core.pointer, slot);
      if (result !== -1) core.handle(result);
      return;
    }
    if (core.clocked) core.tellTime();
    core.handle(release(core.pointer, slot));
    core.ended(this, slot);
  }

  /**
   * Corrects what was taken from token buckets, now that the true use is known: what was reserved and not used goes
   * back to the bucket; what was used beyond it is a debt that the refill pays first.
   *
   * It may be corrected again, except after 0: then the lease has nothing of that bucket any more.
   *
   * @param used units really used of buckets that the claim named, 0 or more
   * @throws TicketError if the lease has ended, or has nothing of that bucket
   */
  settle(used: Demand<R>): void {
    if (this._slot < 0) throw this._endedError();
    this._core.give("settle_use", this, used, 0);
  }

  /**
   * Claims more under this lease, for work that needs it to get on: before all claims that were not made under a lease,
   * whatever their priority. If it would wait for ever, because leases wait for each other, it rejects with
   * `DeadlockError` instead; nothing is rejected that a lease still at work, a `timeout` or a `ttl` can free.
   *
   * Never throws. If this lease ends first, the claim goes on without it; if it has ended, the promise rejects.
   */
  claim(demand: Demand<R>, options?: Omit<ClaimOptions, "priority">): Promise<Lease<R>> {
    return claimUnder(this, demand, options);
  }

  /**
   * The same without waiting: `undefined` if it is not granted at once.
   *
   * @throws what `claim` rejects with, at once
   */
  tryClaim(demand: Demand<R>, options?: Pick<ClaimOptions, "ttl">): Lease<R> | undefined {
    return this._core.submit(demand, options, false, this as Lease) as Lease<R> | undefined;
  }

  /** Runs a function under a lease that is claimed under this one, and given back afterwards: see `bursar.run`. */
  async run<T>(
    demand: Demand<R>,
    run: (lease: Lease<R>) => T | PromiseLike<T>,
    options?: Omit<ClaimOptions, "priority">,
  ): Promise<T> {
    return runUnder(await claimUnder(this, demand, options), run);
  }

  /** Whether it was given back, or its `ttl` has passed. */
  get ended(): boolean {
    return this._slot < 0;
  }

  /** Aborts, with a `LeaseExpiredError`, when the lease's `ttl` passes before it is given back. */
  get signal(): AbortSignal {
    this._extra ??= this._core.noExtra();
    const extra = this._extra;
    if (extra.controller === undefined) {
      extra.controller = new AbortController();
      if (extra.lapsed) extra.controller.abort(new LeaseExpiredError(extra.ttl));
    }
    return extra.controller.signal;
  }

  /** Gives back what is left, if anything is: for `using`. */
  [Symbol.dispose](): void {
    if (this._slot >= 0) this.release();
  }

  /** The same for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this[Symbol.dispose]();
  }

  /** @internal */
  _endedError(): TicketError {
    const { lapsed, ttl } = this._extra ?? { lapsed: false };
    return new TicketError(
      lapsed
        ? `the lease has ended: its time to live of ${ttl} ms passed and its units were taken back`
        : "the lease has ended: everything was given back before",
    );
  }
}

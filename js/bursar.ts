// The class that callers use.

import { Claim } from "./claim.js";
import { systemClock } from "./clock.js";
import { Core } from "./core.js";
import { InvalidResourceError } from "./errors.js";
import { Lease } from "./lease.js";
import { runIn } from "./nested.js";
import { clockOf, contextOf, onLeakOf, onlyPriorityOf, optionsOf, policyOf, priorityOf } from "./options.js";
import { limitOf, nameOf, type ResourceSpec } from "./resources.js";
import { snapshotOf } from "./snapshot.js";
import { shown } from "./text.js";
import type { BursarOptions, ClaimOptions, Demand, Resources, Snapshot } from "./types.js";
import { calls, claim1, claim2, claim3 } from "./wasm.js";

const hasOwn = Object.prototype.hasOwnProperty;

/**
 * One ledger for everything a program must not overspend. Claim slots, connections, memory and rates in one call: you
 * get all of it or wait your turn, and give it back.
 *
 * Waiting claims are served by priority, then in the order in which they came. One that does not fit lets others
 * pass, so that work which does not need the short resource flows on, but no more than `maxBypass` times: then units
 * are kept for it until it is served.
 *
 * @example
 * const bursar = new Bursar({ db: 2, ramMb: 4096, api: tokenBucket({ rate: 50, burst: 100 }) });
 *
 * const body = await bursar.run({ db: 1, api: 1 }, () => query());
 *
 * {
 *   using lease = await bursar.claim({ ramMb: 512 }, { timeout: 5_000 });
 *   await work();
 * } // given back here
 */
export class Bursar<R extends string = string> {
  /** @internal */
  readonly _core: Core;

  /**
   * @param resources what there is, by name: a number of permits, `tokenBucket(...)` or `atMost(...)`
   * @throws InvalidResourceError, InvalidOptionError
   */
  constructor(resources: Resources<R>, options?: BursarOptions) {
    const given = optionsOf(options);
    const policy = policyOf(given);
    if (typeof resources !== "object" || resources === null) {
      throw new InvalidResourceError("", `the resources are ${shown(resources)}; they must be an object`);
    }
    const limits = Object.entries(resources).map(
      ([name, spec]) => [nameOf(name), limitOf(name, spec)] as const,
    );
    if (limits.length === 0) throw new InvalidResourceError("", "there are no resources; name at least one");
    this._core = new Core(policy, clockOf(given) ?? systemClock(), onLeakOf(given), contextOf(given));
    for (const [name, limit] of limits) this._core.define(name, limit);
  }

  /**
   * Claims units of one or more resources: all of them, at once or after a wait.
   *
   * Never throws: what is wrong with the demand or the options rejects the promise.
   */
  claim(demand: Demand<R>, options?: ClaimOptions): Promise<Lease<R>> {
    const core = this._core;
    // This is the path that most claims take, laid out for the engine: everything in local variables, and each
    // position's name looked up at a place of its own, so that the look-up stays monomorphic.
    let count = 0;
    let a = 0;
    let b = 0;
    let c = 0;
    let x = 0;
    let y = 0;
    let z = 0;
    let priority = 0;
    const { version } = core;
    try {
      if (options !== undefined) priority = onlyPriorityOf(options);
      if (core.plain && typeof demand === "object") {
        for (const name in demand) {
          if (!hasOwn.call(demand, name)) continue;
          const units: unknown = demand[name];
          if (!Number.isSafeInteger(units) || (units as number) < 1) {
            count = 4;
            break;
          }
          let id: number | undefined;
          if (count === 0) {
            id = core.ids[name];
            a = id as number;
            x = units as number;
          } else if (count === 1) {
            id = core.ids[name];
            b = id as number;
            y = units as number;
          } else if (count === 2) {
            id = core.ids[name];
            c = id as number;
            z = units as number;
          }
          count++;
          if (id === undefined) {
            count = 4;
            break;
          }
        }
      }
    } catch (error) {
      return Promise.reject(error);
    }
    if (core.version !== version || Number.isNaN(priority) || count === 0 || count > 3) {
      return this.#claimSlowly(demand, options);
    }
    if (core.clocked) core.tellTime();
    // While somebody waits the short way leads nowhere.
    if (priority === 0 && core.waiting === 0) {
      let result: number;
      if (count === 1) result = claim1(core.pointer, a, x);
      else if (count === 2) result = claim2(core.pointer, a, x, b, y);
      else result = claim3(core.pointer, a, x, b, y, c, z);
      if (result >= 0) {
        const lease = new Lease<R>(core);
        // Last of all before the promise: the engine then need not look for a `then` in the lease.
        lease._slot = result;
        return Promise.resolve(lease);
      }
    }
    return core.park(priority, a, x, b, y, c, z) as Promise<Lease<R>>;
  }

  #claimSlowly(demand: Demand<R>, options: ClaimOptions | undefined): Promise<Lease<R>> {
    try {
      return this._core.promised(this._core.submit(demand, options, true)!) as Promise<Lease<R>>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Claims without waiting: the lease if the units are free and nobody is entitled to them first, else `undefined`.
   *
   * @throws what `claim` rejects with, at once
   */
  tryClaim(demand: Demand<R>, options?: Pick<ClaimOptions, "priority" | "ttl">): Lease<R> | undefined {
    const core = this._core;
    let count = 0;
    let a = 0;
    let b = 0;
    let c = 0;
    let x = 0;
    let y = 0;
    let z = 0;
    const { version } = core;
    if (options === undefined && core.plain && typeof demand === "object") {
      for (const name in demand) {
        if (!hasOwn.call(demand, name)) continue;
        const units: unknown = demand[name];
        if (!Number.isSafeInteger(units) || (units as number) < 1) {
          count = 4;
          break;
        }
        let id: number | undefined;
        if (count === 0) {
          id = core.ids[name];
          a = id as number;
          x = units as number;
        } else if (count === 1) {
          id = core.ids[name];
          b = id as number;
          y = units as number;
        } else if (count === 2) {
          id = core.ids[name];
          c = id as number;
          z = units as number;
        }
        count++;
        if (id === undefined) {
          count = 4;
          break;
        }
      }
    }
    if (core.version !== version || count === 0 || count > 3) {
      return core.submit(demand, options, false) as Lease<R> | undefined;
    }
    if (core.clocked) core.tellTime();
    let result: number;
    if (count === 1) result = claim1(core.pointer, a, x);
    else if (count === 2) result = claim2(core.pointer, a, x, b, y);
    else result = claim3(core.pointer, a, x, b, y, c, z);
    if (result < 0) return core.attempt(a, x, b, y, c, z) as Lease<R> | undefined;
    const lease = new Lease<R>(core);
    lease._slot = result;
    return lease;
  }

  /**
   * Runs a function under a lease, which is given back when the function's promise settles, or when it throws. Where
   * the units are free the function starts at once.
   *
   * @param run gets the lease; `lease.signal` aborts if its `ttl` passes. What it claims of this bursar is claimed under
   * the lease if the bursar has a `context`; else that is for `lease.claim`.
   * @returns what the function returns
   */
  async run<T>(
    demand: Demand<R>,
    run: (lease: Lease<R>) => T | PromiseLike<T>,
    options?: ClaimOptions,
  ): Promise<T> {
    // To try first is the short way, and comes to the same.
    let lease = options === undefined ? this.tryClaim(demand) : undefined;
    lease ??= await this.claim(demand, options);
    const { context } = this._core;
    try {
      return await (context === undefined ? run(lease) : runIn(context, lease, run));
    } finally {
      lease[Symbol.dispose]();
    }
  }

  /**
   * The same as `claim`, with a handle to steer it by while it waits: its priority, its position, what it is short
   * of, and `cancel`.
   */
  enqueue(demand: Demand<R>, options?: ClaimOptions): Claim<R> {
    try {
      const core = this._core;
      const priority = priorityOf(optionsOf(options).priority);
      const lease = core.submit(demand, options, true)!;
      lease._extra ??= core.noExtra();
      lease._extra.granted = lease._resolve === undefined;
      const promise = core.promised(lease) as Promise<Lease<R>>;
      return new Claim(core, lease, promise, priority);
    } catch (error) {
      return new Claim(this._core, undefined, Promise.reject(error), 0);
    }
  }

  // ---- resources

  /**
   * Sets a resource's limit, at once. A semaphore that shrinks below what is held owes the difference: releases pay
   * it. Waiting claims that can never fit any more reject with `ExceedsCapacityError`. A bucket keeps its level.
   */
  resize(name: R, spec: ResourceSpec): void {
    this._core.resize(name, limitOf(name, spec));
  }

  /** Adds a resource. Names beyond the constructor's need a `Bursar<string>`. */
  define(name: R, spec: ResourceSpec): void {
    this._core.define(nameOf(name), limitOf(name, spec));
  }

  /** Takes a resource away. Claims that wait for it reject with `ResourceRemovedError`; leases are released as ever. */
  remove(name: R): void {
    this._core.remove(name);
  }

  /** Grants nothing from a resource for some milliseconds, as a server's `Retry-After` asks. 0 ends a pause. */
  pause(name: R, milliseconds: number): void {
    this._core.pause(name, milliseconds);
  }

  /** Sets what a token bucket holds: what a server says remains. */
  setLevel(name: R, units: number): void {
    this._core.setLevel(name, units);
  }

  // ---- looking

  /** The most that one claim can have: permits, or a bucket's burst. */
  capacity(name: R): number {
    return this._core.capacity(name);
  }

  /** Units that could be claimed now, if nobody else wanted any. */
  available(name: R): number {
    return this._core.available(name);
  }

  /** Units that leases have. */
  held(name: R): number {
    return this._core.held(name);
  }

  /** How many claims wait. */
  get waiting(): number {
    return calls.waiting(this._core.pointer);
  }

  /** Everything there is to see: resources, and each claim that waits or holds. */
  snapshot(): Snapshot<R> {
    if (this._core.clocked) this._core.tellTime();
    return snapshotOf<R>(this._core);
  }

  // ---- ending

  /** Resolves when nobody waits and nobody holds anything; at once if that is so now. */
  idle(): Promise<void> {
    return this._core.idle();
  }

  /**
   * Refuses new claims with `ClosedError`. Waiting ones reject with it too, or are served first with `drain`.
   *
   * @returns resolves when every lease has been given back
   */
  shutdown(options?: { drain?: boolean | undefined }): Promise<void> {
    this._core.close(options?.drain === true);
    return this._core.idle();
  }
}

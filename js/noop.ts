// A bursar without limits, for tests of code that uses one.

import type { Bursar } from "./bursar.js";
import type { Claim } from "./claim.js";
import type { Lease } from "./lease.js";
import type { ClaimOptions, Demand, Resources, Snapshot } from "./types.js";

/** What `Bursar` and `NoopBursar` have in common: type a parameter with it to accept both. */
export type AnyBursar<R extends string = string> = Pick<Bursar<R>, Exclude<keyof Bursar<R>, "_core">>;

/** The part of a lease that is seen. */
class NoopLease {
  #ended = false;
  #controller: AbortController | undefined;

  get ended(): boolean {
    return this.#ended;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  async claim(_demand: Demand, options?: ClaimOptions): Promise<NoopLease> {
    options?.signal?.throwIfAborted();
    return new NoopLease();
  }

  tryClaim(): NoopLease {
    return new NoopLease();
  }

  async run<T>(_demand: Demand, run: (lease: Lease) => T | PromiseLike<T>): Promise<T> {
    const lease = new NoopLease();
    try {
      return await run(lease as unknown as Lease);
    } finally {
      lease[Symbol.dispose]();
    }
  }

  release(part?: Demand): void {
    if (part === undefined) this.#ended = true;
  }

  settle(): void {}

  [Symbol.dispose](): void {
    this.#ended = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
  }
}

/**
 * A bursar without limits and without Wasm: every claim is granted at once, whatever it names. For tests of code that
 * takes a bursar.
 */
export class NoopBursar<R extends string = string> implements AnyBursar<R> {
  /** The resources are taken for their names' types only. */
  // biome-ignore lint/complexity/noUselessConstructor: so that it takes what Bursar takes
  constructor(_resources?: Resources<R>, _options?: object) {}

  async claim(_demand: Demand<R>, options?: ClaimOptions): Promise<Lease<R>> {
    options?.signal?.throwIfAborted();
    return this.tryClaim();
  }

  tryClaim(): Lease<R> {
    return new NoopLease() as unknown as Lease<R>;
  }

  async run<T>(
    demand: Demand<R>,
    run: (lease: Lease<R>) => T | PromiseLike<T>,
    options?: ClaimOptions,
  ): Promise<T> {
    const lease = await this.claim(demand, options);
    try {
      return await run(lease);
    } finally {
      lease[Symbol.dispose]();
    }
  }

  enqueue(demand: Demand<R>, options?: ClaimOptions): Claim<R> {
    const lease = this.claim(demand, options);
    const claim = {
      lease,
      state: "granted",
      position: undefined,
      shortOf: {},
      priority: options?.priority ?? 0,
    };
    return { ...claim, cancel: () => false } as unknown as Claim<R>;
  }

  resize(): void {}
  define(): void {}
  remove(): void {}
  pause(): void {}
  setLevel(): void {}

  capacity(): number {
    return Number.MAX_SAFE_INTEGER;
  }

  available(): number {
    return Number.MAX_SAFE_INTEGER;
  }

  held(): number {
    return 0;
  }

  get waiting(): number {
    return 0;
  }

  snapshot(): Snapshot<R> {
    return { order: "fair", closed: false, waiting: 0, leases: 0, resources: [], claims: [] };
  }

  async idle(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

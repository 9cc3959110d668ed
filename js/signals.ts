// Abort signals: one listener per signal, however many claims wait under it, and none once the last has ended.

import type { Lease } from "./lease.js";

class SharedSignal {
  readonly signal: AbortSignal;
  readonly waiting = new Set<Lease>();

  constructor(signal: AbortSignal) {
    this.signal = signal;
    signal.addEventListener("abort", this);
  }

  handleEvent(): void {
    const { reason } = this.signal;
    // A claim may turn out to be served, or over, when its bursar is told the time: then it leaves the set.
    for (const core of new Set([...this.waiting].map((lease) => lease._core))) core.catchUp();
    const leases = [...this.waiting];
    for (const core of new Set(leases.map((lease) => lease._core))) {
      core.abandon(
        leases.filter((lease) => lease._core === core),
        reason,
      );
    }
  }

  remove(lease: Lease): void {
    if (this.waiting.delete(lease) && this.waiting.size === 0) this.#end();
  }

  #end(): void {
    this.signal.removeEventListener("abort", this);
    shared?.delete(this.signal);
  }
}

export type { SharedSignal };

let shared: WeakMap<AbortSignal, SharedSignal> | undefined;

/** Ends the wait of this claim when the signal aborts, unless it is removed before. */
export function watch(signal: AbortSignal, lease: Lease): SharedSignal {
  shared ??= new WeakMap();
  let entry = shared.get(signal);
  if (entry === undefined) {
    entry = new SharedSignal(signal);
    shared.set(signal, entry);
  }
  entry.waiting.add(lease);
  return entry;
}

// Leases that were forgotten: only where somebody asked to be told.

import type { Lease } from "./lease.js";
import type { Demand, Leak } from "./types.js";

/** What is known of a lease without keeping it alive. */
interface Held extends Leak {
  readonly slot: number;
}

export type LeakWatch = FinalizationRegistry<Held>;

/** Watches leases. `takeBack` gives back what the claim in a slot has. */
export function leakWatch(onLeak: (leak: Leak) => void, takeBack: (slot: number) => void): LeakWatch {
  return new FinalizationRegistry<Held>(({ slot, demand, stack }) => {
    takeBack(slot);
    onLeak({ demand, stack });
  });
}

export function remember(watch: LeakWatch, lease: Lease, slot: number, demand: Demand): void {
  const stack = new Error("claimed here").stack ?? "";
  watch.register(lease, { slot, demand, stack }, lease);
}

export function forget(watch: LeakWatch, lease: Lease): void {
  watch.unregister(lease);
}

// Leases that were forgotten: only where somebody asked to be told.

import type { Lease } from "./lease.js";
import type { Demand, Leak } from "./types.js";

/** What is known of a lease without keeping it alive. */
interface Held extends Leak {
  readonly ticket: number;
}

export type LeakWatch = FinalizationRegistry<Held>;

/** Watches leases. `takeBack` gives a ticket's units back. */
export function leakWatch(onLeak: (leak: Leak) => void, takeBack: (ticket: number) => void): LeakWatch {
  return new FinalizationRegistry<Held>(({ ticket, demand, stack }) => {
    takeBack(ticket);
    onLeak({ demand, stack });
  });
}

export function remember(watch: LeakWatch, lease: Lease, ticket: number, demand: Demand): void {
  const stack = new Error("claimed here").stack ?? "";
  watch.register(lease, { ticket, demand, stack }, lease);
}

export function forget(watch: LeakWatch, lease: Lease): void {
  watch.unregister(lease);
}

// The ledger's own report, with names in place of numbers. src/js/inspect.rs says how it is laid out.

import type { Core } from "./core.js";
import type { ClaimSnapshot, Demand, ResourceSnapshot, Snapshot } from "./types.js";
import { calls, readNumbers } from "./wasm.js";

export function snapshotOf<R extends string>(core: Core): Snapshot<R> {
  const numbers = readNumbers(core.pointer, calls.snapshot(core.pointer));
  let at = 0;
  const next = () => numbers[at++]!;
  const closed = next() === 1;
  const resources = Array.from({ length: next() }, () => resourceOf(core, next));
  const claims: ClaimSnapshot<R>[] = [];
  while (at < numbers.length) claims.push(claimOf(core, next));
  const waiting = claims.filter((claim) => claim.state === "waiting").length;
  return { order: core.order, closed, waiting, leases: claims.length - waiting, resources, claims };
}

function resourceOf(core: Core, next: () => number): ResourceSnapshot {
  const name = core.names[next()]!;
  const kind = next() === 0 ? "semaphore" : "tokenBucket";
  const [capacity, rate, available, held, debt, waiting, pausedUntil] = Array.from(
    { length: 7 },
    next,
  ) as Row<7>;
  return {
    name,
    kind,
    capacity,
    ...(Number.isNaN(rate) ? {} : { rate }),
    ...{ available, held, debt, waiting },
    ...(Number.isNaN(pausedUntil) ? {} : { pausedUntil }),
  };
}

function claimOf<R extends string>(core: Core, next: () => number): ClaimSnapshot<R> {
  const [granted, priority, bypassed, barrier, deadline, length] = Array.from({ length: 6 }, next) as Row<6>;
  const pairs = Array.from({ length }, () => [core.names[next()] ?? "", next()] as const);
  return {
    state: granted === 1 ? "granted" : "waiting",
    demand: Object.fromEntries(pairs) as Demand<R>,
    ...{ priority, bypassed, barrier: barrier === 1 },
    ...(deadline === Number.POSITIVE_INFINITY ? {} : { deadline }),
  };
}

type Row<N extends number, T extends number[] = []> = T["length"] extends N ? T : Row<N, [...T, number]>;

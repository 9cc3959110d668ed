// The ledger's own report, with names in place of numbers. src/js/inspect.rs says how it is laid out.

import type { Core } from "./core.js";
import type { ClaimSnapshot, Demand, ResourceSnapshot, Snapshot } from "./types.js";
import { calls, readNumbers } from "./wasm.js";

export function snapshotOf<R extends string>(core: Core): Snapshot<R> {
  const { pointer } = core;
  const resources: ResourceSnapshot[] = [];
  for (const [id, name] of core.names.entries()) {
    const numbers = readNumbers(pointer, calls.status(pointer, id));
    if (numbers.length > 0) resources.push(resourceOf(name!, numbers as Row<7>));
  }
  const numbers = readNumbers(pointer, calls.snapshot(pointer));
  let at = 0;
  const next = () => numbers[at++]!;
  const claims: ClaimSnapshot<R>[] = [];
  while (at < numbers.length) claims.push(claimOf(core, next));
  const waiting = claims.filter((claim) => claim.state === "waiting").length;
  const closed = calls.is_closed(pointer) === 1;
  return { order: core.order, closed, waiting, leases: claims.length - waiting, resources, claims };
}

function resourceOf(name: string, numbers: Row<7>): ResourceSnapshot {
  const [capacity, rate, available, held, debt, waiting, pausedUntil] = numbers;
  return {
    name,
    kind: rate === 0 ? "semaphore" : "tokenBucket",
    capacity,
    ...(rate === 0 ? {} : { rate }),
    ...{ available, held, debt, waiting },
    ...(pausedUntil === 0 ? {} : { pausedUntil }),
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

// Claims made under a lease: the lease that was named, or the one that the code which claims runs under, where a
// context carries that along.

import type { Core } from "./core.js";
import type { Lease } from "./lease.js";
import type { ClaimOptions, Context, Demand } from "./types.js";

/** What the context carries: a lease that code runs under, and those around it, perhaps of other bursars. */
class Frame {
  readonly lease: Lease;
  readonly outer: Frame | undefined;

  constructor(lease: Lease, outer: Frame | undefined) {
    this.lease = lease;
    this.outer = outer;
  }
}

function frameOf(context: Context): Frame | undefined {
  const carried = context.getStore === undefined ? context.get?.() : context.getStore();
  return carried instanceof Frame ? carried : undefined;
}

/** The innermost lease of this bursar that the caller runs under, if it has not ended. */
export function ownerIn(context: Context, core: Core): Lease | undefined {
  let frame = frameOf(context);
  while (frame !== undefined && (frame.lease._core !== core || frame.lease._slot < 0)) frame = frame.outer;
  return frame?.lease;
}

/** Runs a function such that what it claims is claimed under the lease. */
export function runIn<R extends string, T>(
  context: Context,
  lease: Lease<R>,
  run: (lease: Lease<R>) => T | PromiseLike<T>,
): T | PromiseLike<T> {
  return context.run(new Frame(lease as Lease, frameOf(context)), () => run(lease));
}

export function claimUnder<R extends string>(
  owner: Lease<R>,
  demand: Demand<R>,
  options: Omit<ClaimOptions, "priority"> | undefined,
): Promise<Lease<R>> {
  const core = owner._core;
  try {
    return core.promised(core.submit(demand, options, true, owner as Lease)!) as Promise<Lease<R>>;
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Runs a function under a lease, which is given back when the function's promise settles, or when it throws. */
export async function runUnder<R extends string, T>(
  lease: Lease<R>,
  run: (lease: Lease<R>) => T | PromiseLike<T>,
): Promise<T> {
  const { context } = lease._core;
  try {
    return await (context === undefined ? run(lease) : runIn(context, lease, run));
  } finally {
    lease[Symbol.dispose]();
  }
}

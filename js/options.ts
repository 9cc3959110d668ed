// Checks of what callers pass beside a demand.

import type { Clock } from "./clock.js";
import { InvalidOptionError } from "./errors.js";
import { shown } from "./text.js";
import type { BursarOptions, ClaimOptions, Context } from "./types.js";

function fail(option: string, value: unknown, right: string): never {
  throw new InvalidOptionError(`${option} is ${shown(value)}; it must be ${right}`);
}

function milliseconds(option: string, value: unknown, least: string, ok: (value: number) => boolean): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (typeof value !== "number" || !ok(value)) fail(option, value, `a number of milliseconds, ${least}`);
  return value;
}

/** The longest wait in milliseconds; infinity where there is no limit. */
export function timeoutOf(options: ClaimOptions): number {
  return milliseconds("timeout", options.timeout, "0 or more", (value) => value >= 0);
}

/** The longest hold in milliseconds; infinity where there is no limit. */
export function ttlOf(options: ClaimOptions): number {
  return milliseconds("ttl", options.ttl, "above 0", (value) => value > 0);
}

export function priorityOf(priority: unknown): number {
  if (priority === undefined) return 0;
  if (typeof priority !== "number" || (priority | 0) !== priority) {
    fail("priority", priority, "a whole number from -2^31 to 2^31 - 1");
  }
  return priority;
}

/** The priority, where that is all that is asked for, else `NaN`. */
export function onlyPriorityOf(options: ClaimOptions): number {
  if (typeof options !== "object" || options === null) return Number.NaN;
  const { priority, timeout, ttl, signal } = options;
  if (timeout !== undefined || ttl !== undefined || signal !== undefined) return Number.NaN;
  if (priority === undefined) return 0;
  return typeof priority === "number" && (priority | 0) === priority ? priority : Number.NaN;
}

export function signalOf(options: ClaimOptions): AbortSignal | undefined {
  const signal: unknown = options.signal;
  if (signal === undefined) return undefined;
  const { aborted, addEventListener, removeEventListener } = (signal ?? {}) as AbortSignal;
  const listens = typeof addEventListener === "function" && typeof removeEventListener === "function";
  if (typeof aborted !== "boolean" || !listens) {
    fail("signal", signal, "an AbortSignal");
  }
  return signal as AbortSignal;
}

/** Options are an object, or were left out. */
export function optionsOf<T extends object>(options: T | undefined): T {
  if (options === undefined) return {} as T;
  if (typeof options !== "object" || options === null) fail("the options", options, "an object");
  return options;
}

/** By the ledger's number. */
export const ORDERS = ["fair", "newest", "greedy"] as const;

/** The part of a bursar's options that the ledger itself is told. */
export interface Policy {
  order: (typeof ORDERS)[number];
  maxBypass: number;
  maxWaiting: number;
}

export function clockOf(options: BursarOptions): Clock | undefined {
  const { clock } = options;
  if (clock === undefined) return undefined;
  const { now, setTimeout, clearTimeout } = (clock ?? {}) as Clock;
  if (![now, setTimeout, clearTimeout].every((part) => typeof part === "function")) {
    fail("clock", clock, "an object with now, setTimeout and clearTimeout");
  }
  return clock;
}

export function contextOf(options: BursarOptions): Context | undefined {
  const { context } = options;
  if (context === undefined) return undefined;
  const { run, getStore, get } = (context ?? {}) as Context;
  if (typeof run !== "function" || typeof (getStore ?? get) !== "function") {
    fail("context", context, "an AsyncLocalStorage, or another object with run and getStore or get");
  }
  return context;
}

export function onLeakOf(options: BursarOptions): BursarOptions["onLeak"] {
  const { onLeak } = options;
  if (onLeak !== undefined && typeof onLeak !== "function") fail("onLeak", onLeak, "a function");
  return onLeak;
}

export function policyOf(options: BursarOptions): Policy {
  const { order = "fair", maxBypass = 1_000, maxWaiting = Number.POSITIVE_INFINITY } = options;
  if (!ORDERS.includes(order)) fail("order", order, '"fair", "newest" or "greedy"');
  const right = "a whole number from 0 to 2^32 - 1, or Infinity";
  if (!isBound(maxBypass)) fail("maxBypass", maxBypass, right);
  if (!isBound(maxWaiting)) fail("maxWaiting", maxWaiting, right);
  return { order, maxBypass, maxWaiting };
}

function isBound(value: unknown): boolean {
  if (value === Number.POSITIVE_INFINITY) return true;
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;
}

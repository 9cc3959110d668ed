// A configuration as TypeScript sees it: the object that a file's text stands for, in the file's spelling.

import type { BursarOptions } from "../types.js";

/** Keys that every resource can have. */
export interface ResourceSettings {
  /** The shard that it belongs to. */
  readonly shard?: string | undefined;
  /** One for each key, `NAME/KEY`, and not a single one. */
  readonly family?: boolean | undefined;
  /** Of a family, the most keys at one time: 1 to 2^32 - 1. */
  readonly max_keys?: number | undefined;
}

/** Permits that leases hold and give back. */
export interface SemaphoreConfig extends ResourceSettings {
  readonly kind: "semaphore";
  /** 1 to 2^53 - 1. */
  readonly permits: number;
}

/** Tokens that a grant consumes and time refills. */
export interface TokenBucketConfig extends ResourceSettings {
  readonly kind: "token_bucket";
  /** Units a second, 1e-9 to 2^53 - 1. */
  readonly rate: number;
  /** The most that gather: 1 to 2^53 - 1. */
  readonly burst: number;
}

/** Never more than `limit` in any window of `per_ms` milliseconds. */
export interface AtMostConfig extends ResourceSettings {
  readonly kind: "at_most";
  readonly limit: number;
  /** 1e-6 to 1e13. */
  readonly per_ms: number;
  /** The most at once, below `limit`. Default: 1. */
  readonly burst?: number | undefined;
}

/** A resource in a configuration. */
export type ResourceConfig = SemaphoreConfig | TokenBucketConfig | AtMostConfig;

/** A pool of tasks in a configuration. */
export interface PoolConfig {
  /** How many of its tasks may run at a time: 1 to 2^53 - 1. Default: as many as there are. */
  readonly concurrency?: number | undefined;
  /** The shard that it belongs to. */
  readonly shard?: string | undefined;
}

/** What a configuration file says. */
export interface BursarConfig<R extends string = string> {
  /** For editors. */
  readonly $schema?: string | undefined;
  /** Who goes first. Default: `fair`. */
  readonly order?: "fair" | "newest" | "greedy" | undefined;
  /** How often a claim may be passed before units are kept for it. Default: 1,000. */
  readonly max_bypass?: number | "unlimited" | undefined;
  /** How many claims may wait. Default: no limit. */
  readonly max_waiting?: number | undefined;
  readonly resources?: { readonly [resource in R]: ResourceConfig } | undefined;
  readonly pools?: { readonly [pool: string]: PoolConfig } | undefined;
}

/** What no file can say. */
export type ConfigOptions = Omit<BursarOptions, "order" | "maxBypass" | "maxWaiting">;

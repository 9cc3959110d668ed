// A bursar from a configuration: the entry `bursar/config`, so that who writes the limits in the program does not
// carry what reads them from a file.

import { ConfigError, UnsupportedConfigError } from "./config/errors.js";
import { mistakesOf } from "./config/schema.js";
import type { BursarConfig, ConfigOptions, ResourceConfig } from "./config/types.js";
import { atMost, Bursar, type ResourceSpec, type Resources, semaphore, tokenBucket } from "./index.js";

export { ConfigError, type ConfigMistake, UnsupportedConfigError } from "./config/errors.js";
export type {
  AtMostConfig,
  BursarConfig,
  ConfigOptions,
  PoolConfig,
  ResourceConfig,
  ResourceSettings,
  SemaphoreConfig,
  TokenBucketConfig,
} from "./config/types.js";

/**
 * Checks a configuration.
 *
 * @param config an object, or the JSON text of one
 * @returns the object
 * @throws ConfigError with everything that is wrong
 */
export function parseConfig<R extends string = string>(config: BursarConfig<R> | string): BursarConfig<R> {
  let parsed: unknown = config;
  if (typeof config === "string") {
    try {
      // Some editors begin a file with a byte order mark.
      parsed = JSON.parse(config.replace(/^\uFEFF/, ""));
    } catch (error) {
      const message = `this is not JSON: ${(error as Error).message}`;
      throw new ConfigError([{ path: "", message }]);
    }
  }
  const mistakes = mistakesOf(parsed);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return parsed as BursarConfig<R>;
}

/**
 * A bursar with what a configuration says.
 *
 * @param config an object, or the JSON text of one
 * @param options what no file can say
 * @throws ConfigError with everything that is wrong; UnsupportedConfigError if it has pools, shards or families
 *
 * @example
 * const bursar = fromConfig(await readFile("bursar.json", "utf8"));
 *
 * @example
 * const bursar = fromConfig({ resources: { gpu: { kind: "semaphore", permits: 4 } } });
 */
export function fromConfig<R extends string = string>(
  config: BursarConfig<R> | string,
  options?: ConfigOptions,
): Bursar<R> {
  const { order, max_bypass, max_waiting, resources, pools } = parseConfig(config) as BursarConfig;
  for (const pool of Object.keys(pools ?? {})) throw new UnsupportedConfigError("pool", pool);
  const specs = new Map<string, ResourceSpec>();
  for (const [name, resource] of Object.entries(resources ?? {})) {
    if (resource.shard !== undefined) throw new UnsupportedConfigError("shard", resource.shard);
    // Families plug in here.
    if (resource.family) throw new UnsupportedConfigError("family", name);
    specs.set(name, specOf(resource));
  }
  return new Bursar(Object.fromEntries(specs) as Resources<R>, {
    ...options,
    order,
    maxBypass: max_bypass === "unlimited" ? Number.POSITIVE_INFINITY : max_bypass,
    maxWaiting: max_waiting,
  });
}

function specOf(resource: ResourceConfig): ResourceSpec {
  switch (resource.kind) {
    case "semaphore":
      return semaphore(resource.permits);
    case "token_bucket":
      return tokenBucket(resource);
    case "at_most":
      return atMost(resource.limit, { per: resource.per_ms, burst: resource.burst ?? 1 });
  }
}

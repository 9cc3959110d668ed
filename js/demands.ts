// Demands: from names to the ledger's numbers, and back to text for messages.

import type { Core } from "./core.js";
import { type BursarError, InvalidDemandError } from "./errors.js";
import { quoted, shown } from "./text.js";
import type { Demand } from "./types.js";

/** A demand as numbers: resource, units, resource, units. Read to its end before the ledger is touched: getters may claim as well. */
export function pairsOf(core: Core, demand: Demand, least: number): number[] {
  if (typeof demand !== "object" || demand === null) throw invalidDemand(core, demand);
  const { version } = core;
  const pairs: number[] = [];
  for (const name of Object.keys(demand)) {
    const units: unknown = demand[name];
    const id = core.ids[name];
    if (id === undefined) throw core.unknown(name);
    if (!Number.isSafeInteger(units) || (units as number) < least) {
      const right = `units are whole numbers from ${least} to 2^53 - 1`;
      throw new InvalidDemandError(`${shown(units)} of ${quoted(name)}; ${right}`);
    }
    pairs.push(id, units as number);
  }
  if (pairs.length === 0) throw invalidDemand(core, demand);
  // A getter may have removed a resource, or put another in its place.
  if (core.version !== version) for (const name of Object.keys(demand)) core.idOf(name);
  return pairs;
}

/** Why this is not a demand, once it is known not to be one. */
function invalidDemand(core: Core, demand: unknown): BursarError {
  if (typeof demand !== "object" || demand === null || Array.isArray(demand)) {
    return new InvalidDemandError(
      `the demand is ${shown(demand)}; it must be an object such as { name: units }`,
    );
  }
  const symbol = Object.getOwnPropertySymbols(demand)[0];
  if (symbol !== undefined) return core.unknown(String(symbol));
  return new InvalidDemandError("the demand is empty; name at least one resource");
}

export function demandOf(names: readonly (string | undefined)[], pairs: readonly number[]): Demand {
  return Object.fromEntries(named(names, pairs));
}

export function textOf(names: readonly (string | undefined)[], pairs: readonly number[]): string {
  return named(names, pairs)
    .map(([name, units]) => `${units} of ${quoted(name)}`)
    .join(", ");
}

function named(names: readonly (string | undefined)[], pairs: readonly number[]): [string, number][] {
  const result: [string, number][] = [];
  for (let at = 0; at < pairs.length; at += 2) result.push([names[pairs[at]!] ?? "?", pairs[at + 1]!]);
  return result;
}

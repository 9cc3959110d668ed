// One cell of the bench: one library in one case, in a process of its own. Runs in every runtime.

import { cases } from "./cases.mjs";
import { compare, floorSampler } from "./measure.mjs";

function runtimeVersion() {
  if (globalThis.Deno) return Deno.version.deno;
  if (globalThis.Bun) return Bun.version;
  if (globalThis.process) return process.versions.node;
  return navigator.userAgent.match(/Chrome\/([\d.]+)/)?.[1] ?? "unknown";
}

/**
 * @param {object} spec
 * @param {string} spec.library an adapter in libraries/
 * @param {string} spec.name a case
 * @param {number} spec.size claims at one time
 * @param {object} spec.timing how long to measure: see lib/options.mjs
 * @returns {Promise<object>} the figures, or `error`
 */
export async function runCell({ library: id, name, size, timing }) {
  const runtime_version = runtimeVersion();
  try {
    const library = await import(`../libraries/${id}.mjs`);
    const { prepare, bytes = false } = cases[name];
    // Memory is looked at once: a Wasm memory that has grown stays so.
    const effort = bytes ? { ...timing, repetitions: 1 } : timing;
    const { sample, check, floor = await floorSampler(timing) } = await prepare(library, size, timing);
    const figures = await compare(sample, floor, effort);
    await check();
    return { runtime_version, ...figures };
  } catch (error) {
    // A size that a peer refuses, or its engine does, is no mistake of the bench's.
    if (error instanceof RangeError && id !== "bursar") return { runtime_version, gaveUp: `${error}` };
    return { runtime_version, error: String(error?.stack ?? error) };
  }
}

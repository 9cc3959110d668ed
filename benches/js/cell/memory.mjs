// What a claim that waits costs in bytes: the heap and what Wasm took, before and after a line has formed.

import { insist } from "./checks.mjs";
import { drain, hold, wait } from "./waiters.mjs";

const wasm = new Set();

/** Remembers the memory of every Wasm module from now on. To be called before a library makes its own. */
export function watchWasm() {
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(...args) {
      super(...args);
      for (const item of Object.values(this.exports)) {
        if (item instanceof WebAssembly.Memory) wasm.add(item);
      }
    }
  };
}

function heapUsed() {
  if (globalThis.Deno) return Deno.memoryUsage().heapUsed;
  if (globalThis.process?.memoryUsage) return process.memoryUsage().heapUsed;
  return performance.memory.usedJSHeapSize;
}

async function used() {
  for (let round = 0; round < 3; round++) {
    if (globalThis.Bun) Bun.gc(true);
    else globalThis.gc();
    // What is collected only once nobody stands on the stack.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  let bytes = heapUsed();
  for (const { buffer } of wasm) bytes += buffer.byteLength;
  return bytes;
}

/** Bytes a waiting claim. A new limiter each time, since one that had a line may keep its room for the next. */
export async function bytesPerWaiter(make, count) {
  const limiter = make(1);
  const release = await hold(limiter);
  const waiting = new Array(count).fill(undefined);
  const before = await used();
  for (let i = 0; i < count; i++) waiting[i] = wait(limiter);
  const after = await used();
  await release();
  await drain(limiter, waiting);
  insist(after > before, "the line takes no memory: the heap cannot be read here");
  return (after - before) / count;
}

/** The same for a bare promise that waits, and the function that resolves it. */
export async function bytesPerPromise(count) {
  const [waiting, turns] = [new Array(count).fill(undefined), new Array(count).fill(undefined)];
  const before = await used();
  for (let i = 0; i < count; i++) {
    waiting[i] = new Promise((resolve) => {
      turns[i] = resolve;
    });
  }
  const after = await used();
  for (const resolve of turns) resolve();
  await Promise.all(waiting);
  return (after - before) / count;
}

// The ledger's WebAssembly: compiled at first use, synchronously, from the bytes inside the package. One instance
// serves every bursar of the process; each has a ledger in it, known by its pointer.
//
// All that crosses is numbers, so what the module exports is called directly; wasm-bindgen's glue only loads it.

import { loadGlue } from "./generated/bursar.js";
import { wasmBase64 } from "./generated/wasm-base64.js";

/** The ledger's address in the module's memory. */
export type Pointer = number;

/** The exports on the path of a claim. src/js/calls.rs describes them and their results. */
interface Calls {
  create(order: number, maxBypass: number, maxWaiting: number): Pointer;
  claim1(ledger: Pointer, a: number, x: number): number;
  claim2(ledger: Pointer, a: number, x: number, b: number, y: number): number;
  claim3(ledger: Pointer, a: number, x: number, b: number, y: number, c: number, z: number): number;
  put(ledger: Pointer, id: number, units: number): void;
  under(ledger: Pointer, owner: number): void;
  options(ledger: Pointer, priority: number, deadline: number, ttl: number): void;
  claim_put(ledger: Pointer, wait: number): number;
  release(ledger: Pointer, slot: number): number;
  release_part(ledger: Pointer, slot: number): number;
  settle_use(ledger: Pointer, slot: number): number;
  cancel(ledger: Pointer, slot: number): void;
  retry(ledger: Pointer, slot: number): number;
  flush(ledger: Pointer): number;
  set_priority(ledger: Pointer, slot: number, priority: number): number;
  advance(ledger: Pointer, now: number): number;
  next_wakeup(ledger: Pointer): number;
  needs_time(ledger: Pointer): number;
  pause(ledger: Pointer, id: number, until: number): number;
  set_level(ledger: Pointer, id: number, level: number): number;
  remove(ledger: Pointer, id: number): number;
  close(ledger: Pointer, drain: number): number;
  events_at(ledger: Pointer): number;
  capacity(ledger: Pointer, id: number): number;
  available(ledger: Pointer, id: number): number;
  held(ledger: Pointer, id: number): number;
  waiting(ledger: Pointer): number;
  leases(ledger: Pointer): number;
  position(ledger: Pointer, slot: number): number;
  shortage(ledger: Pointer, slot: number): number;
  is_closed(ledger: Pointer): number;
  status(ledger: Pointer, id: number): number;
  snapshot(ledger: Pointer): number;
  last_error(ledger: Pointer): number;
  numbers_at(ledger: Pointer): number;
  define(ledger: Pointer, kind: number, x: number, y: number, z: number): number;
  resize(ledger: Pointer, id: number, kind: number, x: number, y: number, z: number): number;
  destroy(ledger: Pointer): void;
  memory: WebAssembly.Memory;
}

/** The result of a call that was refused: src/js/mod.rs. */
export const REFUSED = -2_147_483_648;

// Set by `loadWasm`, which every bursar calls first.
export let calls: Calls;

// Those that most claims use, each in a variable of its own: an object's properties are looked up at each call.
export let claim1: Calls["claim1"];
export let claim2: Calls["claim2"];
export let claim3: Calls["claim3"];
export let release: Calls["release"];

export function loadWasm(): void {
  if (calls !== undefined) return;
  // A copy: the module's own exports are frozen, in a form that is slow to look up.
  calls = { ...(loadGlue().initSync({ module: bytes() }) as unknown as Calls) };
  ({ claim1, claim2, claim3, release } = calls);
}

function bytes(): BufferSource {
  const native = (Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (native) return native.call(Uint8Array, wasmBase64);
  const { Buffer } = globalThis as {
    Buffer?: { from(text: string, encoding: string): Uint8Array<ArrayBuffer> };
  };
  if (Buffer) return Buffer.from(wasmBase64, "base64");
  return Uint8Array.from(atob(wasmBase64), (character) => character.charCodeAt(0));
}

/** A report of the ledger's, a row of numbers, before anything else is called. */
export function readNumbers(ledger: Pointer, count: number): number[] {
  return [...new Float64Array(calls.memory.buffer, calls.numbers_at(ledger), count)];
}

/** The events of the last call, kind and slot of each in turn, before anything else is called. */
export function readEvents(ledger: Pointer, count: number): number[] {
  return [...new Uint32Array(calls.memory.buffer, calls.events_at(ledger), 2 * count)];
}

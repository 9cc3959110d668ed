// The ledger as WebAssembly answers as it does natively: tests/vectors/calls.json, which tests/rust/ledger_vectors.rs
// writes and checks, played to the exports that the package calls.

import { describe, expect, it } from "vitest";
import { loadGlue } from "../../js/generated/bursar.js";
import { wasmBase64 } from "../../js/generated/wasm-base64.js";
import vectors from "../vectors/calls.json";

type Exports = Record<string, (...numbers: number[]) => number | undefined> & { memory: WebAssembly.Memory };

const bytes = Uint8Array.from(atob(wasmBase64), (character) => character.charCodeAt(0));
const wasm = loadGlue().initSync({ module: bytes }) as unknown as Exports;

const REPORTS = new Set(["last_error", "shortage", "snapshot", "status"]);

const numbers = (words: string): number[] => words.split(" ").filter(Boolean).map(Number);

/** "name arguments -> result: events or report" */
function parse(line: string) {
  const [call = "", outcome = ""] = line.split(" -> ");
  const [name = "", ...rest] = call.split(" ");
  const [result = "", row = ""] = outcome.split(":");
  return { name, args: rest.map(Number), result: numbers(result)[0], row: numbers(row) };
}

/** A claim of up to three resources, as the package makes it: the short way, and if that says nothing, the long way. */
function claim(ledger: number, args: number[], wait: boolean) {
  const result = wasm[`claim${args.length / 2}`]!(ledger, ...args)!;
  if (result >= 0) return result;
  for (let at = 0; at < args.length; at += 2) wasm.put!(ledger, args[at]!, args[at + 1]!);
  return wasm.claim_put!(ledger, wait ? 1 : 0);
}

function play(ledger: number, line: string) {
  const { name, args, row } = parse(line);
  const result = /^(claim|try)\d$/.test(name)
    ? claim(ledger, args, name.startsWith("claim"))
    : wasm[name]!(ledger, ...args);
  if (row.length === 0) return { result, row: [] };
  const told = REPORTS.has(name)
    ? new Float64Array(wasm.memory.buffer, wasm.numbers_at!(ledger), result)
    : new Uint32Array(wasm.memory.buffer, wasm.events_at!(ledger), 2 * (-1 - result!));
  return { result, row: [...told] };
}

describe("the ledger's WebAssembly answers as the native ledger does", () => {
  for (const { policy, calls } of vectors.sequences) {
    it(`under policy ${policy}`, () => {
      const ledger = wasm.create!(...numbers(policy))!;
      for (const [place, line] of calls.entries()) {
        const { result, row } = parse(line);
        expect(play(ledger, line), `call ${place}: ${line}`).toEqual({ result, row });
      }
      wasm.destroy!(ledger);
    });
  }
});

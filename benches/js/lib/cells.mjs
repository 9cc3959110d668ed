// Which cells there are, and in which order they are measured.

import { cases, isAble } from "../cell/cases.mjs";
import { random, shuffle } from "../cell/random.mjs";
import { adapterOf } from "./libraries.mjs";

/** Every library in every case that it can do, in every runtime: what `options` choose of that. */
export async function cellsFor({ cases: names, libraries, runtimes, pace, processes }) {
  const cells = [];
  for (const library of libraries) {
    const adapter = await adapterOf(library);
    for (const name of names) {
      const { sizes, uses, bytes = false, bound } = cases[name];
      if (!isAble(adapter, cases[name])) continue;
      const note = adapter.notes?.[uses];
      for (const runtime of runtimes) {
        for (const size of sizes[pace]) {
          // Memory is looked at once in a process.
          const rounds = bytes && pace === "full" ? Math.max(3, processes) : processes;
          const cell = { runtime, library, name, size, note, bytes, bound: bound?.[pace] };
          for (let round = 0; round < rounds; round++) cells.push({ ...cell, round });
        }
      }
    }
  }
  return cells;
}

/** A row of the results: cells that differ in nothing but the process. */
export const rowKey = ({ runtime, library, name, size }) => [runtime, library, name, size].join(" ");

/** A library in a case, whatever the size. */
export const lineKey = ({ runtime, library, name }) => [runtime, library, name].join(" ");

/**
 * In an order that is left to chance, so that neither the machine's warmth nor a neighbour's load falls on one library.
 * But of one library's lines the short ones go first: who gives up on those is not asked for longer ones.
 */
export function inRandomOrder(cells) {
  const order = shuffle([...cells], random(Date.now()));
  const places = new Map();
  for (const [place, cell] of order.entries()) {
    const key = lineKey(cell);
    places.set(key, [...(places.get(key) ?? []), place]);
  }
  for (const line of places.values()) {
    const sorted = line.map((place) => order[place]).sort((a, b) => a.size - b.size);
    for (const [index, place] of line.entries()) order[place] = sorted[index];
  }
  return order;
}

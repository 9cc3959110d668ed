// Runs the cells one after the other and makes rows of what they say.

import { inRandomOrder, lineKey, rowKey } from "./cells.mjs";
import { versionOf } from "./libraries.mjs";
import { runtimes } from "./runtimes.mjs";

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const rounded = (value) => Number(value.toPrecision(5));

function measureCell({ runtime, bound, ...spec }, timing) {
  // A line of a million takes its time, though a library be far from hopeless.
  const boundMs = bound ?? timing.boundMs * (spec.size >= 1_000_000 ? 3 : 1);
  return runtimes[runtime].run({ ...spec, timing: { ...timing, boundMs } }, boundMs);
}

/** What is said of the longer lines, once a library has given up on one. */
function notTried({ size }, { gaveUp }) {
  const known = gaveUp.startsWith("not tried");
  return { gaveUp: known ? gaveUp : `not tried: ${size.toLocaleString("en")} were ${gaveUp}` };
}

/** One row from the processes that measured the same. */
function rowOf(cell, results) {
  const { runtime, library, name, size, note, bytes } = cell;
  const { runtime_version } = results[0];
  const row = {
    case: name,
    n: size,
    library,
    version: versionOf(library) ?? runtime_version,
    ns: null,
    ratio_to_floor: null,
    runtime,
    runtime_version,
    ...(note && { note }),
  };
  const failed = results.find(({ error, gaveUp }) => error ?? gaveUp);
  if (failed) return { ...row, ...(failed.error ? { error: failed.error } : { gave_up: failed.gaveUp }) };
  const of = (key) => rounded(median(results.map((result) => result[key])));
  return {
    ...row,
    // Bytes where memory is measured.
    ns: of("value"),
    ratio_to_floor: rounded(median(results.map(({ value, floor }) => value / floor))),
    ...(bytes && { unit: "bytes", bytes: of("value") }),
    floor: of("floor"),
    low: of("low"),
    high: of("high"),
    repetitions: results.reduce((sum, { repetitions }) => sum + repetitions, 0),
  };
}

/**
 * @param {object[]} cells from cellsFor
 * @param {object} options from readOptions
 * @param {(done: number, cell: object) => void} progress called before each cell
 * @param {(rows: object[]) => void} keep called after each cell with the rows so far, lest an hour's work be lost
 * @returns {Promise<object[]>} rows, in the cells' own order
 */
export async function measureAll(cells, { timing }, progress, keep) {
  const results = new Map(cells.map((cell) => [rowKey(cell), { cell, all: [] }]));
  const rows = () =>
    [...results.values()].filter(({ all }) => all.length > 0).map(({ cell, all }) => rowOf(cell, all));
  const hopeless = new Map();
  for (const [done, cell] of inRandomOrder(cells).entries()) {
    progress(done, cell);
    const result = hopeless.get(lineKey(cell)) ?? (await measureCell(cell, timing));
    if (result.gaveUp) hopeless.set(lineKey(cell), notTried(cell, result));
    results.get(rowKey(cell)).all.push(result);
    keep(rows());
  }
  return rows();
}

export const isWrong = (row) => row.error !== undefined;

// What the views draw: the pieces of work with the rows they took, and steps of every quantity.

import { KINDS } from "./kinds.mjs";

const KEPT = 40_000; // milliseconds

export class History {
  pieces = []; // granted ones that take connections, with `rows`
  memory = []; // { at, held: [MB of each kind], capacity }
  level = []; // { at, level, burst }
  #held = KINDS.map(() => 0);
  #taken = []; // piece that has the row, or undefined

  granted(piece, capacity) {
    const { connections = 0, ramMb = 0 } = piece.demand;
    if (connections > 0) {
      piece.rows = [];
      for (let row = 0; piece.rows.length < connections; row += 1) {
        if (this.#taken[row] !== undefined) continue;
        this.#taken[row] = piece;
        piece.rows.push(row);
      }
      this.pieces.push(piece);
    }
    this.#held[piece.kind] += ramMb;
    if (ramMb > 0) this.sawMemory(capacity, piece.granted);
  }

  returned(piece, capacity) {
    for (const row of piece.rows ?? []) this.#taken[row] = undefined;
    this.#held[piece.kind] -= piece.demand.ramMb ?? 0;
    if (piece.demand.ramMb) this.sawMemory(capacity, piece.returned);
  }

  sawMemory(capacity, at = performance.now()) {
    this.memory.push({ at, held: [...this.#held], capacity });
  }

  sawLevel(level, burst) {
    this.level.push({ at: performance.now(), level, burst });
  }

  /** Rows that are in use or were, within what is kept. */
  get rowsUsed() {
    return this.pieces.reduce((most, { rows }) => Math.max(most, ...rows.map((row) => row + 1)), 0);
  }

  /** Forgets what is too old to be drawn; of the steps, the last old one says where the rest begin. */
  forget() {
    const before = performance.now() - KEPT;
    this.pieces = this.pieces.filter(({ returned = Infinity }) => returned > before);
    for (const name of ["memory", "level"]) {
      const first = this[name].findIndex(({ at }) => at > before);
      if (first > 1) this[name].splice(0, first - 1);
    }
  }
}

// The waiting line: who waits, for how long, and what it is short of. A person may cancel a claim
// or send it to the front.

import { KINDS } from "./kinds.mjs";

const UNITS = { connections: "conn", ramMb: "MB", requests: "req" };
const wide = matchMedia("(min-width: 900px)"); // as in style.css, which leaves room for so many rows

export class Line {
  #list;
  #rest;
  #length;
  #rows = new Map(); // piece -> its elements

  constructor() {
    this.#list = document.querySelector("#line-list");
    this.#rest = document.querySelector("#line-rest");
    this.#length = document.querySelector("#line-length");
  }

  /** Shows the first of the `pieces` that wait. */
  show(pieces) {
    const now = performance.now();
    const first = inOrder(pieces).slice(0, wide.matches ? 12 : 6);

    for (const [piece, row] of this.#rows) {
      if (first.includes(piece)) continue;
      row.element.remove();
      this.#rows.delete(piece);
    }
    first.forEach((piece, index) => {
      let row = this.#rows.get(piece);
      if (!row) {
        row = makeRow(piece);
        this.#rows.set(piece, row);
      }
      row.waited.textContent = `${((now - piece.asked) / 1_000).toFixed(1)} s`;
      row.showShort(piece.claim.shortOf);
      // Moving an element takes the keyboard's focus from it: only where the order has changed.
      if (this.#list.children[index] !== row.element) {
        this.#list.insertBefore(row.element, this.#list.children[index] ?? null);
      }
    });

    const more = pieces.size - first.length;
    this.#length.textContent = pieces.size === 0 ? "empty" : String(pieces.size);
    this.#rest.textContent = more > 0 ? `and ${more} more` : "";
  }
}

function inOrder(pieces) {
  return [...pieces]
    .map((piece) => ({ piece, position: piece.claim.position ?? Infinity }))
    .sort((a, b) => a.position - b.position)
    .map(({ piece }) => piece);
}

function makeRow(piece) {
  const kind = KINDS[piece.kind].name;
  const element = document.createElement("li");
  element.style.setProperty("--kind", `var(--kind-${piece.kind})`);
  const part = (tag, className, text = "") => {
    const child = document.createElement(tag);
    child.className = className;
    child.textContent = text;
    element.append(child);
    return child;
  };

  part("b", "who", `${kind} ${piece.id}`);
  const waited = part("span", "waited");
  const wants = part("span", "wants");
  const parts = Object.entries(piece.demand).map(([name, units]) => {
    const word = document.createElement("span");
    word.textContent = `${units} ${UNITS[name]}`;
    wants.append(word, " ");
    return { name, word };
  });
  const turn = document.createElement("i");
  wants.append(turn);

  const first = part("button", "first", "first");
  first.setAttribute("aria-label", `Send ${kind} ${piece.id} to the front`);
  first.addEventListener("click", () => {
    if (piece.granted === undefined) piece.claim.priority = 10;
    first.disabled = true;
  });
  const cancel = part("button", "cancel", "cancel");
  cancel.setAttribute("aria-label", `Cancel ${kind} ${piece.id}`);
  cancel.addEventListener("click", () => piece.claim.cancel());

  /** Marks the parts that are not there; if all are, the claim waits for those before it. */
  function showShort(missing) {
    for (const { name, word } of parts) word.className = name in missing ? "short" : "";
    turn.textContent = Object.keys(missing).length > 0 ? "" : "others go first";
  }
  return { element, waited, showShort };
}

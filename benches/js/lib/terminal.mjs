// The tables on a terminal, in 80 columns.

import { styleText } from "node:util";
import { isWrong } from "./measure-all.mjs";
import { sectionsOf } from "./tables.mjs";

const strong = (text) => (process.stdout.isTTY ? styleText("bold", text) : text);

/** Numbers stand under each other: those with a footnote keep its room for those without. */
function aligned(rows, column) {
  const cells = rows.map((row) => row[column]);
  const hasNote = cells.some((text) => / [a-z]$/.test(text));
  return cells.map((text) => (hasNote && text !== "" && !/ [a-z]$/.test(text) ? `${text}  ` : text));
}

function draw({ title, head, rows, notes }) {
  const columns = head.map((text, column) => {
    const cells = aligned(rows, column);
    const width = Math.max(text.length, ...cells.map((cell) => cell.length));
    const pad = (cell) => (column === 0 ? cell.padEnd(width) : cell.padStart(width));
    return { head: pad(text), cells: cells.map(pad) };
  });
  const line = (texts) => texts.join("  ").trimEnd();
  console.log(`\n${strong(title)}`);
  console.log(line(columns.map(({ head }) => head)));
  for (const at of rows.keys()) console.log(line(columns.map(({ cells }) => cells[at])));
  for (const note of notes) console.log(note);
}

export function printTables(rows) {
  for (const { section, tables } of sectionsOf(rows)) {
    console.log(`\n${strong(`=== ${section}`)}`);
    for (const table of tables) draw(table);
  }
  for (const row of rows.filter(isWrong)) {
    console.error(`\nbursar: ${row.runtime} ${row.library} ${row.case} ${row.n} is wrong: ${row.error}`);
  }
}

/** One line that says what is being measured: rewritten in place on a terminal, now and then elsewhere. */
export function progressOf(total) {
  const start = performance.now();
  let last = start;
  return (done, { runtime, library, name, size }) => {
    const seconds = Math.round((performance.now() - start) / 1_000);
    const text = `${done} of ${total}, ${seconds} s: ${runtime} ${library} ${name} ${size.toLocaleString("en")}`;
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text.slice(0, 79)}`);
    else if (performance.now() - last > 20_000) {
      last = performance.now();
      console.error(text);
    }
  };
}

export function endProgress() {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
}

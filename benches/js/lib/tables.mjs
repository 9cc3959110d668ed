// The results as tables, whatever they are then written in.

import { cases } from "../cell/cases.mjs";
import { runtimes } from "./runtimes.mjs";

const aloneCases = ["uncontended-1", "uncontended-3", "try", "try-3", "run", "huge-capacity", "rate"];
const lineCases = [
  ["contended", "Queued at once on ten permits: microseconds a task"],
  ["priorities", "The same with random priorities"],
  ["aborts", "Waiting and called off, a signal each: microseconds a claim"],
  ["aborts-shared", "Waiting and called off, one signal for all"],
  ["memory", "Memory: bytes a waiting claim, with its promise"],
];

const unique = (values) => [...new Set(values)];
const whole = (value) => Math.round(value).toLocaleString("en");

/** Three digits, where there are that many. */
function short(value) {
  if (value >= 10_000) return `${short(value / 1_000)}k`;
  if (value >= 100) return whole(value);
  return value.toFixed(value >= 9.995 ? 1 : 2);
}

function libraryName(row) {
  return row.library === "promise" ? "bare promises" : `${row.library} ${row.version}`;
}

/** Of rows of one runtime. One that gave up did not say which version it was. */
function runtimeName(rows) {
  const { runtime, runtime_version = "" } = rows.find((row) => row.runtime_version) ?? rows[0];
  return `${runtimes[runtime].title} ${runtime_version}`;
}

/** Footnotes, lettered as they come. */
function footnotes() {
  const texts = [];
  const mark = (text) => {
    if (!texts.includes(text)) texts.push(text);
    return String.fromCharCode("a".charCodeAt(0) + texts.indexOf(text));
  };
  return { texts, mark };
}

function cell(row, show, notes) {
  if (row === undefined) return "";
  if (row.error) return "WRONG";
  if (row.ns === null) return `- ${notes.mark(`gives up: ${row.gave_up}`)}`;
  return row.note ? `${show(row)} ${notes.mark(row.note)}` : show(row);
}

/** One table: a row for each of `keys`, a column for each of `columns`, cells by `find` and `show`. */
function table(title, head, columns, keys, { name, find, show }) {
  const notes = footnotes();
  const rows = keys.map((key) => [
    name(key),
    ...columns.map((column) => cell(find(key, column.id), show, notes)),
  ]);
  return {
    title,
    head: [head, ...columns.map(({ text }) => text)],
    rows: rows.filter(([, ...cells]) => cells.some((text) => text !== "")),
    notes: notes.texts.map((text) => `${notes.mark(text)}: ${text}`),
  };
}

function floorOf(rows) {
  const floors = rows.flatMap(({ floor, unit }) => (floor && !unit ? [floor] : [])).sort((a, b) => a - b);
  return floors[floors.length >> 1];
}

const ratio = (row) => short(row.ratio_to_floor);

/** Columns of the cases of which there is any row. */
function columnsOf(rows, names) {
  const present = names.filter((name) => rows.some((row) => row.case === name));
  return present.map((id) => ({ id, text: cases[id].title }));
}

function byLibrary(rows, show) {
  return {
    name: (library) => libraryName(rows.find((row) => row.library === library)),
    find: (library, id) => rows.find((row) => row.library === library && row.case === id),
    show,
  };
}

function aloneTable(rows, names, title) {
  const some = rows.filter((row) => names.includes(row.case));
  if (some.length === 0) return [];
  const against = `${title}, against a bare awaited promise (${whole(floorOf(some))} ns)`;
  const libraries = unique(some.map(({ library }) => library));
  return [table(against, "", columnsOf(some, names), libraries, byLibrary(some, ratio))];
}

function lineTable(rows, name, title) {
  const some = rows.filter((row) => row.case === name);
  if (some.length === 0) return [];
  const sizes = unique(some.map(({ n }) => n)).sort((a, b) => a - b);
  const columns = sizes.map((n) => ({ id: n, text: whole(n) }));
  const show = name === "memory" ? (row) => whole(row.ns) : (row) => short(row.ns / 1_000);
  const libraries = unique(some.map(({ library }) => library));
  const find = (library, n) => some.find((row) => row.library === library && row.n === n);
  return [table(title, "", columns, libraries, { ...byLibrary(some, show), find })];
}

function tablesOfRuntime(rows) {
  const seasoned = aloneCases.map((name) => `${name}-seasoned`);
  return [
    ...aloneTable(rows, aloneCases, "One at a time"),
    ...aloneTable(rows, seasoned, "After many shapes and several limiters"),
    ...lineCases.flatMap(([name, title]) => lineTable(rows, name, title)),
  ];
}

/** bursar alone, in every runtime. */
function acrossRuntimes(rows, ids) {
  const some = rows.filter((row) => row.library === "bursar" && aloneCases.includes(row.case));
  if (ids.length < 2 || some.length === 0) return [];
  const of = (id) => some.filter(({ runtime }) => runtime === id);
  const present = ids.filter((id) => of(id).length > 0);
  const columns = columnsOf(some, aloneCases);
  const drawn = table("bursar, one at a time, against a bare awaited promise", "", columns, present, {
    name: (id) => `${runtimeName(of(id))} (${whole(floorOf(of(id)))} ns)`,
    find: (id, name) => of(id).find((row) => row.case === name),
    show: ratio,
  });
  return [{ section: "Every runtime", tables: [drawn] }];
}

/** Sections of tables: a comparison of the runtimes, then each by itself. */
export function sectionsOf(rows) {
  const ids = unique(rows.map(({ runtime }) => runtime));
  const each = ids.map((id) => {
    const some = rows.filter(({ runtime }) => runtime === id);
    return { section: runtimeName(some), tables: tablesOfRuntime(some) };
  });
  return [...acrossRuntimes(rows, ids), ...each];
}

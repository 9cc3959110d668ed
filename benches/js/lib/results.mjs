// The file of results: what was measured, by which command, where and when.

import { readFileSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { Failure } from "../../../scripts/lib/failure.mjs";

function machine() {
  const cores = cpus();
  const model = cores[0]?.model.replace(/\s+/g, " ").trim() ?? "unknown";
  const system = `${type()} ${release().split("-")[0]}`;
  return `${cores.length} x ${model}, ${Math.round(totalmem() / 1024 ** 3)} GB, ${system}`;
}

/** The date only: results are compared by day, on machines that are named. */
export function resultsOf(rows, args) {
  const command = ["npm run bench", ...(args.length > 0 ? ["--", ...args] : [])].join(" ");
  return { command, machine: machine(), date: new Date().toISOString().slice(0, 10), rows };
}

export function writeResults(file, results) {
  const rows = results.rows.map((row) => `    ${JSON.stringify(row)}`).join(",\n");
  const head = JSON.stringify({ ...results, rows: [] }, null, 2);
  writeFileSync(file, `${head.replace('"rows": []', `"rows": [\n${rows}\n  ]`)}\n`);
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Failure(`${file} has no results: ${error.message}`);
  }
}

/** Results of one or more runs, as one. */
export function readResults(files) {
  const all = files.map(read);
  const join = (key) => [...new Set(all.map((results) => results[key]))].join("; ");
  return {
    command: join("command"),
    machine: join("machine"),
    date: join("date"),
    rows: all.flatMap(({ rows }) => rows),
  };
}

export const captionOf = ({ machine, date }) => `${machine}; ${date}`;

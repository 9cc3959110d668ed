// What can be asked of `npm run bench`.

import { parseArgs } from "node:util";
import { Failure } from "../../../scripts/lib/failure.mjs";
import { cases } from "../cell/cases.mjs";
import { libraryIds } from "./libraries.mjs";
import { runtimes } from "./runtimes.mjs";

/**
 * How long to measure. A sample of one claim at a time lasts `sampleMs`; samples are taken for `budgetMs`, but no more
 * than `repetitions`. A process that is not done after `boundMs` is ended, and its library has given up.
 */
const timings = {
  full: { sampleMs: 20, warmMs: 300, budgetMs: 1_200, boundMs: 20_000, repetitions: 41 },
  quick: { sampleMs: 5, warmMs: 60, budgetMs: 180, boundMs: 4_000, repetitions: 21 },
};

const list = { type: "string", multiple: true };

const options = {
  quick: { type: "boolean", default: false },
  only: list,
  library: list,
  runtime: list,
  processes: { type: "string", default: "1" },
  json: { type: "string" },
  markdown: list,
  svg: list,
  out: { type: "string" },
  list: { type: "boolean", default: false },
  "no-build": { type: "boolean", default: false },
};

/** The chosen ones of what there is, or those that are chosen when nobody says. */
function chosen(given, kind, known, otherwise) {
  if (given === undefined) return otherwise;
  const wanted = given.flatMap((part) => part.split(","));
  const unknown = wanted.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    throw new Failure(`no ${kind} is called ${unknown}; there are ${known.join(", ")}`);
  }
  return known.filter((id) => wanted.includes(id));
}

function wholeNumber(name, text) {
  if (!/^[1-9]\d*$/.test(text)) throw new Failure(`--${name} is ${text}; it must be a whole number from 1`);
  return Number(text);
}

function parse(args) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new Failure(`${error.message.split("\n")[0]} (benches/js/README.md has the options)`);
  }
}

export function readOptions(args) {
  const values = parse(args);
  const pace = values.quick ? "quick" : "full";
  const [caseIds, runtimeIds] = [Object.keys(cases), Object.keys(runtimes)];
  return {
    ...values,
    pace,
    timing: timings[pace],
    build: !values["no-build"],
    processes: wholeNumber("processes", values.processes),
    cases: chosen(values.only, "case", caseIds, caseIds),
    libraries: chosen(values.library, "library", libraryIds, libraryIds),
    runtimes: chosen(values.runtime, "runtime", runtimeIds, values.quick ? ["node"] : runtimeIds),
  };
}

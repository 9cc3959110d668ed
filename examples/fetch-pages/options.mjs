// The command line: what can be set, and one clear line for each thing that is wrong with it.

import { parseArgs } from "node:util";

export const MB = 1_000_000; // bytes

const NUMBERS = {
  connections: { default: 12, text: "requests at once" },
  memory: { default: 16, text: "megabytes being read at once" },
  rate: { default: 50, text: "requests per second", fraction: true },
  burst: { default: 10, text: "requests at once after a pause" },
  pages: { default: 300, text: "pages of the built-in server", most: 5_000 },
  "page-memory": { default: 8, text: "megabytes claimed for each URL" },
};

/** Reads the arguments; prints and ends the process for --help and for anything wrong. */
export function readOptions(args) {
  let parsed;
  try {
    parsed = parseArgs({ args, allowPositionals: true, options: declared() });
  } catch (error) {
    refuse([error.message.split(". ")[0]]);
  }
  const { values, positionals } = parsed;
  if (values.help) {
    console.log(help());
    process.exit(0);
  }

  const problems = [];
  const numbers = {};
  for (const [name, rule] of Object.entries(NUMBERS)) {
    numbers[name] = values[name] === undefined ? rule.default : Number(values[name]);
    const problem = wrongNumber(numbers[name], rule);
    if (problem) problems.push(`--${name} ${problem}, not "${values[name]}"`);
  }
  const urls = [...positionals];
  for (const url of urls) {
    const problem = wrongUrl(url);
    if (problem) problems.push(problem);
  }
  if (urls.length > 0 && numbers["page-memory"] > numbers.memory) {
    problems.push(
      `--page-memory ${numbers["page-memory"]} is more than --memory ${numbers.memory}: no URL could ever be fetched`,
    );
  }
  if (problems.length > 0) refuse(problems);

  const { "page-memory": pageMemory, ...rest } = numbers;
  return { ...rest, pageMemory, urls };
}

/** Ends the process with one line for each problem. */
export function refuse(problems) {
  for (const problem of problems) console.error(problem);
  console.error("--help lists what can be set.");
  process.exit(2);
}

function declared() {
  const names = Object.keys(NUMBERS).map((name) => [name, { type: "string" }]);
  return { help: { type: "boolean", short: "h" }, ...Object.fromEntries(names) };
}

function wrongNumber(value, { fraction, most = Number.MAX_SAFE_INTEGER }) {
  if (fraction) return value > 0 && value <= most ? undefined : "takes a number above 0";
  if (Number.isInteger(value) && value >= 1 && value <= most) return undefined;
  return most === Number.MAX_SAFE_INTEGER
    ? "takes a whole number from 1"
    : `takes a whole number from 1 to ${most}`;
}

function wrongUrl(text) {
  if (!URL.canParse(text)) return `not a URL: "${text}" (a whole one begins with https://)`;
  const { protocol } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") {
    return `only http and https can be fetched: "${text}"`;
  }
  return undefined;
}

function help() {
  const lines = Object.entries(NUMBERS).map(
    ([name, { default: value, text }]) => `  --${name.padEnd(12)} ${text} (${value})`,
  );
  return [
    "Fetches pages under limits that are claimed together.",
    "",
    "  npm start -- [options]          pages of a built-in server",
    "  npm start -- [options] URL...   your pages",
    "",
    ...lines,
    "  --help         this page",
    "",
    "Ends with 0 if every page came and, for the built-in",
    "server, its own count stayed within every limit; with 1 if",
    "not; with 2 if an option is wrong.",
  ].join("\n");
}

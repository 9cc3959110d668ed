// Prints what the last run of the Rust benches measured, as one table, beside what it is to be compared with:
//
//   cargo bench && node benches/rust/summary.mjs
//
// That is a peer in the same run, or the same case where fewer wait, or under the usual rules. Where there is a budget,
// `must` and `aim` bound the ratio; those with a unit bound the figure itself, and the ratio is to `must`.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What is older than the newest by more milliseconds than this was another run. */
const ONE_RUN = 45 * 60_000;

/** The first rules that match a case are its own. In `beside`, $1 and so on are what the parentheses matched. */
const rules = [
  [
    /^uncontended, 1 resource\/bursar, await$/,
    { beside: "uncontended, 1 resource/tokio, acquire", must: 1 },
    { beside: "uncontended, 1 resource/tokio, try_acquire", aim: 1 },
  ],
  [
    /^uncontended, 3 resources\/bursar, await$/,
    { beside: "uncontended, 3 resources/tokio, acquire", must: 0.5 },
    { beside: "uncontended, 1 resource/tokio, acquire", aim: 1 },
  ],
  [/^(uncontended, \d resources?\/)bursar, try$/, { beside: "$1tokio, try_acquire" }],
  [/^(uncontended, \d resources?\/)bursar, ledger alone$/, { beside: "$1std Mutex" }],
  [/^(uncontended, \d resources?\/)bursar.*$/, { beside: "$1tokio, acquire" }],
  [/^uncontended, a rate\/bursar, ledger alone$/, { beside: "uncontended, a rate/governor, clock by hand" }],
  [/^uncontended, .*rate\/bursar.*$/, { beside: "uncontended, a rate/governor, std clock" }],
  [/^(futures of one permit\/)bursar(.*)$/, { beside: "$1tokio$2" }],
  [/^(line, 12 demands.*\/grant)\/\d+$/, { must: 300, aim: 100 }, { beside: "$1/1000" }],
  [/^(line, all different.*\/grant)\/10+$/, { must: 15_000, aim: 3_000 }, { beside: "$1/1000" }],
  [/^(line, .*\/(?:park|grant|cancel|expire))\/\d+$/, { beside: "$1/1000" }],
  [/^line, .*\/grant, (.*)\/(\d+)$/, { beside: "line, $1/grant/$2" }],
  [/^adversaries, a release\//, { must: 5_000, aim: 500 }],
  [/^adversaries, a grant\/100 sets.*, strict/, {}],
  [/^adversaries, a grant\/100 sets/, { must: 10_000, aim: 2_000 }],
  [/^adversaries, a grant\/(5000 sets|half)/, { must: 5_000, aim: 500 }],
  [/^adversaries, a grant\/a barrier, (.*)\/(\d+)$/, { beside: "line, $1/grant/$2" }],
  [/^(threads, .*\/)bursar, fair(\/\d+)$/, { beside: "$1tokio$2" }],
  [/^(threads, .*\/)bursar, greedy(\/\d+)$/, { beside: "$1Mutex and Condvar$2" }],
  [/^memory, ledger/, { must: 250, aim: 100 }],
  [/^(memory, futures, )bursar(.*)$/, { must: 250, aim: 100 }, { beside: "$1tokio$2" }],
];

const read = (path) => JSON.parse(readFileSync(path, "utf8"));

/** The cases that criterion kept, in the order in which they were measured. */
function measured(target) {
  const root = join(target, "criterion");
  if (!existsSync(root)) throw new Error("nothing was measured yet: run `cargo bench`");
  const paths = readdirSync(root, { recursive: true }).filter((path) => /\bnew.estimates\.json$/.test(path));
  const cases = paths.map((path) => {
    const estimates = join(root, path);
    const { full_id } = read(join(estimates, "..", "benchmark.json"));
    return { name: full_id, value: read(estimates).median.point_estimate, at: statSync(estimates).mtimeMs };
  });
  return cases.sort((a, b) => a.at - b.at);
}

/** Those of the memory bench, in bytes. */
function weighed(target) {
  const path = join(target, "tmp", "memory.json");
  if (!existsSync(path)) return [];
  const at = statSync(path).mtimeMs;
  return Object.entries(read(path)).map(([name, value]) => ({ name, value, at, bytes: true }));
}

/** Three significant digits, or all of those before the point. */
const digits = (value) => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3));

function* rows({ name, value, bytes }, values) {
  const [pattern, ...own] = rules.find(([pattern]) => pattern.test(name)) ?? [/^/, {}];
  const unit = bytes ? "B" : "ns";
  const figure = `${digits(value)} ${unit}`;
  let rowsOfCase = 0;
  for (const { beside, must, aim } of own) {
    const other = beside && name.replace(pattern, beside);
    const bound = other ? values.get(other) : must;
    // A case is not compared with itself, nor with what was not measured.
    if (other && (other === name || bound === undefined)) continue;
    const ratio = bound && value / bound;
    const shown = (limit) =>
      limit === undefined ? "" : other ? limit : `${limit.toLocaleString("en")} ${unit}`;
    const within = (limit) => limit !== undefined && (other ? ratio : value) <= limit;
    const verdict = within(aim) ? "aim" : within(must) ? "must" : must || aim ? "over" : "";
    yield [
      rowsOfCase ? "" : name,
      figure,
      other ?? "",
      ratio ? digits(ratio) : "",
      shown(must),
      shown(aim),
      verdict,
    ];
    rowsOfCase += 1;
  }
  if (rowsOfCase === 0) yield [name, figure, "", "", "", "", ""];
}

const metadata = execFileSync("cargo", ["metadata", "--no-deps", "--format-version=1"], { encoding: "utf8" });
const target = JSON.parse(metadata).target_directory;
const all = [...measured(target), ...weighed(target)];
const newest = Math.max(...all.map(({ at }) => at));
const cases = all.filter(({ at }) => newest - at <= ONE_RUN);
const values = new Map(cases.map(({ name, value }) => [name, value]));

console.log("| case | figure | beside | ratio | must | aim | within |");
console.log("|---|--:|---|--:|--:|--:|---|");
for (const one of cases) for (const row of rows(one, values)) console.log(`| ${row.join(" | ")} |`);
if (cases.length < all.length)
  console.log(`\n${all.length - cases.length} figures of earlier runs left out.`);

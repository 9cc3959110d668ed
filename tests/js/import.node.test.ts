// Nothing happens at import: no timer, no randomness, no look at a clock, no compilation. Some runtimes refuse a script
// that does any of these before it is asked to work, and all of them start sooner. In Node only: each module is loaded
// in a process of its own, in which every such function is a trap.

import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const dist = (file: string) => fileURLToPath(new URL(`../../dist/${file}`, import.meta.url));

/** Runs in the child: sets the traps, loads the module at `file`, notes what was called, makes a bursar, notes again. */
const program = `
import { createRequire } from "node:module";
const [way, file] = process.argv.slice(-2);
const require = createRequire(import.meta.url);
const calls = [];
const trap = (object, name, path) => {
  const { value, get } = Object.getOwnPropertyDescriptor(object, name);
  const original = value ?? get;
  const trapped = function (...args) {
    calls.push(path);
    return new.target ? Reflect.construct(original, args, new.target) : Reflect.apply(original, this, args);
  };
  trapped.prototype = original.prototype;
  Object.setPrototypeOf(trapped, original);
  const to = value === undefined ? { get: trapped } : { value: trapped };
  Object.defineProperty(object, name, { configurable: true, ...to });
};
const globals = ["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "fetch", "atob", "Worker"];
globals.push("FinalizationRegistry", "WeakRef", "MessageChannel", "AbortController");
const paths = {
  Math: ["random"],
  Date: ["now"],
  process: ["on", "once", "nextTick", "hrtime", "emitWarning"],
  WebAssembly: ["Module", "Instance", "Memory", "compile", "instantiate", "validate"],
  crypto: ["getRandomValues", "randomUUID"],
};
for (const name of globals) if (name in globalThis) trap(globalThis, name, name);
for (const [owner, names] of Object.entries(paths)) {
  for (const name of names) {
    const held = globalThis[owner];
    trap(Object.hasOwn(held, name) ? held : holder(held, name), name, owner + "." + name);
  }
}
function holder(object, name) {
  while (!Object.hasOwn(object, name)) object = Object.getPrototypeOf(object);
  return object;
}
trap(globalThis, "Date", "Date");
trap(Performance.prototype, "now", "performance.now");
trap(EventTarget.prototype, "addEventListener", "addEventListener");
trap(Buffer, "from", "Buffer.from");
Error.stackTraceLimit = Infinity;
// Node itself may well use any of these while it loads a file: only what the package's own code calls counts.
const own = () => calls.splice(0);
const globalsBefore = Reflect.ownKeys(globalThis).length;
const ours = calls.push.bind(calls);
calls.push = (path) => (new Error().stack.includes(file.replace(/[^/\\\\]*$/, "")) ? ours(path) : 0);
const bursar = way === "require" ? require(file) : await import(way === "import" ? "file://" + file : file);
const atImport = own();
const added = Reflect.ownKeys(globalThis).length - globalsBefore;
const { Bursar, NoopBursar, ManualClock, tokenBucket, atMost } = bursar;
tokenBucket({ rate: 1, burst: 1 });
atMost(10, { per: 1_000 });
new NoopBursar({ db: 1 }).tryClaim({ db: 1 }).release();
new ManualClock().advance(1);
const beforeTheFirst = own();
const ledger = new Bursar({ db: 1 });
const atTheFirst = own();
new Bursar({ db: 1 }).tryClaim({ db: 1 }).release();
const atTheSecond = own();
await ledger.claim({ db: 1 });
ledger.claim({ db: 1 });
const atWaiting = own();
process.stdout.write(
  JSON.stringify({ atImport, added, beforeTheFirst, atTheFirst, atTheSecond, atWaiting }),
);
process.exit(0);
`;

interface Report {
  atImport: string[];
  added: number;
  beforeTheFirst: string[];
  atTheFirst: string[];
  atTheSecond: string[];
  atWaiting: string[];
}

async function load(way: "import" | "require", file: string): Promise<Report> {
  // The module goes by standard input, so that no quoting is between it and Node.
  const child = promisify(execFile)(process.execPath, ["--input-type=module", "-", way, dist(file)]);
  child.child.stdin?.end(program);
  return JSON.parse((await child).stdout);
}

describe.concurrent.each([
  ["import", "index.js"],
  ["import", "node.mjs"],
  ["require", "index.cjs"],
] as const)("%s of %s", (way, file) => {
  it("does nothing until the first bursar is made, which compiles the ledger once", async () => {
    const report = await load(way, file);
    expect(report).toMatchObject({ atImport: [], added: 0, beforeTheFirst: [] });
    const compiled = (calls: string[]) => calls.filter((call) => call === "WebAssembly.Module").length;
    expect([compiled(report.atTheFirst), compiled(report.atTheSecond)]).toEqual([1, 0]);
  });

  it("starts no timer, takes no randomness and opens nothing to make and use a bursar of semaphores", async () => {
    const { atTheFirst, atTheSecond, atWaiting } = await load(way, file);
    const allowed = /^(WebAssembly\.(Module|Instance)|FinalizationRegistry|Buffer\.from|atob)$/;
    const others = [...atTheFirst, ...atTheSecond, ...atWaiting].filter((call) => !allowed.test(call));
    expect(others).toEqual([]);
  });
});

describe("import and require", () => {
  const require = createRequire(import.meta.url);
  const imported = () => import(pathToFileURL(dist("node.mjs")).href);

  it("give the same exports, class for class", async () => {
    const required = require(dist("index.cjs"));
    const { ...byImport } = await imported();
    const names = Object.keys(required).sort();
    expect(Object.keys(byImport).sort()).toEqual(names);
    expect(names.filter((name) => byImport[name] !== required[name])).toEqual([]);
  });

  it("give what the tests get by the package's name", async () => {
    const named = await import("bursar");
    expect(require(dist("index.cjs")).Bursar).toBe(named.Bursar);
  });

  it("share their errors, so that instanceof holds across them", async () => {
    const { Bursar } = require(dist("index.cjs"));
    const { InvalidDemandError, BursarError } = await imported();
    const error = await new Bursar({ db: 1 }).claim({}).catch((error: unknown) => error);
    expect([error instanceof InvalidDemandError, error instanceof BursarError]).toEqual([true, true]);
  });

  it("give the same names to bundlers and browsers", async () => {
    const browser = await import(pathToFileURL(dist("index.js")).href);
    expect(Object.keys(browser).sort()).toEqual(Object.keys(require(dist("index.cjs"))).sort());
  });

  it("export nothing that is called otherwise than it is named", () => {
    const exported = Object.entries<{ name: string }>(require(dist("index.cjs")));
    expect(exported.filter(([name, value]) => value.name !== name)).toEqual([]);
  });
});

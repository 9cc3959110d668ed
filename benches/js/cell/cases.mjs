// What is measured, given a library's adapter (libraries/). Each case also checks what it has measured.
//
// A case has: `title`; `sizes`, how many claims there are at one time; `uses`, the adapter's method without which a
// library is left out; and `prepare`, which gives a function that takes one sample and one that checks.

import { checkLimit, checkOrder, checkRefusal, insist } from "./checks.mjs";
import { sampler } from "./measure.mjs";
import { bytesPerPromise, bytesPerWaiter, watchWasm } from "./memory.mjs";
import { random, shuffle } from "./random.mjs";
import { hold, waitUntil } from "./waiters.mjs";

const permits = 10;
const seed = 20_000;
/** Made once: an abort's own, with its stack, costs more than all that is measured here. */
const reason = new Error("called off");
const now = () => performance.now() * 1e6;
const one = { full: [1], quick: [1] };
const lines = { full: [1_000, 10_000, 100_000, 1_000_000], quick: [1_000, 10_000] };

/** One claim after the other, with nobody else there. What a library kept or made up shows in its limit afterwards. */
function alone(title, uses, { capacity = permits, after, ...more } = {}) {
  return {
    title,
    sizes: one,
    uses,
    ...more,
    async prepare(library, _size, timing) {
      await library[more.first]?.();
      const limiter = library.make(capacity);
      const check = async () => {
        await after?.(library, limiter);
        insist(limiter.isWhole?.() ?? true, "units are missing, or too many");
        if (limiter.queue !== undefined) await checkLimit(limiter, capacity);
        else insist(library.checkRate(), "the rate is not kept");
      };
      return { sample: await sampler((count) => limiter[uses](count), timing), check };
    },
  };
}

/** A try must also be refused where nothing is free. */
const trying = (uses) => ({
  async after(library) {
    const limiter = library.make(1);
    if (limiter.park !== undefined) await checkRefusal(limiter[uses], limiter, hold);
  },
});

/** The same once the engine has seen all that a library can do, and several limiters. */
const seasoned = { first: "season" };

/** Lets the engine see the code at work, in lines that are short enough not to take long. */
async function warmUp(pass, size, milliseconds) {
  const end = performance.now() + milliseconds;
  do await pass(Math.min(size, 1_000));
  while (performance.now() < end);
}

/** Everybody at once on ten permits; `start` puts them into the line. */
function crowded(title, uses, { start, check, tasksFor = (size) => size }) {
  return {
    title,
    sizes: lines,
    uses,
    async prepare(library, size, { warmMs }) {
      const limiter = library.make(permits);
      const pass = async (count) => {
        let served = 0;
        const work = () => {
          served++;
        };
        const tasks = tasksFor(count);
        const begun = now();
        await start(limiter, tasks, work);
        const elapsed = now() - begun;
        insist(served === count, `${served} of ${count} tasks were run`);
        return elapsed / count;
      };
      await warmUp(pass, size, warmMs);
      return { sample: () => pass(size), check: () => library.bare || check(limiter) };
    },
  };
}

function randomPriorities(size) {
  const below = random(seed);
  return Array.from({ length: size }, () => below(1_000_000));
}

/** Claims that wait and are all called off, in no order. `signals` says whose signal each claim has. */
function aborted(title, controllersFor) {
  return {
    title,
    sizes: { full: [1_000, 10_000, 100_000], quick: [1_000, 10_000] },
    uses: "parkUntil",
    async prepare(library, size, { warmMs }) {
      const limiter = library.make(1);
      const pass = async (count) => {
        const release = await hold(limiter);
        const controllers = controllersFor(count);
        const waiting = new Array(count);
        const order = shuffle([...controllers], random(seed));
        const begun = now();
        for (let i = 0; i < count; i++) {
          waiting[i] = waitUntil(limiter, controllers[i % controllers.length].signal);
        }
        for (const controller of order) controller.abort(reason);
        const released = release();
        const outcomes = await Promise.allSettled(waiting);
        const elapsed = now() - begun;
        await released;
        const rejected = outcomes.filter(({ status }) => status === "rejected").length;
        insist(rejected === count, `${rejected} of ${count} claims were called off`);
        return elapsed / count;
      };
      await warmUp(pass, size, warmMs);
      return { sample: () => pass(size), check: () => library.bare || checkLimit(limiter, 1) };
    },
  };
}

const contended = {
  start: (limiter, size, work) => limiter.queue(size, work),
  check: (limiter) => checkLimit(limiter, permits),
};

const priorities = {
  start: (limiter, priorities, work) => limiter.prioritized(priorities, work),
  check: (limiter) => checkOrder(limiter, permits, randomPriorities(40)),
  tasksFor: randomPriorities,
};

export const cases = {
  "uncontended-1": alone("1 resource", "one"),
  "uncontended-3": alone("3 resources", "three"),
  try: alone("try", "attempt", trying("attempt")),
  "try-3": alone("try 3", "attemptThree", trying("attemptThree")),
  run: alone("run", "run"),
  "huge-capacity": alone("2^53-1", "one", {
    capacity: Number.MAX_SAFE_INTEGER,
    holds: true,
    bound: { full: 5_000, quick: 3_000 },
  }),
  rate: {
    title: "rate",
    sizes: one,
    uses: "spend",
    maker: "makeRate",
    async prepare(library, _size, timing) {
      const limiter = library.makeRate();
      const check = async () => insist(library.checkRate(), "the rate is not kept");
      return { sample: await sampler((count) => limiter.spend(count), timing), check };
    },
  },
  "uncontended-1-seasoned": alone("1 resource", "one", seasoned),
  "uncontended-3-seasoned": alone("3 resources", "three", seasoned),
  "try-seasoned": alone("try", "attempt", seasoned),
  "try-3-seasoned": alone("try 3", "attemptThree", seasoned),
  "run-seasoned": alone("run", "run", seasoned),
  contended: crowded("queued at once", "queue", contended),
  priorities: crowded("with random priorities", "prioritized", priorities),
  aborts: aborted("called off, a signal each", (size) =>
    Array.from({ length: size }, () => new AbortController()),
  ),
  "aborts-shared": aborted("called off, one signal for all", () => [new AbortController()]),
  memory: {
    title: "bytes a waiting claim",
    sizes: { full: [10_000, 100_000], quick: [10_000] },
    uses: "park",
    bytes: true,
    async prepare(library, size) {
      watchWasm();
      const check = () => checkLimit(library.make(permits), permits);
      return { sample: () => bytesPerWaiter(library.make, size), floor: () => bytesPerPromise(size), check };
    },
  },
};

/** Whether a library can do it. What it cannot is left out, not emulated. */
export function isAble(library, { uses, maker = "make", first, holds = false }) {
  if (holds && library.isRate) return false;
  return (first === undefined || first in library) && library[maker]?.(1)[uses] !== undefined;
}

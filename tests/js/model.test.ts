// Random calls, compared after each with a list that is scanned.
//
// A failure names its seed and its step; `worlds` can be narrowed to that seed to see it again.

import {
  Bursar,
  ClaimTimeoutError,
  ExceedsCapacityError,
  type Lease,
  ManualClock,
  tokenBucket,
} from "bursar";
import { expect, test } from "vitest";
import { Random } from "./support.js";

const worlds = Array.from({ length: 60 }, (_, seed) => seed + 1);
const steps = 120;

const ns = 1_000_000;
type Order = "fair" | "newest";
type Units = { [name: string]: number };

interface Entry {
  readonly id: number;
  readonly demand: Units;
  readonly priority: number;
  /** Nanoseconds. */
  readonly deadline: number;
  readonly ttl: number;
  state: "waiting" | "granted" | "ended";
  held: Units;
  lapse: number;
  bypassed: number;
  barrier: boolean;
}

/** A semaphore, or a bucket that gains a unit a millisecond: its level is counted in nanoseconds of refill. */
interface Stock {
  readonly bucket: boolean;
  capacity: number;
  held: number;
  level: number;
}

/** The rules, with nothing but arrays and scans. */
class Reference {
  now = 0;
  entries: Entry[] = [];
  readonly stocks: { [name: string]: Stock };
  /** What has happened since it was last asked. */
  granted: number[] = [];
  refused: string[] = [];

  readonly order: Order;
  readonly maxBypass: number;

  constructor(order: Order, maxBypass: number, stocks: { [name: string]: Stock }) {
    this.order = order;
    this.maxBypass = maxBypass;
    this.stocks = stocks;
  }

  get waiting(): Entry[] {
    return this.entries.filter(({ state }) => state === "waiting");
  }

  free(name: string): number {
    const { bucket, capacity, held, level } = this.stocks[name]!;
    return bucket ? Math.floor(level / ns) : Math.max(0, capacity - held);
  }

  claim(entry: Entry, wait: boolean): void {
    if (this.isEligible(entry)) {
      this.entries.push(entry);
      this.grant(entry);
      this.watchFirsts();
    } else if (wait) {
      entry.state = "waiting";
      this.entries.push(entry);
      this.watchFirsts();
    }
    this.settle();
  }

  release(entry: Entry): void {
    this.giveBack(entry, entry.held);
    entry.state = "ended";
    this.settle();
  }

  releasePart(entry: Entry, part: Units): void {
    this.giveBack(entry, part);
    this.settle();
  }

  cancel(entry: Entry, what: string): void {
    entry.state = "ended";
    this.refused.push(`${what} ${entry.id}`);
    this.settle();
  }

  resize(name: string, capacity: number): void {
    const stock = this.stocks[name]!;
    stock.capacity = capacity;
    stock.level = Math.min(stock.level, capacity * ns);
    for (const entry of this.waiting) {
      if ((entry.demand[name] ?? 0) <= capacity) continue;
      entry.state = "ended";
      this.refused.push(`too large ${entry.id}`);
    }
    this.settle();
  }

  /** Goes from one moment at which something can happen to the next. */
  advance(end: number): void {
    for (;;) {
      const moments = [end];
      for (const { state, deadline, lapse } of this.entries) {
        if (state === "waiting") moments.push(deadline);
        if (state === "granted") moments.push(lapse);
      }
      for (const { bucket, capacity, level } of Object.values(this.stocks)) {
        if (bucket && level < capacity * ns) moments.push(this.now + ns - (level % ns));
      }
      const next = Math.min(...moments);
      for (const stock of Object.values(this.stocks)) {
        stock.level = Math.min(stock.capacity * ns, stock.level + next - this.now);
      }
      this.now = next;
      this.settle();
      for (const entry of this.entries) {
        if (entry.state === "waiting" && entry.deadline <= next) this.cancel(entry, "timed out");
        if (entry.state === "granted" && entry.lapse <= next) this.release(entry);
      }
      if (next >= end) return;
    }
  }

  private isSenior(one: Entry, other: Entry): boolean {
    return one.priority === other.priority ? one.id < other.id : one.priority > other.priority;
  }

  private isEligible(entry: Entry): boolean {
    const restricts = (barrier: Entry) =>
      this.order === "newest" && !entry.barrier
        ? barrier.priority >= entry.priority
        : this.isSenior(barrier, entry);
    const barriers = this.waiting.filter((other) => other !== entry && other.barrier && restricts(other));
    return Object.entries(entry.demand).every(([name, units]) => {
      const kept = Math.max(0, ...barriers.map(({ demand }) => demand[name] ?? 0));
      return this.free(name) - kept >= units;
    });
  }

  private grant(entry: Entry): void {
    entry.state = "granted";
    entry.barrier = false;
    entry.held = { ...entry.demand };
    entry.lapse = this.now + entry.ttl;
    for (const [name, units] of Object.entries(entry.demand)) {
      this.stocks[name]!.held += units;
      if (this.stocks[name]!.bucket) this.stocks[name]!.level -= units * ns;
    }
    this.granted.push(entry.id);
    // Without a bound nobody counts.
    if (this.maxBypass === Number.POSITIVE_INFINITY) return;
    for (const first of this.firsts()) {
      const shared = Object.keys(first.demand).some((name) => name in entry.demand);
      if (shared && this.isSenior(first, entry) && first.bypassed < this.maxBypass) first.bypassed++;
    }
  }

  private giveBack(entry: Entry, part: Units): void {
    const left = { ...entry.held };
    for (const [name, units] of Object.entries(part)) {
      this.stocks[name]!.held -= units;
      left[name]! -= units;
    }
    entry.held = left;
  }

  /** Of those who want the same resources, the most senior. */
  private firsts(): Entry[] {
    const bySet = new Map<string, Entry>();
    for (const entry of this.waiting) {
      const set = Object.keys(entry.demand).sort().join();
      const first = bySet.get(set);
      if (first === undefined || this.isSenior(entry, first)) bySet.set(set, entry);
    }
    return [...bySet.values()];
  }

  private watchFirsts(): void {
    for (const first of this.firsts()) if (first.bypassed >= this.maxBypass) first.barrier = true;
  }

  private settle(): void {
    for (;;) {
      this.watchFirsts();
      const newest = this.order === "newest";
      const line = this.waiting.sort(
        (a, b) => b.priority - a.priority || (newest ? b.id - a.id : a.id - b.id),
      );
      const next = line.find((entry) => this.isEligible(entry));
      if (next === undefined) return;
      this.grant(next);
    }
  }
}

/** A bursar and its reference under the same calls. */
class World {
  readonly clock = new ManualClock();
  readonly reference: Reference;
  readonly bursar: Bursar;
  readonly leases = new Map<number, Lease>();
  readonly controllers = new Map<number, AbortController>();
  readonly calls: string[] = [];
  granted: number[] = [];
  refused: string[] = [];
  readonly random: Random;
  #last = 0;

  constructor(random: Random) {
    this.random = random;
    const order = random.pick(["fair", "fair", "newest"] as const);
    const maxBypass = random.pick([0, 1, 2, 3, Number.POSITIVE_INFINITY]);
    const stock = (bucket: boolean): Stock => {
      const capacity = 1 + random.below(bucket ? 10 : 5);
      return { bucket, capacity, held: 0, level: capacity * ns };
    };
    const stocks = { a: stock(false), b: stock(false), api: stock(true) };
    this.reference = new Reference(order, maxBypass, stocks);
    const api = tokenBucket({ rate: 1_000, burst: stocks.api.capacity });
    const resources: { [name: string]: number | typeof api } = { a: stocks.a.capacity, b: stocks.b.capacity };
    // Without a bucket and a pause, a bursar does not look at the clock for every call.
    if (random.below(2)) delete (this.reference.stocks as Partial<typeof stocks>).api;
    else resources.api = api;
    this.bursar = new Bursar(resources, { order, maxBypass, clock: this.clock });
    this.calls.push(`${order}, maxBypass ${maxBypass}, ${JSON.stringify(resources)}`);
  }

  step(): void {
    const { random, reference } = this;
    const waiting = reference.waiting;
    const holding = reference.entries.filter(({ state }) => state === "granted");
    const dice = random.below(100);
    if (dice < 40) this.claim();
    else if (dice < 62 && holding.length > 0) this.release(random.pick(holding));
    else if (dice < 67 && holding.length > 0) this.releasePart(random.pick(holding));
    else if (dice < 77 && waiting.length > 0) this.abort(random.pick(waiting));
    else if (dice < 82) this.resize();
    else this.advance(random.below(4) ? random.below(8) : random.below(60));
  }

  claim(): void {
    const { random, reference, bursar } = this;
    const names = Object.keys(reference.stocks).filter(() => random.below(2));
    if (names.length === 0) names.push("a");
    const demand = Object.fromEntries(
      names.map((name) => [name, 1 + random.below(reference.stocks[name]!.capacity)]),
    );
    const id = ++this.#last;
    // Every claim has fractions of its own, so that no two things ever fall due at one moment.
    const timeout = random.below(3) ? Number.POSITIVE_INFINITY : random.below(30) * ns + 10 * id;
    const ttl = random.below(4) ? Number.POSITIVE_INFINITY : (1 + random.below(40)) * ns + 10 * id + 5;
    const priority = random.below(3) ? 0 : random.below(4) - 1;
    const wait = random.below(6) > 0;
    const entry: Entry = {
      ...{ id, demand, priority, ttl, held: {}, lapse: 0, bypassed: 0, barrier: false, state: "ended" },
      deadline: wait ? reference.now + timeout : Number.POSITIVE_INFINITY,
    };
    const plain = priority === 0 && timeout + ttl === Number.POSITIVE_INFINITY && ttl === timeout;
    const controller = random.below(2) ? new AbortController() : undefined;
    const ms = (time: number) => (time === Number.POSITIVE_INFINITY ? undefined : (time + 0.5) / ns);
    const options =
      plain && controller === undefined
        ? undefined
        : { timeout: ms(timeout), ttl: ms(ttl), priority, signal: controller?.signal };
    this.calls.push(`${wait ? "claim" : "try"} ${id} ${JSON.stringify(demand)} ${JSON.stringify(options)}`);
    reference.claim(entry, wait);
    if (!wait) {
      const lease = bursar.tryClaim(demand, options && { priority, ttl: options.ttl });
      if (lease === undefined) return;
      this.granted.push(id);
      this.leases.set(id, lease);
      return;
    }
    if (controller !== undefined) this.controllers.set(id, controller);
    bursar.claim(demand, options).then(
      (lease) => {
        this.granted.push(id);
        this.leases.set(id, lease);
      },
      (reason: unknown) => {
        const what =
          reason instanceof ClaimTimeoutError
            ? "timed out"
            : reason instanceof ExceedsCapacityError
              ? "too large"
              : String(reason);
        this.refused.push(`${what} ${id}`);
      },
    );
  }

  release(entry: Entry): void {
    this.calls.push(`release ${entry.id}`);
    this.reference.release(entry);
    this.leases.get(entry.id)!.release();
  }

  releasePart(entry: Entry): void {
    const names = Object.keys(entry.held).filter(
      (name) => !this.reference.stocks[name]!.bucket && entry.held[name]! > 1,
    );
    if (names.length === 0) return;
    const name = this.random.pick(names);
    const part = { [name]: 1 + this.random.below(entry.held[name]! - 1) };
    this.calls.push(`release ${JSON.stringify(part)} of ${entry.id}`);
    this.reference.releasePart(entry, part);
    this.leases.get(entry.id)!.release(part);
  }

  abort(entry: Entry): void {
    const controller = this.controllers.get(entry.id);
    if (controller === undefined) return;
    this.calls.push(`abort ${entry.id}`);
    this.reference.cancel(entry, "aborted");
    controller.abort("aborted");
  }

  resize(): void {
    const name = this.random.pick(Object.keys(this.reference.stocks));
    const capacity = 1 + this.random.below(6);
    this.calls.push(`resize ${name} to ${capacity}`);
    this.reference.resize(name, capacity);
    const { bucket } = this.reference.stocks[name]!;
    this.bursar.resize(name, bucket ? tokenBucket({ rate: 1_000, burst: capacity }) : capacity);
  }

  advance(milliseconds: number): void {
    this.calls.push(`advance ${milliseconds}`);
    this.reference.advance(this.reference.now + milliseconds * ns);
    this.clock.advance(milliseconds);
  }

  /** What has happened and how things stand, on one side. */
  seen() {
    const { resources, claims, waiting } = this.bursar.snapshot();
    const view = {
      granted: this.granted,
      refused: this.refused.sort(),
      waiting,
      resources: resources.map(({ name, available, held }) => `${name} ${available} ${held}`),
      line: claims
        .filter(({ state }) => state === "waiting")
        .map(({ bypassed, barrier }) => `${bypassed} ${barrier}`),
      ended: [...this.leases].filter(([, lease]) => lease.ended).map(([id]) => id),
    };
    this.granted = [];
    this.refused = [];
    for (const id of view.ended) this.leases.delete(id);
    return view;
  }

  /** The same, on the other. */
  expected() {
    const { reference } = this;
    const ended = new Set(reference.entries.filter(({ state }) => state === "ended").map(({ id }) => id));
    const view = {
      granted: reference.granted,
      refused: reference.refused.sort(),
      waiting: reference.waiting.length,
      resources: Object.entries(reference.stocks).map(
        ([name, { held }]) => `${name} ${reference.free(name)} ${held}`,
      ),
      line: reference.waiting.map(({ bypassed, barrier }) => `${bypassed} ${barrier}`),
      ended: [...this.leases.keys()].filter((id) => ended.has(id)),
    };
    reference.granted = [];
    reference.refused = [];
    reference.entries = reference.entries.filter(({ state }) => state !== "ended");
    return view;
  }
}

test.each(worlds)("a bursar does what the rules say, seed %i", async (seed) => {
  const world = new World(new Random(seed));
  for (let step = 0; step < steps; step++) {
    world.step();
    for (let turn = 0; turn < 5; turn++) await undefined;
    const expected = world.expected();
    const seen = world.seen();
    const story = () => `seed ${seed}, step ${step}:\n${world.calls.slice(-30).join("\n")}`;
    // Comparing as text first: a message for every step would cost more than the steps.
    if (JSON.stringify(seen) !== JSON.stringify(expected)) expect(seen, story()).toEqual(expected);
  }
  for (const controller of world.controllers.values()) controller.abort("aborted");
  for (const lease of world.leases.values()) lease[Symbol.dispose]();
  await undefined;
  while (world.bursar.waiting > 0 || world.leases.size > 0) {
    world.advance(100);
    for (let turn = 0; turn < 5; turn++) await undefined;
    for (const [id, lease] of world.leases) {
      lease[Symbol.dispose]();
      world.leases.delete(id);
    }
    await undefined;
  }
  expect(await Promise.race([world.bursar.idle(), "not idle"])).toBeUndefined();
});

// One ledger's JavaScript side: names, the callers that wait, the timer, and what the ledger's results mean.
//
// Decides nothing. The ledger says who gets what; this file resolves and rejects promises accordingly, and tells the
// ledger the time when it asks for it.

import type { Clock } from "./clock.js";
import { demandOf, pairsOf, textOf } from "./demands.js";
import {
  type BursarError,
  ClaimTimeoutError,
  ClosedError,
  DeadlockError,
  ExceedsCapacityError,
  InvalidOptionError,
  InvalidResourceError,
  LeaseExpiredError,
  ResourceRemovedError,
  UnknownResourceError,
} from "./errors.js";
import { forget, type LeakWatch, leakWatch, remember } from "./leaks.js";
import { ENDED, type Extra, Lease } from "./lease.js";
import { ownerIn } from "./nested.js";
import { ORDERS, optionsOf, type Policy, priorityOf, signalOf, timeoutOf, ttlOf } from "./options.js";
import { refusalOf } from "./refusals.js";
import { type Limit, numbersOf } from "./resources.js";
import { watch } from "./signals.js";
import { shown } from "./text.js";
import type { ClaimOptions, Context, Demand, Leak, Snapshot } from "./types.js";
import { calls, loadWasm, type Pointer, REFUSED, readEvents, readNumbers } from "./wasm.js";

/** Names to numbers. An object without a prototype's names, `__proto__` included, that reads as fast as any. */
function Ids(): void {}
interface Ids {
  [name: string]: number | undefined;
}

/** What src/js/face.rs calls the events. */
const GRANTED = 0;
const EXPIRED = 1;
const WOKEN = 2;
const LAPSED = 3;
const CLOSED = 4;
const TOO_LARGE = 5;
const DEADLOCK = 7;

const LONGEST_TIMER = 0x7fffffff;

// One variable serves all promises: an executor runs at once, so nothing can come in between. Nobody keeps `reject`,
// which would be 60 bytes more for each that waits: a promise resolved with a rejected one is rejected as well.
type Resolve = (lease: Lease | Promise<never>) => void;
let resolveNew: Resolve;
const nobody = (): void => {};
const capture = (resolve: Resolve): void => {
  resolveNew = resolve;
};

let pointers: FinalizationRegistry<Pointer> | undefined;

export class Core {
  readonly pointer: Pointer;
  readonly ids: Ids;
  /** By number. */
  readonly names: (string | undefined)[] = [];
  /** Whether the ledger must be told the time before each call. */
  clocked = false;
  /** Whether the end of a lease concerns nobody on this side: no clock, no timer, no watch. */
  quiet = false;
  /** Of the last claim that was submitted, if it waits. */
  #promise: Promise<Lease> | undefined;
  /** How many claims wait. */
  waiting = 0;
  /** Goes up when a name comes to mean something else, as a getter in a demand may bring about. */
  version = 0;
  readonly leaks: LeakWatch | undefined;
  /** Whether a claim without options can take the short way: nobody watches leases or carries them along, and it concerns nobody else. */
  readonly plain: boolean;
  readonly order: Snapshot["order"];

  readonly #clock: Clock;
  /** By slot: those who wait, and leases with a time to live. */
  readonly #leases: (Lease | undefined)[] = [];
  #timer: unknown;
  #armedAt = Number.POSITIVE_INFINITY;
  #armedWith: unknown;
  #idlers: (() => void)[] | undefined;
  /** The resource that is being resized or removed: why waiting claims may be turned away just now. */
  #changing = "";
  readonly #tick = (): void => {
    this.#timer = undefined;
    this.#armedAt = Number.POSITIVE_INFINITY;
    this.tellTime();
    this.rearm();
    this.#refreshQuiet();
  };

  /** Carries along under which lease code runs. */
  readonly context: Context | undefined;

  constructor(
    policy: Policy,
    clock: Clock,
    onLeak: ((leak: Leak) => void) | undefined,
    context: Context | undefined,
  ) {
    loadWasm();
    this.pointer = calls.create(ORDERS.indexOf(policy.order), policy.maxBypass, policy.maxWaiting);
    this.ids = newIds();
    this.order = policy.order;
    this.#clock = clock;
    this.leaks =
      onLeak &&
      leakWatch(onLeak, (slot) => {
        calls.cancel(this.pointer, slot);
        this.handle(calls.flush(this.pointer));
        this.rearm();
        if (this.#idlers !== undefined) this.#checkIdle();
      });
    // Where the newest come first, a newcomer can make a barrier of an old claim, and that can serve it.
    this.plain = onLeak === undefined && context === undefined && policy.order !== "newest";
    this.context = context;
    pointers ??= new FinalizationRegistry((pointer) => calls.destroy(pointer));
    pointers.register(this, this.pointer);
  }

  // ---- resources

  define(name: string, limit: Limit): void {
    if (this.ids[name] !== undefined) throw new InvalidResourceError(name, "a resource of this name exists");
    if (this.clocked || limit.kind !== "semaphore") this.tellTime();
    const id = calls.define(this.pointer, ...numbersOf(limit));
    if (id === REFUSED) throw this.refusal(name);
    this.ids[name] = id;
    this.version++;
    this.names[id] = name;
    this.#refreshClocked();
  }

  resize(name: string, limit: Limit): void {
    const id = this.idOf(name);
    if (this.clocked) this.tellTime();
    const result = calls.resize(this.pointer, id, ...numbersOf(limit));
    if (result === REFUSED) throw this.refusal(name);
    this.#changing = name;
    this.handle(result);
    this.rearm();
  }

  remove(name: string): void {
    const id = this.idOf(name);
    if (this.clocked) this.tellTime();
    delete this.ids[name];
    this.version++;
    this.#changing = name;
    this.handle(calls.remove(this.pointer, id));
    this.#refreshClocked();
    this.rearm();
  }

  pause(name: string, milliseconds: number): void {
    if (typeof milliseconds !== "number" || !(milliseconds >= 0)) {
      throw new InvalidOptionError(`the pause is ${shown(milliseconds)}; it must be 0 or more milliseconds`);
    }
    const id = this.idOf(name);
    this.tellTime();
    this.handle(calls.pause(this.pointer, id, this.#clock.now() + milliseconds));
    this.#refreshClocked();
    this.rearm();
  }

  setLevel(name: string, units: number): void {
    const id = this.idOf(name);
    if (!Number.isSafeInteger(units) || units < 0) {
      throw new InvalidResourceError(
        name,
        `the level is ${shown(units)}; it must be a whole number, 0 or more`,
      );
    }
    this.tellTime();
    const result = calls.set_level(this.pointer, id, units);
    if (result === REFUSED) throw this.refusal(name);
    this.handle(result);
    this.rearm();
  }

  capacity(name: string): number {
    return calls.capacity(this.pointer, this.idOf(name));
  }

  available(name: string): number {
    const id = this.idOf(name);
    if (this.clocked) this.tellTime();
    return calls.available(this.pointer, id);
  }

  held(name: string): number {
    return calls.held(this.pointer, this.idOf(name));
  }

  idOf(name: string): number {
    const id = typeof name === "string" ? this.ids[name] : undefined;
    if (id === undefined) throw this.unknown(name);
    return id;
  }

  unknown(name: unknown): UnknownResourceError {
    return new UnknownResourceError(typeof name === "string" ? name : shown(name), Object.keys(this.ids));
  }

  // ---- claims

  /**
   * A claim in full, made under the owner if there is one; `promised` gives its promise. `undefined` if it may not wait
   * and was not granted.
   */
  submit(
    demand: Demand,
    given: ClaimOptions | undefined,
    wait: boolean,
    owner?: Lease | undefined,
  ): Lease | undefined {
    const options = optionsOf(given);
    const signal = signalOf(options);
    const timeout = timeoutOf(options);
    const ttl = ttlOf(options);
    const priority = priorityOf(options.priority);
    const pairs = pairsOf(this, demand, 1);
    if (wait && signal?.aborted) throw signal.reason;

    const timed = timeout < Number.POSITIVE_INFINITY || ttl < Number.POSITIVE_INFINITY;
    if (this.clocked || timed) this.tellTime();
    const deadline = timeout < Number.POSITIVE_INFINITY ? this.#clock.now() + timeout : timeout;
    // Now that the ledger knows the time: the owner's may be over.
    if (owner !== undefined && owner._slot < 0) throw owner._endedError();
    if (owner === undefined && this.context !== undefined) owner = ownerIn(this.context, this);
    for (let at = 0; at < pairs.length; at += 2) calls.put(this.pointer, pairs[at]!, pairs[at + 1]!);
    calls.options(this.pointer, priority, deadline, ttl);
    if (owner !== undefined) calls.under(this.pointer, owner._slot);
    const result = calls.claim_put(this.pointer, wait ? 1 : 0);
    if (result === REFUSED) throw this.refusal();
    if (!wait && result < 0) return undefined;

    const lease = new Lease(this);
    const slot = result >= 0 ? result : -1 - result;
    if (timed || signal !== undefined) lease._extra = { ...this.noExtra(), pairs, timeout, ttl };
    if (this.leaks !== undefined) remember(this.leaks, lease, slot, demandOf(this.names, pairs));
    if (result >= 0) {
      lease._slot = slot;
      if (ttl < Number.POSITIVE_INFINITY) this.#leases[result] = lease;
      if (!this.plain) this.handle(calls.flush(this.pointer));
      if (timed) this.rearm();
      return lease;
    }
    const promise = this.#wait(lease, slot);
    if (ttl < Number.POSITIVE_INFINITY) this.#refreshClocked();
    if (timed) this.rearm();
    if (signal !== undefined) {
      try {
        lease._extra!.signal = watch(signal, lease);
      } catch (error) {
        // A signal that is none after all: nobody will hold the promise.
        promise.catch(nobody);
        this.abandon([lease], error);
        throw error;
      }
    }
    if (!this.plain) this.handle(calls.flush(this.pointer));
    this.#promise = promise;
    return lease;
  }

  /** The promise of what was submitted just now. */
  promised(lease: Lease): Promise<Lease> {
    const promise = this.#promise ?? Promise.resolve(lease);
    this.#promise = undefined;
    return promise;
  }

  /** A claim of one to three resources that was not granted the short way, as `submit`. */
  park(priority: number, a: number, x: number, b: number, y: number, c: number, z: number): Promise<Lease> {
    const { pointer } = this;
    calls.put(pointer, a, x);
    if (y !== 0) calls.put(pointer, b, y);
    if (z !== 0) calls.put(pointer, c, z);
    if (priority !== 0) calls.options(pointer, priority, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    const result = calls.claim_put(pointer, 1);
    if (result === REFUSED) return Promise.reject(this.refusal());
    const lease = new Lease(this);
    if (result < 0) return this.#wait(lease, -1 - result);
    lease._slot = result;
    return Promise.resolve(lease);
  }

  /** The same for one that may not wait. */
  attempt(a: number, x: number, b: number, y: number, c: number, z: number): Lease | undefined {
    const { pointer } = this;
    calls.put(pointer, a, x);
    if (y !== 0) calls.put(pointer, b, y);
    if (z !== 0) calls.put(pointer, c, z);
    const result = calls.claim_put(pointer, 0);
    if (result === REFUSED) throw this.refusal();
    if (result < 0) return undefined;
    const lease = new Lease(this);
    lease._slot = result;
    return lease;
  }

  /** The promise of a claim that the ledger has parked. */
  #wait(lease: Lease, slot: number): Promise<Lease> {
    const promise = new Promise<Lease>(capture);
    lease._slot = slot;
    lease._resolve = resolveNew;
    // Else the last lease that waited could not be collected.
    resolveNew = nobody;
    this.#leases[slot] = lease;
    this.waiting++;
    if (!this.quiet) this.rearm();
    return promise;
  }

  /** Gives a part back, or settles. */
  give(call: "release_part" | "settle_use", lease: Lease, part: Demand, least: number): void {
    const pairs = pairsOf(this, part, least);
    if (this.clocked) this.tellTime();
    for (let at = 0; at < pairs.length; at += 2) calls.put(this.pointer, pairs[at]!, pairs[at + 1]!);
    const result = calls[call](this.pointer, lease._slot);
    if (result === REFUSED) throw this.refusal();
    this.handle(result);
    this.rearm();
  }

  setPriority(lease: Lease, priority: unknown): void {
    const checked = priorityOf(priority);
    if (lease._resolve === undefined) return;
    if (this.clocked) this.tellTime();
    this.handle(calls.set_priority(this.pointer, lease._slot, checked));
    this.rearm();
  }

  /** A lease has been given back. */
  ended(lease: Lease, slot: number): void {
    if (this.leaks !== undefined) forget(this.leaks, lease);
    const extra = lease._extra;
    if (extra !== undefined && extra.ttl !== Number.POSITIVE_INFINITY) this.#leases[slot] = undefined;
    if (this.clocked || this.#armedAt !== Number.POSITIVE_INFINITY) this.rearm();
    if (this.#idlers !== undefined) this.#checkIdle();
  }

  /** Tells the ledger the time, where that matters. */
  catchUp(): void {
    if (this.clocked) this.tellTime();
    this.rearm();
  }

  /** Claims that wait, after `catchUp`, are given up together: none is served by the end of another. */
  abandon(leases: readonly Lease[], reason: unknown): void {
    const resolves = leases.map((lease) => lease._resolve!);
    for (const lease of leases) calls.cancel(this.pointer, lease._slot);
    this.handle(calls.flush(this.pointer));
    for (const lease of leases) {
      this.#leaveQueue(lease);
      if (this.leaks !== undefined) forget(this.leaks, lease);
      lease._slot = ENDED;
    }
    this.#refreshClocked();
    this.rearm();
    if (this.#idlers !== undefined) this.#checkIdle();
    for (const resolve of resolves) resolve(Promise.reject(reason));
  }

  /** A claim no longer waits. */
  #leaveQueue(lease: Lease): void {
    this.waiting--;
    this.#leases[lease._slot] = undefined;
    lease._resolve = undefined;
    const extra = lease._extra;
    if (extra?.signal !== undefined) {
      extra.signal.remove(lease);
      delete extra.signal;
    }
  }

  noExtra(): Extra {
    const never = Number.POSITIVE_INFINITY;
    return { pairs: [], timeout: never, ttl: never, lapsed: false, granted: false };
  }

  // ---- time

  /** Asks the ledger again whether it has to be told the time. */
  #refreshClocked(): void {
    this.clocked = calls.needs_time(this.pointer) !== 0;
    this.#refreshQuiet();
  }

  #refreshQuiet(): void {
    const timeless = !this.clocked && this.#armedAt === Number.POSITIVE_INFINITY;
    this.quiet = timeless && this.leaks === undefined && this.#idlers === undefined;
  }

  tellTime(): void {
    this.handle(calls.advance(this.pointer, this.#clock.now()));
  }

  /** Sets the timer to what the ledger waits for. It keeps the process alive only while somebody waits. */
  rearm(): void {
    const at = calls.next_wakeup(this.pointer);
    // Fake timers, when they go, take along what was set with them.
    const { setTimeout } = globalThis;
    if (at !== this.#armedAt || setTimeout !== this.#armedWith) {
      this.#armedWith = setTimeout;
      if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#armedAt = at;
      this.#refreshQuiet();
      if (at === Number.POSITIVE_INFINITY) return;
      const delay = Math.max(0, Math.ceil(at - this.#clock.now()));
      this.#timer = this.#clock.setTimeout(this.#tick, Math.min(delay, LONGEST_TIMER));
    }
    const timer = this.#timer as { ref?(): void; unref?(): void } | undefined;
    if (this.waiting > 0) timer?.ref?.();
    else timer?.unref?.();
  }

  // ---- what the ledger says

  /** The result of a call that was carried out: see src/js/mod.rs. */
  handle(result: number): void {
    if (result >= 0) this.#grant(result);
    else if (result < -1 && result !== REFUSED) this.#handleEvents(readEvents(this.pointer, -1 - result));
  }

  #grant(slot: number): void {
    const lease = this.#leases[slot]!;
    const resolve = lease._resolve!;
    this.#leaveQueue(lease);
    const extra = lease._extra;
    if (extra !== undefined) {
      extra.granted = true;
      if (extra.ttl !== Number.POSITIVE_INFINITY) {
        this.#leases[slot] = lease;
        this.#refreshClocked();
        this.rearm();
      }
    }
    resolve(lease);
  }

  #handleEvents(events: number[]): void {
    for (let at = 0; at < events.length; at += 2) {
      const slot = events[at + 1]!;
      const kind = events[at]!;
      if (kind === GRANTED) this.#grant(slot);
      else if (kind === WOKEN) this.#wake(this.#leases[slot]!);
      else if (kind === LAPSED) this.#lapse(slot);
      else this.#turnAway(this.#leases[slot]!, kind);
    }
    if (this.#idlers !== undefined) this.#checkIdle();
  }

  #turnAway(lease: Lease, kind: number): void {
    const resolve = lease._resolve!;
    this.#leaveQueue(lease);
    this.#refreshClocked();
    if (this.leaks !== undefined) forget(this.leaks, lease);
    lease._slot = ENDED;
    resolve(Promise.reject(this.#whyNot(kind, lease)));
  }

  #whyNot(kind: number, lease: Lease): BursarError {
    if (kind === EXPIRED) {
      const { timeout, pairs } = lease._extra!;
      return new ClaimTimeoutError(timeout, textOf(this.names, pairs));
    }
    if (kind === CLOSED) return new ClosedError();
    const name = this.#changing;
    if (kind === TOO_LARGE) return new ExceedsCapacityError(name, undefined, this.capacity(name));
    if (kind === DEADLOCK) return new DeadlockError([], name);
    return new ResourceRemovedError(name);
  }

  /** Greedy: the caller asks again a moment later, so that those who ask right now are not held up. */
  #wake(lease: Lease): void {
    const slot = lease._slot;
    queueMicrotask(() => {
      if (lease._slot !== slot) return;
      if (this.clocked) this.tellTime();
      if (lease._resolve === undefined) return;
      if (calls.retry(this.pointer, slot) === 1) this.#grant(slot);
      this.handle(calls.flush(this.pointer));
      this.rearm();
    });
  }

  #lapse(slot: number): void {
    const lease = this.#leases[slot]!;
    this.#leases[slot] = undefined;
    lease._slot = ENDED;
    if (this.leaks !== undefined) forget(this.leaks, lease);
    const extra = lease._extra!;
    extra.lapsed = true;
    // Listeners are the user's code, which must not run inside a call.
    if (extra.controller !== undefined) {
      queueMicrotask(() => extra.controller?.abort(new LeaseExpiredError(extra.ttl)));
    }
  }

  // ---- idling and closing

  isIdle(): boolean {
    return calls.waiting(this.pointer) === 0 && calls.leases(this.pointer) === 0;
  }

  idle(): Promise<void> {
    if (this.isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idlers ??= [];
      this.#idlers.push(resolve);
      this.#refreshQuiet();
    });
  }

  #checkIdle(): void {
    if (!this.isIdle()) return;
    const idlers = this.#idlers ?? [];
    this.#idlers = undefined;
    this.#refreshQuiet();
    for (const resolve of idlers) resolve();
  }

  close(drain: boolean): void {
    if (this.clocked) this.tellTime();
    this.handle(calls.close(this.pointer, drain ? 1 : 0));
    this.rearm();
  }

  /** Why the last call was refused. `about` names the resource that it was about. */
  refusal(about = ""): BursarError {
    return refusalOf(readNumbers(this.pointer, calls.last_error(this.pointer)), this.names, about);
  }
}

function newIds(): Ids {
  if (Object.getPrototypeOf(Ids.prototype) !== null) Ids.prototype = Object.create(null);
  return new (Ids as unknown as new () => Ids)();
}

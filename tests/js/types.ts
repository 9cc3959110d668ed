// The package's types, tested by the compiler alone: `tsc` reads this file, nothing runs it. Each `@ts-expect-error`
// is an error if the line below it compiles.

import {
  type AnyBursar,
  atMost,
  Bursar,
  BursarError,
  type BursarErrorCode,
  type BursarOptions,
  type Claim,
  type ClaimOptions,
  ClaimTimeoutError,
  type Clock,
  type Demand,
  ExceedsCapacityError,
  type Leak,
  type Lease,
  ManualClock,
  NoopBursar,
  type ResourceSpec,
  type Resources,
  type Snapshot,
  semaphore,
  type TokenBucket,
  tokenBucket,
} from "bursar";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles where both types are the same. */
const same = <A, B>(_same: Same<A, B>): void => {};

type Name = "db" | "ramMb" | "api";

export const bursar = new Bursar({ db: 2, ramMb: 4096, api: tokenBucket({ rate: 50, burst: 100 }) });

/** Names are those of the constructor. */
export function names() {
  same<typeof bursar, Bursar<Name>>(true);
  same<typeof loose, Bursar<string>>(true);
  const loose = new Bursar<string>({ db: 1 });
  const fromRecord = new Bursar(Object.fromEntries([["db", 1]]));
  same<typeof fromRecord, Bursar<string>>(true);
  const resources = { db: 1, gpu: semaphore(2), mails: atMost(750, { per: 3_600_000 }) } as const;
  const fromConst = new Bursar(resources);
  same<typeof fromConst, Bursar<"db" | "gpu" | "mails">>(true);
  loose.define("anything", 1);
  void loose.claim({ anything: 1 });
}

/** What a resource can be. */
export function resources() {
  // @ts-expect-error a string is no resource
  new Bursar({ db: "2" });
  // @ts-expect-error nor is undefined
  new Bursar({ db: undefined });
  // @ts-expect-error nor a BigInt
  new Bursar({ db: 2n });
  // @ts-expect-error nor a kind that there is not
  new Bursar({ db: { kind: "mutex", permits: 1 } });
  // @ts-expect-error there must be resources
  new Bursar();
  // @ts-expect-error a bucket needs its burst
  tokenBucket({ rate: 50 });
  // @ts-expect-error a rate is a number
  tokenBucket({ rate: "50", burst: 1 });
  // @ts-expect-error there is no such option
  tokenBucket({ rate: 50, burst: 1, interval: 1 });
  // @ts-expect-error a window has a length
  atMost(750);
  const bucket: TokenBucket = tokenBucket({ rate: 50, burst: 1 });
  // @ts-expect-error a spec is not to be changed
  bucket.rate = 5;
  const written: ResourceSpec = { kind: "tokenBucket", rate: 50, burst: 100 };
  const all: Resources<"db" | "api"> = { db: 1, api: written };
  same<Bursar<"db" | "api">, ReturnType<typeof make>>(true);
  const make = () => new Bursar(all);
  bursar.resize("db", 5);
  bursar.resize("api", tokenBucket({ rate: 1, burst: 1 }));
  // @ts-expect-error no such resource
  bursar.resize("gpu", 5);
  // @ts-expect-error a string is no limit
  bursar.resize("db", "5");
  // @ts-expect-error names beyond the constructor's need a Bursar<string>
  bursar.define("gpu", 5);
  // @ts-expect-error no such resource
  bursar.capacity("gpu");
  // @ts-expect-error no such resource
  bursar.available("gpu");
  // @ts-expect-error no such resource
  bursar.remove("gpu");
  // @ts-expect-error a pause has a length
  bursar.pause("db");
  // @ts-expect-error a level is a number
  bursar.setLevel("api", "5");
  same<ReturnType<typeof bursar.capacity>, number>(true);
}

/** What a claim can be of. */
export async function demands() {
  void bursar.claim({ db: 1 });
  void bursar.claim({ db: 1, ramMb: 512, api: 1 });
  const demand = { db: 1, ramMb: 512 };
  void bursar.claim(demand);
  const frozen: Demand<Name> = Object.freeze({ db: 1 });
  void bursar.claim(frozen);
  // @ts-expect-error a demand is not to be changed
  frozen.db = 2;
  // @ts-expect-error no such resource
  void bursar.claim({ gpu: 1 });
  // @ts-expect-error no such resource, beside one that there is
  void bursar.claim({ db: 1, gpu: 1 });
  // @ts-expect-error a misspelt resource
  void bursar.claim({ rammb: 1 });
  // @ts-expect-error a string is no number of units
  void bursar.claim({ db: "1" });
  // @ts-expect-error nor is a BigInt
  void bursar.claim({ db: 1n });
  // @ts-expect-error nor is undefined
  void bursar.claim({ db: undefined });
  // @ts-expect-error nor is null
  void bursar.claim({ db: null });
  // @ts-expect-error there must be a demand
  void bursar.claim();
  // @ts-expect-error a name alone is no demand
  void bursar.claim("db");
  // @ts-expect-error no such resource
  bursar.tryClaim({ gpu: 1 });
  // @ts-expect-error no such resource
  bursar.enqueue({ gpu: 1 });
  // @ts-expect-error no such resource
  void bursar.run({ gpu: 1 }, () => {});
}

/** How a claim waits. */
export function claimOptions(signal: AbortSignal | undefined, timeout: number | undefined) {
  void bursar.claim({ db: 1 }, { timeout: 5_000, signal: AbortSignal.timeout(5), priority: 10, ttl: 60_000 });
  void bursar.claim({ db: 1 }, { signal, timeout });
  void bursar.claim({ db: 1 }, {});
  void bursar.claim({ db: 1 }, undefined);
  // @ts-expect-error a misspelt option
  void bursar.claim({ db: 1 }, { timeOut: 5_000 });
  // @ts-expect-error a string is no timeout
  void bursar.claim({ db: 1 }, { timeout: "5s" });
  // @ts-expect-error a controller is no signal
  void bursar.claim({ db: 1 }, { signal: new AbortController() });
  // @ts-expect-error a word is no priority
  void bursar.claim({ db: 1 }, { priority: "high" });
  // @ts-expect-error null is no signal
  void bursar.claim({ db: 1 }, { signal: null });
  // @ts-expect-error what does not wait has no timeout
  bursar.tryClaim({ db: 1 }, { timeout: 5_000 });
  bursar.tryClaim({ db: 1 }, { priority: 10, ttl: 60_000 });
  const options: ClaimOptions = { timeout: 5_000 };
  void bursar.run({ db: 1 }, () => {}, options);
  // @ts-expect-error a misspelt option
  void bursar.run({ db: 1 }, () => {}, { prio: 1 });
  // @ts-expect-error a misspelt option
  bursar.enqueue({ db: 1 }, { prio: 1 });
}

/** How a bursar treats those who wait. */
export function bursarOptions() {
  const clock: Clock = new ManualClock();
  const onLeak = (leak: Leak) => console.log(leak.demand, leak.stack);
  new Bursar({ db: 1 }, { order: "newest", maxBypass: 0, maxWaiting: 10, clock, onLeak });
  const options: BursarOptions = { order: undefined, maxBypass: Number.POSITIVE_INFINITY };
  new Bursar({ db: 1 }, options);
  // @ts-expect-error an order that there is not
  new Bursar({ db: 1 }, { order: "lifo" });
  // @ts-expect-error a misspelt option
  new Bursar({ db: 1 }, { maxBypasses: 5 });
  // @ts-expect-error a clock has timers
  new Bursar({ db: 1 }, { clock: { now: () => 0 } });
  // @ts-expect-error a function is wanted
  new Bursar({ db: 1 }, { onLeak: true });
}

/** What a granted claim gives. */
export async function leases() {
  const lease = await bursar.claim({ db: 1 });
  same<typeof lease, Lease<Name>>(true);
  lease.release({ db: 1 });
  lease.release();
  lease.settle({ api: 3 });
  // @ts-expect-error no such resource
  lease.release({ gpu: 1 });
  // @ts-expect-error a string is no number of units
  lease.release({ db: "1" });
  // @ts-expect-error no such resource
  lease.settle({ gpu: 1 });
  // @ts-expect-error a use must be told
  lease.settle();
  same<typeof lease.ended, boolean>(true);
  same<typeof lease.signal, AbortSignal>(true);
  // @ts-expect-error not to be changed
  lease.ended = true;
  const tried = bursar.tryClaim({ db: 1 });
  same<typeof tried, Lease<Name> | undefined>(true);
  // @ts-expect-error there may be none
  tried.release();
}

/** `using` takes a lease, and what `tryClaim` gives. */
export async function disposal() {
  using lease = await bursar.claim({ db: 1 });
  using tried = bursar.tryClaim({ db: 1 });
  await using awaited = await bursar.claim({ db: 1 });
  const disposable: Disposable & AsyncDisposable = lease;
  return [disposable, tried, awaited];
}

/** `run` gives what its function does. */
export async function runs() {
  const text = await bursar.run({ db: 1 }, () => "text");
  same<typeof text, string>(true);
  const number = await bursar.run({ db: 1 }, async () => 5);
  same<typeof number, number>(true);
  const either = await bursar.run({ db: 1 }, (lease) => (lease.ended ? 5 : Promise.resolve(6)));
  same<typeof either, number>(true);
  const nothing = await bursar.run({ db: 1 }, () => {});
  same<typeof nothing, void>(true);
  await bursar.run({ db: 1 }, (lease) => {
    same<typeof lease, Lease<Name>>(true);
    return fetch("https://example.org", { signal: lease.signal });
  });
  // @ts-expect-error a function is wanted
  void bursar.run({ db: 1 }, Promise.resolve());
  // @ts-expect-error a function is wanted
  void bursar.run({ db: 1 });
}

/** A claim that can be steered. */
export async function claims() {
  const claim = bursar.enqueue({ db: 1 });
  same<typeof claim, Claim<Name>>(true);
  same<typeof claim.lease, Promise<Lease<Name>>>(true);
  same<typeof claim.state, "waiting" | "granted" | "ended">(true);
  same<typeof claim.position, number | undefined>(true);
  same<typeof claim.shortOf.db, number | undefined>(true);
  claim.priority = 5;
  same<ReturnType<typeof claim.cancel>, boolean>(true);
  // @ts-expect-error not to be changed
  claim.state = "ended";
  // @ts-expect-error not to be changed
  claim.position = 0;
  // @ts-expect-error no such resource
  claim.shortOf.gpu;
}

/** The snapshot is to be read. */
export function snapshots() {
  const snapshot = bursar.snapshot();
  same<typeof snapshot, Snapshot<Name>>(true);
  // @ts-expect-error not to be changed
  snapshot.waiting = 0;
  // @ts-expect-error not to be changed
  snapshot.resources.push();
  // @ts-expect-error not to be changed
  snapshot.resources[0]!.available = 0;
  // @ts-expect-error not to be changed
  snapshot.claims[0]!.demand.db = 0;
  // @ts-expect-error not to be changed
  bursar.waiting = 0;
  same<(typeof snapshot.claims)[number]["state"], "waiting" | "granted">(true);
}

/** `AnyBursar` takes a bursar and its stand-in. */
export async function standIns() {
  const work = (any: AnyBursar<Name>) => any.run({ db: 1, api: 1 }, (lease) => lease.ended);
  same<Awaited<ReturnType<typeof work>>, boolean>(true);
  await work(bursar);
  await work(new NoopBursar({ db: 1, ramMb: 1, api: 1 }));
  await work(new NoopBursar<Name>());
  const either: AnyBursar<"db"> = Math.random() < 0.5 ? new Bursar({ db: 1 }) : new NoopBursar({ db: 1 });
  using lease = await either.claim({ db: 1 }, { timeout: 5 });
  // @ts-expect-error no such resource
  void either.claim({ gpu: 1 });
  // @ts-expect-error internals are not part of it
  either._core;
  return lease;
}

/** Errors are told apart by class and by code. */
export function errors(error: unknown): BursarErrorCode | number | undefined {
  if (error instanceof ClaimTimeoutError) return error.timeout;
  if (error instanceof ExceedsCapacityError) return error.wanted;
  if (!(error instanceof BursarError)) return undefined;
  const asError: Error = error;
  switch (error.code) {
    case "QUEUE_FULL":
      return asError.message.length;
    // @ts-expect-error a code that there is not
    case "QUEUE_EMPTY":
      return 0;
    default:
      return error.code;
  }
}

/** Internals are not to be seen. */
export async function internals() {
  // @ts-expect-error
  bursar._core;
  // @ts-expect-error
  (await bursar.claim({ db: 1 }))._ticket;
  // @ts-expect-error
  (await import("bursar")).Lease;
}

/** Ends give promises of nothing. */
export function ends() {
  same<ReturnType<typeof bursar.idle>, Promise<void>>(true);
  same<ReturnType<typeof bursar.shutdown>, Promise<void>>(true);
  void bursar.shutdown({ drain: true });
  void bursar.shutdown({ drain: undefined });
  // @ts-expect-error a misspelt option
  void bursar.shutdown({ drained: true });
}

// The snapshot shows what there is, who has it and who waits for it, as plain data that stays as it was.

import { atMost, Bursar, ManualClock, tokenBucket } from "bursar";
import { expect, it } from "vitest";

it("of a new bursar shows its resources, by the order of their definition", () => {
  const bursar = new Bursar(
    { db: 2, api: tokenBucket({ rate: 50, burst: 100 }), mails: atMost(750, { per: 3_600_000, burst: 10 }) },
    { clock: new ManualClock() },
  );
  const rest = { held: 0, debt: 0, waiting: 0 };
  expect(bursar.snapshot()).toEqual({
    order: "fair",
    closed: false,
    waiting: 0,
    leases: 0,
    resources: [
      { name: "db", kind: "semaphore", capacity: 2, available: 2, ...rest },
      { name: "api", kind: "tokenBucket", capacity: 100, rate: 50, available: 100, ...rest },
      {
        name: "mails",
        kind: "tokenBucket",
        capacity: 10,
        rate: expect.closeTo(740 / 3_600, 9),
        available: 10,
        ...rest,
      },
    ],
    claims: [],
  });
});

it("shows claims by arrival, whatever their priority, with all that is known of each", async () => {
  const clock = new ManualClock();
  clock.advance(100);
  const bursar = new Bursar({ db: 2, gpu: 1 }, { clock });
  await bursar.claim({ db: 2, gpu: 1 }, { ttl: 500, priority: 3 });
  const waits = [
    bursar.enqueue({ gpu: 1 }, { timeout: 50, priority: -7 }),
    bursar.enqueue({ db: 1 }, { priority: 5 }),
  ];
  const common = { bypassed: 0, barrier: false };
  expect(bursar.snapshot()).toMatchObject({
    waiting: 2,
    leases: 1,
    resources: [
      { name: "db", available: 0, held: 2, waiting: 1 },
      { name: "gpu", available: 0, held: 1, waiting: 1 },
    ],
  });
  expect(bursar.snapshot().claims).toEqual([
    { state: "granted", demand: { db: 2, gpu: 1 }, priority: 3, deadline: 600, ...common },
    { state: "waiting", demand: { gpu: 1 }, priority: -7, deadline: 150, ...common },
    { state: "waiting", demand: { db: 1 }, priority: 5, ...common },
  ]);
  for (const wait of waits) wait.cancel();
});

it("shows who was passed how often, and for whom units are kept", async () => {
  const bursar = new Bursar({ db: 3 }, { maxBypass: 1 });
  const lease = await bursar.claim({ db: 2 });
  const large = bursar.enqueue({ db: 3 });
  const small = await bursar.claim({ db: 1 });
  small.release();
  expect(bursar.snapshot().claims[1]).toMatchObject({ state: "waiting", bypassed: 1, barrier: true });
  expect(bursar.tryClaim({ db: 1 })).toBeUndefined();
  lease.release();
  await large.lease;
});

it("follows the parts that a lease gives back", async () => {
  const bursar = new Bursar({ db: 3, gpu: 1 });
  const lease = await bursar.claim({ db: 3, gpu: 1 });
  lease.release({ db: 2 });
  expect(bursar.snapshot().claims[0]?.demand).toEqual({ db: 1, gpu: 1 });
});

it("shows the level of a bucket as it is now, and its debt", async () => {
  const clock = new ManualClock();
  const bursar = new Bursar({ api: tokenBucket({ rate: 2, burst: 10 }) }, { clock });
  const lease = await bursar.claim({ api: 10 });
  clock.advance(1_500);
  expect(bursar.snapshot().resources[0]).toMatchObject({ available: 3, held: 10, debt: 0 });
  lease.settle({ api: 17 });
  expect(bursar.snapshot().resources[0]).toMatchObject({ available: 0, held: 17, debt: 4 });
  lease.release();
  clock.advance(2_000);
  expect(bursar.snapshot().resources[0]).toMatchObject({ available: 0, held: 0, debt: 0 });
});

it("shows until when a resource is paused, and nothing once that is over", () => {
  const clock = new ManualClock();
  clock.advance(100);
  const bursar = new Bursar({ db: 1 }, { clock });
  bursar.pause("db", 50);
  expect(bursar.snapshot().resources[0]).toMatchObject({ available: 0, pausedUntil: 150 });
  clock.advance(50);
  expect(bursar.snapshot().resources[0]).toMatchObject({ available: 1 });
  expect(bursar.snapshot().resources[0]).not.toHaveProperty("pausedUntil");
});

it("shows that a resource is paused for ever", () => {
  const bursar = new Bursar({ db: 1 }, { clock: new ManualClock() });
  bursar.pause("db", Number.POSITIVE_INFINITY);
  expect(bursar.snapshot().resources[0]).toMatchObject({
    available: 0,
    pausedUntil: Number.POSITIVE_INFINITY,
  });
});

it.each(["fair", "newest", "greedy"] as const)("names the order %s", (order) => {
  expect(new Bursar({ db: 1 }, { order }).snapshot().order).toBe(order);
});

it("is plain data, which survives JSON", async () => {
  const bursar = new Bursar({ db: 1, api: tokenBucket({ rate: 1, burst: 1 }) }, { clock: new ManualClock() });
  await bursar.claim({ db: 1 });
  const snapshot = bursar.snapshot();
  expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
});

it("stays as it was, and changing it changes nothing", async () => {
  const bursar = new Bursar({ db: 1 });
  const before = bursar.snapshot();
  const lease = await bursar.claim({ db: 1 });
  expect([before.leases, before.resources[0]?.available]).toEqual([0, 1]);
  Object.assign(before.resources[0]!, { available: 100, name: "gpu" });
  lease.release();
  expect(bursar.snapshot().resources[0]).toMatchObject({ name: "db", available: 1 });
});

it("counts a thousand claims", async () => {
  const bursar = new Bursar({ db: 500 });
  const runs = Array.from({ length: 1_000 }, () => bursar.run({ db: 1 }, () => Promise.resolve()));
  const snapshot = bursar.snapshot();
  expect([snapshot.leases, snapshot.waiting, snapshot.claims.length]).toEqual([500, 500, 1_000]);
  expect(snapshot.resources[0]).toMatchObject({ held: 500, waiting: 500 });
  await Promise.all(runs);
  expect(bursar.snapshot()).toMatchObject({ leases: 0, waiting: 0, claims: [] });
});

// `tryClaim` gets what is free now, or nothing.

import { Bursar, ExceedsCapacityError, ManualClock, tokenBucket } from "bursar";
import { expect, test } from "vitest";
import { settle, stateOf } from "./support.js";

test("it gives a lease, not a promise", () => {
  const bursar = new Bursar({ db: 1 });
  const lease = bursar.tryClaim({ db: 1 })!;
  expect(lease).not.toHaveProperty("then");
  expect(lease.ended).toBe(false);
  lease.release();
  expect(bursar.available("db")).toBe(1);
});

test("it gives undefined where the units are taken, and takes nothing", () => {
  const bursar = new Bursar({ db: 1, ram: 10 });
  const held = bursar.tryClaim({ db: 1 })!;
  expect(bursar.tryClaim({ db: 1 })).toBeUndefined();
  expect(bursar.tryClaim({ db: 1, ram: 10 })).toBeUndefined();
  expect(bursar.available("ram")).toBe(10);
  held.release();
  expect(bursar.tryClaim({ db: 1, ram: 10 })).toBeDefined();
});

test("it leaves nothing in the line", async () => {
  const bursar = new Bursar({ db: 1 });
  const held = bursar.tryClaim({ db: 1 })!;
  bursar.tryClaim({ db: 1 });
  expect(bursar.waiting).toBe(0);
  held.release();
  await settle();
  expect(bursar.available("db")).toBe(1);
});

test("it passes a waiting claim that does not fit, as any claim may", async () => {
  const bursar = new Bursar({ db: 2 });
  bursar.tryClaim({ db: 1 });
  const heavy = bursar.claim({ db: 2 });
  expect(bursar.tryClaim({ db: 1 })).toBeDefined();
  expect(await stateOf(heavy)).toBe("pending");
});

test("it does not take units that are kept for somebody", async () => {
  const bursar = new Bursar({ db: 2, ram: 1 }, { maxBypass: 0 });
  const held = bursar.tryClaim({ db: 1 })!;
  const heavy = bursar.claim({ db: 2 });
  expect(bursar.available("db")).toBe(1);
  expect(bursar.tryClaim({ db: 1 })).toBeUndefined();
  expect(bursar.tryClaim({ ram: 1 })).toBeDefined();
  held.release();
  await heavy;
});

test("with a higher priority it does", () => {
  const bursar = new Bursar({ db: 2 }, { maxBypass: 0 });
  bursar.tryClaim({ db: 1 });
  bursar.claim({ db: 2 }).catch(() => {});
  expect(bursar.tryClaim({ db: 1 }, { priority: 1 })).toBeDefined();
});

test("an attempt that fails passes nobody", async () => {
  const bursar = new Bursar({ db: 2 }, { maxBypass: 1 });
  const held = bursar.tryClaim({ db: 2 })!;
  const heavy = bursar.claim({ db: 2 });
  for (let attempt = 0; attempt < 10; attempt++) expect(bursar.tryClaim({ db: 1 })).toBeUndefined();
  expect(bursar.snapshot().claims[1]).toMatchObject({ state: "waiting", bypassed: 0, barrier: false });
  held.release();
  await heavy;
});

test("it throws at once where the demand could never be granted", () => {
  const bursar = new Bursar({ db: 1 });
  expect(() => bursar.tryClaim({ db: 2 })).toThrow(ExceedsCapacityError);
  expect(bursar.available("db")).toBe(1);
});

test("it sees tokens that have come in by now", () => {
  const clock = new ManualClock();
  const bursar = new Bursar({ api: tokenBucket({ rate: 10, burst: 1 }) }, { clock });
  expect(bursar.tryClaim({ api: 1 })).toBeDefined();
  clock.advance(99);
  expect(bursar.tryClaim({ api: 1 })).toBeUndefined();
  clock.advance(1);
  expect(bursar.tryClaim({ api: 1 })).toBeDefined();
});

test("its lease can have a ttl", () => {
  const clock = new ManualClock();
  const bursar = new Bursar({ db: 1 }, { clock });
  const lease = bursar.tryClaim({ db: 1 }, { ttl: 50 })!;
  clock.advance(50);
  expect(lease.ended).toBe(true);
  expect(bursar.available("db")).toBe(1);
});

test("a demand of many resources works as well", () => {
  const bursar = new Bursar({ a: 1, b: 1, c: 1, d: 1, e: 1 });
  const lease = bursar.tryClaim({ a: 1, b: 1, c: 1, d: 1, e: 1 })!;
  expect(bursar.tryClaim({ a: 1, b: 1, c: 1, d: 1, e: 1 })).toBeUndefined();
  lease.release();
  expect(bursar.tryClaim({ a: 1, b: 1, c: 1, d: 1, e: 1 })).toBeDefined();
});

test("it holds within its block under using", () => {
  const bursar = new Bursar({ db: 1 });
  {
    using lease = bursar.tryClaim({ db: 1 });
    expect(lease).toBeDefined();
    using none = bursar.tryClaim({ db: 1 });
    expect(none).toBeUndefined();
  }
  expect(bursar.available("db")).toBe(1);
});

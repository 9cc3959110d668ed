// A claim gets all that it asks for, or waits and takes nothing.

import { Bursar, ExceedsCapacityError } from "bursar";
import { expect, test } from "vitest";
import { reasonOf, settle, stateOf } from "./support.js";

const MOST = Number.MAX_SAFE_INTEGER;

test("a claim that fits is granted at once", async () => {
  const bursar = new Bursar({ db: 2 });
  const lease = await bursar.claim({ db: 2 });
  expect(lease.ended).toBe(false);
  expect(bursar.available("db")).toBe(0);
  expect(bursar.held("db")).toBe(2);
});

test("units are taken when the claim is made, not when its promise is looked at", async () => {
  const bursar = new Bursar({ db: 1 });
  const first = bursar.claim({ db: 1 });
  expect(bursar.available("db")).toBe(0);
  expect(bursar.tryClaim({ db: 1 })).toBeUndefined();
  (await first).release();
});

test("a release gives back all that was claimed", async () => {
  const bursar = new Bursar({ db: 2, ram: 100 });
  const lease = await bursar.claim({ db: 1, ram: 64 });
  expect([bursar.held("db"), bursar.held("ram")]).toEqual([1, 64]);
  lease.release();
  expect([bursar.available("db"), bursar.available("ram")]).toEqual([2, 100]);
  expect([bursar.held("db"), bursar.held("ram")]).toEqual([0, 0]);
});

test("a claim that is short of one resource takes nothing of the others", async () => {
  const bursar = new Bursar({ db: 1, ram: 100 });
  const held = await bursar.claim({ db: 1 });
  const waiting = bursar.claim({ db: 1, ram: 60 });
  expect(bursar.available("ram")).toBe(100);
  const other = await bursar.claim({ ram: 100 });
  held.release();
  expect(await stateOf(waiting)).toBe("pending");
  expect(bursar.available("db")).toBe(1);
  other.release();
  await waiting;
  expect([bursar.available("db"), bursar.available("ram")]).toEqual([0, 40]);
});

test("a release serves everyone who fits now", async () => {
  const bursar = new Bursar({ db: 3 });
  const held = await bursar.claim({ db: 3 });
  const waiting = [1, 1, 1, 1].map((db) => bursar.claim({ db }));
  held.release();
  await Promise.all(waiting.slice(0, 3));
  expect(await stateOf(waiting[3]!)).toBe("pending");
});

test("a claim of many resources is served like any other", async () => {
  const bursar = new Bursar({ a: 2, b: 2, c: 2, d: 2, e: 2, f: 2, g: 2 });
  const demand = { a: 1, b: 2, c: 1, d: 2, e: 1, f: 2, g: 1 } as const;
  const first = await bursar.claim(demand);
  const second = bursar.claim(demand);
  expect(await stateOf(second)).toBe("pending");
  expect(bursar.available("a")).toBe(1);
  first.release();
  const lease = await second;
  expect(bursar.snapshot().resources.map(({ held }) => held)).toEqual([1, 2, 1, 2, 1, 2, 1]);
  lease.release();
  expect(bursar.snapshot().resources.map(({ available }) => available)).toEqual([2, 2, 2, 2, 2, 2, 2]);
});

test.each([1, 2, 3, 4, 5])("a claim of %i resources waits and is granted whole", async (count) => {
  const names = ["a", "b", "c", "d", "e"].slice(0, count);
  const bursar = new Bursar(Object.fromEntries(names.map((name) => [name, 1])));
  const demand = Object.fromEntries(names.map((name) => [name, 1]));
  const first = await bursar.claim(demand);
  const second = bursar.claim(demand);
  expect(bursar.tryClaim(demand)).toBeUndefined();
  first.release();
  (await second).release();
  for (const name of names) expect(bursar.available(name)).toBe(1);
});

test("the largest capacity costs no more than a small one", async () => {
  const bursar = new Bursar({ bytes: MOST });
  const whole = await bursar.claim({ bytes: MOST });
  expect(bursar.available("bytes")).toBe(0);
  const one = bursar.claim({ bytes: 1 });
  const rest = bursar.claim({ bytes: MOST - 1 });
  whole.release();
  await Promise.all([one, rest]);
  expect(bursar.available("bytes")).toBe(0);
  (await one).release();
  (await rest).release();
  expect(bursar.available("bytes")).toBe(MOST);
});

test("claims of very many units are as exact as claims of one", async () => {
  const bursar = new Bursar({ bytes: MOST });
  let taken = 0;
  const leases = await Promise.all(
    Array.from({ length: 1_000 }, (_, at) => {
      const bytes = 2 ** 43 - at;
      taken += bytes;
      return bursar.claim({ bytes });
    }),
  );
  expect(bursar.available("bytes")).toBe(MOST - taken);
  for (const lease of leases) lease.release();
  expect(bursar.available("bytes")).toBe(MOST);
});

test("the whole capacity can be had, and one unit more is refused at once", async () => {
  const bursar = new Bursar({ db: 4 });
  const whole = await bursar.claim({ db: 4 });
  expect(await reasonOf(bursar.claim({ db: 5 }))).toBeInstanceOf(ExceedsCapacityError);
  expect(bursar.waiting).toBe(0);
  whole.release();
});

test("a claim that could never be granted does not hold up those after it", async () => {
  const bursar = new Bursar({ db: 1 }, { maxBypass: 0 });
  const impossible = bursar.claim({ db: 2 });
  const lease = await bursar.claim({ db: 1 });
  expect(await reasonOf(impossible)).toBeInstanceOf(ExceedsCapacityError);
  lease.release();
});

test("claims for two resources in one call cannot lock each other out", async () => {
  const bursar = new Bursar({ from: 1, to: 1 });
  let done = 0;
  const transfer = async (demand: { from: number; to: number }) => {
    for (let round = 0; round < 50; round++) {
      const lease = await bursar.claim(demand);
      await settle();
      lease.release();
      done++;
    }
  };
  await Promise.all([
    transfer({ from: 1, to: 1 }),
    transfer({ to: 1, from: 1 }),
    transfer({ from: 1, to: 1 }),
  ]);
  expect(done).toBe(150);
});

test("a thousand claims for one permit are all served, one at a time", async () => {
  const bursar = new Bursar({ db: 1 });
  let running = 0;
  let most = 0;
  const task = async () => {
    const lease = await bursar.claim({ db: 1 });
    running++;
    most = Math.max(most, running);
    await undefined;
    running--;
    lease.release();
  };
  await Promise.all(Array.from({ length: 1_000 }, task));
  expect(most).toBe(1);
  expect(bursar.available("db")).toBe(1);
});

test("a part can be given back, and the rest later", async () => {
  const bursar = new Bursar({ db: 3, ram: 10 });
  const lease = await bursar.claim({ db: 3, ram: 10 });
  const next = bursar.claim({ db: 2 });
  lease.release({ db: 2 });
  await next;
  expect([bursar.held("db"), bursar.available("ram")]).toEqual([3, 0]);
  lease.release();
  expect([bursar.available("db"), bursar.available("ram")]).toEqual([1, 10]);
});

test("bursars have nothing to do with each other", async () => {
  const one = new Bursar({ db: 1 });
  const other = new Bursar({ db: 1 });
  await one.claim({ db: 1 });
  expect(other.available("db")).toBe(1);
  await other.claim({ db: 1 });
  expect(await stateOf(one.claim({ db: 1 }))).toBe("pending");
});

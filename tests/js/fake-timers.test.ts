// Fake timers of the test runner steer a bursar on the runtime's clock.

import { Bursar, ClaimTimeoutError, tokenBucket } from "bursar";
import { afterEach, expect, test, vi } from "vitest";
import { reasonOf, stateOf } from "./support.js";

afterEach(() => {
  vi.useRealTimers();
});

test("a timeout passes when fake time does", async () => {
  vi.useFakeTimers();
  const bursar = new Bursar({ db: 1 });
  await bursar.claim({ db: 1 });
  const claim = bursar.claim({ db: 1 }, { timeout: 60_000 });
  vi.advanceTimersByTime(59_999);
  expect(await stateOf(claim)).toBe("pending");
  vi.advanceTimersByTime(1);
  expect(await reasonOf(claim)).toBeInstanceOf(ClaimTimeoutError);
  expect(vi.getTimerCount()).toBe(0);
});

test("a bucket refills as fake time passes", async () => {
  vi.useFakeTimers();
  const bursar = new Bursar({ api: tokenBucket({ rate: 1, burst: 2 }) });
  await bursar.claim({ api: 2 });
  const claim = bursar.claim({ api: 2 });
  vi.advanceTimersByTime(1_999);
  expect(await stateOf(claim)).toBe("pending");
  vi.advanceTimersByTime(1);
  await claim;
});

test("a ttl passes when fake time does", async () => {
  vi.useFakeTimers();
  const bursar = new Bursar({ db: 1 });
  const lease = await bursar.claim({ db: 1 }, { ttl: 1_000 });
  vi.advanceTimersByTime(1_000);
  expect(lease.ended).toBe(true);
});

test("one bursar lives through fake timers that come and go", async () => {
  const bursar = new Bursar({ db: 1, api: tokenBucket({ rate: 1_000, burst: 1 }) });
  const held = await bursar.claim({ db: 1 });
  for (let round = 0; round < 3; round++) {
    vi.useFakeTimers();
    const faked = bursar.claim({ db: 1 }, { timeout: 60_000 });
    vi.advanceTimersByTime(60_000);
    expect(await reasonOf(faked)).toBeInstanceOf(ClaimTimeoutError);
    const token = bursar.claim({ api: 1 });
    vi.advanceTimersByTime(1);
    (await token).release();
    vi.useRealTimers();
    await expect(bursar.claim({ db: 1 }, { timeout: 5 })).rejects.toBeInstanceOf(ClaimTimeoutError);
    (await bursar.claim({ api: 1 })).release();
  }
  held.release();
  expect(bursar.waiting).toBe(0);
});

test("switching fake timers on does not make time jump", async () => {
  const bursar = new Bursar({ db: 1, api: tokenBucket({ rate: 0.001, burst: 1 }) });
  const held = await bursar.claim({ db: 1, api: 1 });
  vi.useFakeTimers();
  const claim = bursar.claim({ db: 1 }, { timeout: 1_000 });
  expect(await stateOf(claim)).toBe("pending");
  expect(bursar.available("api")).toBe(0);
  vi.advanceTimersByTime(999);
  expect(await stateOf(claim)).toBe("pending");
  held.release();
  await claim;
});

test("switching them off does not make time jump", async () => {
  if (performance.now() < 300) await new Promise((resolve) => setTimeout(resolve, 300));
  const bursar = new Bursar({ db: 1, api: tokenBucket({ rate: 10, burst: 1 }) });
  const held = await bursar.claim({ db: 1, api: 1 });
  vi.useFakeTimers();
  const claim = bursar.claim({ db: 1 }, { timeout: 250 });
  vi.advanceTimersByTime(10);
  vi.useRealTimers();
  expect(bursar.available("api")).toBe(0);
  expect(await stateOf(claim)).toBe("pending");
  held.release();
  await claim;
});

test("a timer that fake timers took with them does not hold up later claims", async () => {
  const bursar = new Bursar({ db: 1 });
  await bursar.claim({ db: 1 });
  vi.useFakeTimers();
  const left = bursar.claim({ db: 1 }, { timeout: 10 });
  vi.useRealTimers();
  const later = bursar.claim({ db: 1 }, { timeout: 30 });
  await expect(left).rejects.toBeInstanceOf(ClaimTimeoutError);
  await expect(later).rejects.toBeInstanceOf(ClaimTimeoutError);
}, 2_000);

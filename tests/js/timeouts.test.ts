// `timeout` bounds the wait, `ttl` bounds the hold.

import { Bursar, ClaimTimeoutError, LeaseExpiredError, ManualClock, TicketError, tokenBucket } from "bursar";
import { describe, expect, test, vi } from "vitest";
import { LateClock, Line, reasonOf, settle, stateOf } from "./support.js";

describe("timeout", () => {
  test("a claim rejects when it has waited as long as its timeout allows", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    await bursar.claim({ db: 1 });
    const claim = bursar.claim({ db: 1 }, { timeout: 100 });
    clock.advance(99);
    expect(await stateOf(claim)).toBe("pending");
    clock.advance(1);
    expect(await reasonOf(claim)).toBeInstanceOf(ClaimTimeoutError);
    expect(bursar.waiting).toBe(0);
  });

  test("the error names the timeout and what was waited for", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1, ram: 8 }, { clock });
    await bursar.claim({ db: 1 });
    const claim = bursar.claim({ db: 1, ram: 4 }, { timeout: 250 });
    clock.advance(250);
    const error = (await reasonOf(claim)) as ClaimTimeoutError;
    expect(error.timeout).toBe(250);
    expect(error.code).toBe("CLAIM_TIMEOUT");
    expect(error.message).toBe('timed out after 250 ms of waiting for 1 of "db", 4 of "ram"');
  });

  test("it does not bound the hold", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    const lease = await bursar.claim({ db: 1 }, { timeout: 100 });
    clock.advance(10_000);
    expect(lease.ended).toBe(false);
    expect(lease.signal.aborted).toBe(false);
    expect(bursar.held("db")).toBe(1);
    lease.release();
  });

  test("a claim that was granted in time does not time out afterwards", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    const held = await bursar.claim({ db: 1 });
    const claim = bursar.claim({ db: 1 }, { timeout: 100 });
    clock.advance(50);
    held.release();
    clock.advance(1_000);
    expect((await claim).ended).toBe(false);
  });

  test("a heavy claim that times out frees the light one behind it at once", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 2 }, { clock, maxBypass: 0 });
    await bursar.claim({ db: 1 });
    const heavy = bursar.claim({ db: 2 }, { timeout: 100 });
    const light = bursar.claim({ db: 1 });
    expect(await stateOf(light)).toBe("pending");
    clock.advance(100);
    expect(bursar.held("db")).toBe(2);
    expect(await reasonOf(heavy)).toBeInstanceOf(ClaimTimeoutError);
    expect(await stateOf(light)).toBe("fulfilled");
  });

  test("a timeout of 0 gets what is free, or rejects without a wait", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    const lease = await bursar.claim({ db: 1 }, { timeout: 0 });
    const claim = bursar.claim({ db: 1 }, { timeout: 0 });
    clock.advance(0);
    expect(await reasonOf(claim)).toBeInstanceOf(ClaimTimeoutError);
    lease.release();
    expect(bursar.available("db")).toBe(1);
  });

  test("a timeout of 0 rejects in real time as well", async () => {
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 });
    await expect(bursar.claim({ db: 1 }, { timeout: 0 })).rejects.toBeInstanceOf(ClaimTimeoutError);
  });

  test("each claim times out at its own moment", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    await bursar.claim({ db: 1 });
    const ended: number[] = [];
    const timeouts = [300, 100, 200, 100.5];
    for (const timeout of timeouts) bursar.claim({ db: 1 }, { timeout }).catch(() => ended.push(timeout));
    for (let step = 0; step < 4; step++) {
      clock.advance(100);
      await settle();
    }
    expect(ended).toEqual([100, 100.5, 200, 300]);
  });

  test("an infinite timeout is none", async () => {
    const clock = new LateClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    const held = await bursar.claim({ db: 1 });
    const claim = bursar.claim({ db: 1 }, { timeout: Number.POSITIVE_INFINITY });
    expect(clock.armed).toBe(false);
    held.release();
    await claim;
  });

  test("a timeout longer than any timer can be is waited for in full", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    await bursar.claim({ db: 1 });
    const timeout = 3 * 2 ** 31 + 7;
    const claim = bursar.claim({ db: 1 }, { timeout });
    clock.advance(timeout - 1);
    expect(await stateOf(claim)).toBe("pending");
    clock.advance(1);
    expect(await reasonOf(claim)).toBeInstanceOf(ClaimTimeoutError);
  });

  test("no timer is ever set for longer than runtimes can wait", async () => {
    const clock = new LateClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    await bursar.claim({ db: 1 });
    const claim = bursar.claim({ db: 1 }, { timeout: 2 ** 40 });
    expect(clock.delays).toEqual([2 ** 31 - 1]);
    clock.time = 2 ** 31 - 1;
    clock.ring();
    expect(clock.armed).toBe(true);
    expect(Math.max(...clock.delays)).toBe(2 ** 31 - 1);
    expect(await stateOf(claim)).toBe("pending");
  });

  test("a long timeout in real time does not end at once", async () => {
    const bursar = new Bursar({ db: 1 });
    const held = await bursar.claim({ db: 1 });
    const claim = bursar.claim({ db: 1 }, { timeout: 2 ** 31 + 5 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await stateOf(claim)).toBe("pending");
    held.release();
    (await claim).release();
  });
});

describe("ttl", () => {
  test("units are taken back when a lease has been held as long as its ttl allows", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    const lease = await bursar.claim({ db: 1 }, { ttl: 100 });
    clock.advance(99);
    expect(lease.ended).toBe(false);
    clock.advance(1);
    expect(lease.ended).toBe(true);
    expect(bursar.available("db")).toBe(1);
  });

  test("those who wait get what a lapsed lease had", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    await bursar.claim({ db: 1 }, { ttl: 100 });
    const claim = bursar.claim({ db: 1 });
    clock.advance(100);
    expect((await claim).ended).toBe(false);
  });

  test("it begins with the hold, not with the wait", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    const held = await bursar.claim({ db: 1 });
    const claim = bursar.claim({ db: 1 }, { ttl: 100 });
    clock.advance(1_000);
    held.release();
    const lease = await claim;
    clock.advance(99);
    expect(lease.ended).toBe(false);
    clock.advance(1);
    expect(lease.ended).toBe(true);
  });

  test.each(["a release", "a part given back", "a cancel", "a resize", "a priority"])(
    "it is as long as asked for where the claim was granted late, by %s",
    async (by) => {
      const clock = new ManualClock();
      const bursar = new Bursar({ db: 2 }, { clock, maxBypass: 0 });
      const held = await bursar.claim({ db: 1 });
      const heavy = bursar.enqueue({ db: 2 });
      const claim = bursar.enqueue({ db: 1 }, { ttl: 100 });
      heavy.lease.then(
        (lease) => lease.release(),
        () => {},
      );
      clock.advance(1_000);
      if (by === "a release") held.release();
      if (by === "a part given back") held.release({ db: 1 });
      if (by === "a cancel") heavy.cancel();
      if (by === "a resize") bursar.resize("db", 4);
      if (by === "a priority") claim.priority = 1;
      const lease = await claim.lease;
      clock.advance(99);
      expect(lease.ended).toBe(false);
      clock.advance(1);
      expect(lease.ended).toBe(true);
    },
  );

  test.each(["fair", "newest", "greedy"] as const)(
    "it ends a lease that had to be waited for, %s",
    async (order) => {
      const clock = new ManualClock();
      const bursar = new Bursar({ db: 1 }, { clock, order });
      const held = await bursar.claim({ db: 1 });
      const claim = bursar.claim({ db: 1 }, { ttl: 100 });
      clock.advance(50);
      held.release();
      const lease = await claim;
      clock.advance(99);
      expect(lease.ended).toBe(false);
      clock.advance(1);
      expect(lease.ended).toBe(true);
    },
  );

  test("the lease's signal aborts with a LeaseExpiredError", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    const lease = await bursar.claim({ db: 1 }, { ttl: 100 });
    const { signal } = lease;
    clock.advance(99);
    await settle();
    expect(signal.aborted).toBe(false);
    clock.advance(1);
    await settle();
    expect(signal.reason).toBeInstanceOf(LeaseExpiredError);
    expect(signal.reason).toMatchObject({ code: "LEASE_EXPIRED", ttl: 100 });
  });

  test("a signal that is first asked for after the lease lapsed has aborted", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    const lease = await bursar.claim({ db: 1 }, { ttl: 100 });
    clock.advance(100);
    expect(lease.signal.reason).toBeInstanceOf(LeaseExpiredError);
  });

  test("the signal of a lease that was given back in time never aborts", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    const lease = await bursar.claim({ db: 1 }, { ttl: 100 });
    const { signal } = lease;
    clock.advance(50);
    lease.release();
    clock.advance(1_000);
    await settle();
    expect(signal.aborted).toBe(false);
    expect(bursar.available("db")).toBe(1);
  });

  test("giving back a lapsed lease throws and mints nothing", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    const lease = await bursar.claim({ db: 1 }, { ttl: 100 });
    clock.advance(100);
    const next = await bursar.claim({ db: 1 });
    expect(() => lease.release()).toThrow(TicketError);
    expect(() => lease.release()).toThrow(/time to live of 100 ms/);
    lease[Symbol.dispose]();
    expect(bursar.available("db")).toBe(0);
    next.release();
    expect(bursar.available("db")).toBe(1);
  });

  test("what was given back in part is not given back again", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 3 }, { clock });
    const lease = await bursar.claim({ db: 3 }, { ttl: 100 });
    lease.release({ db: 2 });
    clock.advance(100);
    expect(lease.ended).toBe(true);
    expect([bursar.available("db"), bursar.held("db")]).toEqual([3, 0]);
  });

  test("a listener of the signal may claim and release as it likes", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    const lease = await bursar.claim({ db: 1 }, { ttl: 100 });
    let again: unknown;
    lease.signal.addEventListener("abort", () => {
      again = bursar.tryClaim({ db: 1 });
    });
    clock.advance(100);
    await settle();
    expect(again).toBeDefined();
  });
});

describe("time", () => {
  test("a late timer changes nothing but lateness", async () => {
    const clock = new LateClock();
    const bursar = new Bursar({ api: tokenBucket({ rate: 1, burst: 1 }) }, { clock });
    bursar.tryClaim({ api: 1 })!.release();
    const line = new Line();
    line.add("served at 1 s", bursar.claim({ api: 1 }));
    const impatient = bursar.claim({ api: 1 }, { timeout: 1_500 });
    line.add("served at 2 s", bursar.claim({ api: 1 }));
    clock.time = 60_000;
    clock.ring();
    expect(await reasonOf(impatient)).toBeInstanceOf(ClaimTimeoutError);
    expect(line.served).toEqual(["served at 1 s", "served at 2 s"]);
    expect(bursar.available("api")).toBe(1);
    expect(clock.armed).toBe(false);
  });

  test("a token that came in time is not lost to a deadline that a late timer finds as well", async () => {
    const clock = new LateClock();
    const bursar = new Bursar({ api: tokenBucket({ rate: 1, burst: 1 }) }, { clock });
    bursar.tryClaim({ api: 1 })!.release();
    const claim = bursar.claim({ api: 1 }, { timeout: 1_000 });
    clock.time = 5_000;
    clock.ring();
    expect(await stateOf(claim)).toBe("fulfilled");
  });

  test("no timer is set while nobody needs one", async () => {
    const clock = new LateClock();
    const bursar = new Bursar({ db: 1, api: tokenBucket({ rate: 1, burst: 2 }) }, { clock });
    const held = await bursar.claim({ db: 1, api: 1 }, { timeout: 100 });
    const waiting = bursar.claim({ db: 1 });
    expect(clock.armed).toBe(false);
    const timed = bursar.claim({ db: 1 }, { timeout: 100 });
    expect(clock.armed).toBe(true);
    held.release();
    (await waiting).release();
    (await timed).release();
    expect(clock.armed).toBe(false);
  });

  test("setting the wall clock back has no effect", async () => {
    const bursar = new Bursar({ db: 1, api: tokenBucket({ rate: 100, burst: 1 }) });
    await bursar.claim({ db: 1, api: 1 });
    const timed = bursar.claim({ db: 1 }, { timeout: 20 });
    const refilled = bursar.claim({ api: 1 });
    const anHourAgo = Date.now() - 3_600_000;
    const wall = vi.spyOn(Date, "now").mockReturnValue(anHourAgo);
    try {
      await expect(timed).rejects.toBeInstanceOf(ClaimTimeoutError);
      await refilled;
      await expect(bursar.claim({ db: 1 }, { timeout: 5 })).rejects.toBeInstanceOf(ClaimTimeoutError);
    } finally {
      wall.mockRestore();
    }
  });

  test("a manual clock does not go back", () => {
    const clock = new ManualClock();
    expect(() => clock.advance(-1)).toThrow(RangeError);
    expect(() => clock.advance(Number.NaN)).toThrow(RangeError);
    expect(clock.now()).toBe(0);
  });
});

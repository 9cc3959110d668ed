// A claim that its caller can ask about and steer while it waits.

import {
  Bursar,
  CancelledError,
  ClaimTimeoutError,
  InvalidOptionError,
  ManualClock,
  tokenBucket,
  UnknownResourceError,
} from "bursar";
import { describe, expect, test } from "vitest";
import { LateClock, Line, reasonOf, settle, stateOf } from "./support.js";

describe("state", () => {
  test("a claim that fits is granted at once", async () => {
    const bursar = new Bursar({ db: 1 });
    const claim = bursar.enqueue({ db: 1 });
    expect(claim.state).toBe("granted");
    expect([claim.position, claim.shortOf]).toEqual([undefined, {}]);
    (await claim.lease).release();
  });

  test("it goes from waiting to granted, and stays there after the release", async () => {
    const bursar = new Bursar({ db: 1 });
    const held = await bursar.claim({ db: 1 });
    const claim = bursar.enqueue({ db: 1 });
    expect(claim.state).toBe("waiting");
    held.release();
    expect(claim.state).toBe("granted");
    (await claim.lease).release();
    expect(claim.state).toBe("granted");
  });

  test("it ends without a grant by timeout, abort, cancel or refusal", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    await bursar.claim({ db: 1 });
    const controller = new AbortController();
    const timed = bursar.enqueue({ db: 1 }, { timeout: 10 });
    const aborted = bursar.enqueue({ db: 1 }, { signal: controller.signal });
    const cancelled = bursar.enqueue({ db: 1 });
    const refused = bursar.enqueue({ disk: 1 } as never);
    clock.advance(10);
    controller.abort("enough");
    cancelled.cancel();
    for (const claim of [timed, aborted, cancelled, refused]) {
      expect([claim.state, claim.position, claim.shortOf]).toEqual(["ended", undefined, {}]);
    }
    expect(await reasonOf(timed.lease)).toBeInstanceOf(ClaimTimeoutError);
    expect(await reasonOf(aborted.lease)).toBe("enough");
    expect(await reasonOf(cancelled.lease)).toBeInstanceOf(CancelledError);
    expect(await reasonOf(refused.lease)).toBeInstanceOf(UnknownResourceError);
  });

  test("a greedy claim that has been woken waits until it has its lease", async () => {
    const bursar = new Bursar({ db: 1 }, { order: "greedy" });
    const held = await bursar.claim({ db: 1 });
    const claim = bursar.enqueue({ db: 1 });
    held.release();
    expect(claim.state).toBe("waiting");
    await claim.lease;
    expect(claim.state).toBe("granted");
  });
});

describe("position", () => {
  test("it counts the claims before it", async () => {
    const bursar = new Bursar({ db: 1 });
    const held = await bursar.claim({ db: 1 });
    const first = bursar.enqueue({ db: 1 });
    const second = bursar.enqueue({ db: 1 });
    const urgent = bursar.enqueue({ db: 1 }, { priority: 5 });
    expect([urgent.position, first.position, second.position]).toEqual([0, 1, 2]);
    held.release();
    (await urgent.lease).release();
    expect([urgent.position, first.position, second.position]).toEqual([undefined, undefined, 0]);
  });
});

describe("shortOf", () => {
  test("it says how many units are missing, by resource", async () => {
    const bursar = new Bursar({ db: 2, ram: 100, gpu: 1 });
    const db = await bursar.claim({ db: 2 });
    await bursar.claim({ ram: 70 });
    const claim = bursar.enqueue({ db: 1, ram: 50, gpu: 1 });
    expect(claim.shortOf).toEqual({ db: 1, ram: 20 });
    db.release();
    expect(claim.shortOf).toEqual({ ram: 20 });
  });

  test("it sees tokens that have come in by now", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ api: tokenBucket({ rate: 1, burst: 10 }) }, { clock });
    await bursar.claim({ api: 10 });
    const claim = bursar.enqueue({ api: 8 });
    expect(claim.shortOf).toEqual({ api: 8 });
    clock.advance(5_000);
    expect(claim.shortOf).toEqual({ api: 3 });
  });

  test("asking at the moment of the grant finds nothing missing", async () => {
    const clock = new LateClock();
    const bursar = new Bursar({ api: tokenBucket({ rate: 1, burst: 1 }) }, { clock });
    await bursar.claim({ api: 1 });
    const claim = bursar.enqueue({ api: 1 });
    clock.time = 1_000;
    expect(claim.shortOf).toEqual({});
    expect(claim.state).toBe("granted");
    await claim.lease;
  });
});

describe("priority", () => {
  test("raising it moves the claim forward", async () => {
    const bursar = new Bursar({ db: 1 });
    const held = await bursar.claim({ db: 1 });
    const line = new Line();
    const a = bursar.enqueue({ db: 1 });
    const b = bursar.enqueue({ db: 1 });
    const c = bursar.enqueue({ db: 1 }, { priority: 1 });
    for (const [name, claim] of Object.entries({ a, b, c })) line.add(name, claim.lease);
    b.priority = 7;
    expect(b.priority).toBe(7);
    expect([b.position, c.position, a.position]).toEqual([0, 1, 2]);
    held.release();
    await settle();
    await line.release("b");
    expect(await line.release("c")).toEqual(["b", "c", "a"]);
  });

  test("lowering it moves the claim back", async () => {
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 });
    const a = bursar.enqueue({ db: 1 });
    const b = bursar.enqueue({ db: 1 });
    a.priority = -1;
    expect([b.position, a.position]).toEqual([0, 1]);
  });

  test("among equals it keeps the place of its arrival", async () => {
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 });
    const a = bursar.enqueue({ db: 1 });
    const b = bursar.enqueue({ db: 1 }, { priority: 3 });
    a.priority = 3;
    expect([a.position, b.position]).toEqual([0, 1]);
  });

  test("a claim that becomes more urgent than the one that units are kept for is granted at once", async () => {
    const bursar = new Bursar({ db: 2 }, { maxBypass: 0 });
    await bursar.claim({ db: 1 });
    const heavy = bursar.enqueue({ db: 2 });
    const light = bursar.enqueue({ db: 1 });
    expect(light.state).toBe("waiting");
    light.priority = 1;
    expect(light.state).toBe("granted");
    expect(heavy.state).toBe("waiting");
  });

  test("a priority that is none is refused and changes nothing", async () => {
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 });
    const claim = bursar.enqueue({ db: 1 }, { priority: 2 });
    expect(() => {
      claim.priority = 1.5;
    }).toThrow(InvalidOptionError);
    expect(claim.priority).toBe(2);
  });

  test("changing it after the grant does nothing", async () => {
    const bursar = new Bursar({ db: 1 });
    const claim = bursar.enqueue({ db: 1 });
    claim.priority = 9;
    expect(claim.state).toBe("granted");
    (await claim.lease).release();
    expect(bursar.available("db")).toBe(1);
  });
});

describe("cancel", () => {
  test("the lease rejects with a CancelledError and the claim leaves the line", async () => {
    const bursar = new Bursar({ db: 1 });
    const held = await bursar.claim({ db: 1 });
    const claim = bursar.enqueue({ db: 1 });
    expect(claim.cancel()).toBe(true);
    expect(bursar.waiting).toBe(0);
    expect(await reasonOf(claim.lease)).toMatchObject({ name: "CancelledError", code: "CANCELLED" });
    held.release();
    expect(bursar.available("db")).toBe(1);
  });

  test("it takes a reason", async () => {
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 });
    const claim = bursar.enqueue({ db: 1 });
    const reason = new Error("scrolled away");
    claim.cancel(reason);
    expect(await reasonOf(claim.lease)).toBe(reason);
  });

  test("it frees those behind at once", async () => {
    const bursar = new Bursar({ db: 2 }, { maxBypass: 0 });
    await bursar.claim({ db: 1 });
    const heavy = bursar.enqueue({ db: 2 });
    const light = bursar.enqueue({ db: 1 });
    heavy.cancel();
    expect(light.state).toBe("granted");
  });

  test("nobody has to listen to a claim that was cancelled", async () => {
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 });
    bursar.enqueue({ db: 1 }).cancel();
    bursar.enqueue({ db: 1 }).cancel(new Error("not to be seen"));
    // An unhandled rejection is reported a turn later, and fails the run.
    await new Promise((resolve) => setTimeout(resolve));
  });

  test("it says false once the claim has its lease, which stays", async () => {
    const bursar = new Bursar({ db: 1 });
    const claim = bursar.enqueue({ db: 1 });
    expect(claim.cancel()).toBe(false);
    const lease = await claim.lease;
    expect(claim.cancel()).toBe(false);
    expect(lease.ended).toBe(false);
    expect(bursar.held("db")).toBe(1);
  });

  test("a second time it says false and the first reason stays", async () => {
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 });
    const claim = bursar.enqueue({ db: 1 });
    expect([claim.cancel("first"), claim.cancel("second")]).toEqual([true, false]);
    expect(await reasonOf(claim.lease)).toBe("first");
    expect(bursar.waiting).toBe(0);
  });

  test("it ends a timeout's timer", async () => {
    const clock = new LateClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    await bursar.claim({ db: 1 });
    const claim = bursar.enqueue({ db: 1 }, { timeout: 100 });
    expect(clock.armed).toBe(true);
    claim.cancel();
    expect(clock.armed).toBe(false);
  });

  test("it says truly whether it ended the wait where a late timer has not handed out a token yet", async () => {
    const clock = new LateClock();
    const bursar = new Bursar({ api: tokenBucket({ rate: 1, burst: 1 }) }, { clock });
    await bursar.claim({ api: 1 });
    const claim = bursar.enqueue({ api: 1 });
    clock.time = 1_500;
    const cancelled = claim.cancel();
    expect(await stateOf(claim.lease)).toBe(cancelled ? "rejected" : "fulfilled");
    expect(claim.state).toBe(cancelled ? "ended" : "granted");
    expect([bursar.available("api"), bursar.waiting]).toEqual([cancelled ? 1 : 0, 0]);
  });
});

test("handles and plain claims wait in one line", async () => {
  const bursar = new Bursar({ db: 1 });
  const held = await bursar.claim({ db: 1 });
  const line = new Line();
  line.add("claim", bursar.claim({ db: 1 }));
  line.add("handle", bursar.enqueue({ db: 1 }).lease);
  line.add("another claim", bursar.claim({ db: 1 }));
  held.release();
  await settle();
  await line.release("claim");
  expect(await line.release("handle")).toEqual(["claim", "handle", "another claim"]);
});

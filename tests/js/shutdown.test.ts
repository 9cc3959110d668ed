// Ending: nobody is left waiting for ever, what is held is given back first, and one can wait for that.

import { Bursar, ClosedError, ManualClock, tokenBucket } from "bursar";
import { describe, expect, it } from "vitest";

/** Whether a promise has settled by now, microtasks aside. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  const later = new Promise((resolve) => setTimeout(resolve, 0)).then(() => false);
  const done = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([done, later]);
}

const orders = ["fair", "newest", "greedy"] as const;

describe("shutdown", () => {
  it.each(orders)("rejects everyone who waits, in the order %s", async (order) => {
    const bursar = new Bursar({ db: 1, gpu: 1 }, { order });
    const lease = await bursar.claim({ db: 1, gpu: 1 });
    const claims = [
      bursar.claim({ db: 1 }),
      bursar.claim({ db: 1, gpu: 1 }, { priority: 5 }),
      bursar.claim({ gpu: 1 }, { timeout: 60_000 }),
      bursar.claim({ gpu: 1 }, { signal: new AbortController().signal }),
      bursar.enqueue({ db: 1 }).lease,
      bursar.run({ db: 1 }, () => expect.unreachable("it ran")),
    ];
    const end = bursar.shutdown();
    for (const claim of claims) {
      const error = await claim.catch((error) => error);
      expect(error).toBeInstanceOf(ClosedError);
      expect(error).toMatchObject({ code: "CLOSED", message: "the bursar was shut down" });
    }
    expect(bursar.waiting).toBe(0);
    lease.release();
    await end;
  });

  it("refuses new claims, whichever way they come in", async () => {
    const bursar = new Bursar({ db: 1 });
    await bursar.shutdown();
    await expect(bursar.claim({ db: 1 })).rejects.toThrow(ClosedError);
    await expect(bursar.claim({ db: 1 }, { priority: 1 })).rejects.toThrow(ClosedError);
    await expect(bursar.run({ db: 1 }, () => {})).rejects.toThrow(ClosedError);
    await expect(bursar.enqueue({ db: 1 }).lease).rejects.toThrow(ClosedError);
    expect(() => bursar.tryClaim({ db: 1 })).toThrow(ClosedError);
    expect(bursar.available("db")).toBe(1);
  });

  it("resolves when the last lease has been given back", async () => {
    const bursar = new Bursar({ db: 2 });
    const first = await bursar.claim({ db: 1 });
    const second = await bursar.claim({ db: 1 });
    const end = bursar.shutdown();
    first.release();
    expect(await settled(end)).toBe(false);
    second.release();
    await end;
    expect(bursar.available("db")).toBe(2);
  });

  it("lets a lease be released in parts, and settled", async () => {
    const bursar = new Bursar(
      { db: 2, api: tokenBucket({ rate: 1, burst: 10 }) },
      { clock: new ManualClock() },
    );
    const lease = await bursar.claim({ db: 2, api: 5 });
    const end = bursar.shutdown();
    lease.release({ db: 1 });
    lease.settle({ api: 2 });
    expect([bursar.available("db"), bursar.available("api")]).toEqual([1, 8]);
    lease.release();
    await end;
  });

  it("resolves at once when there is nothing to wait for", async () => {
    expect(await settled(new Bursar({ db: 1 }).shutdown())).toBe(true);
  });

  it("may be asked for again and again", async () => {
    const bursar = new Bursar({ db: 1 });
    const lease = await bursar.claim({ db: 1 });
    const ends = [bursar.shutdown(), bursar.shutdown(), bursar.shutdown({ drain: true })];
    lease.release();
    await Promise.all([...ends, bursar.shutdown()]);
  });

  it("shows in the snapshot", async () => {
    const bursar = new Bursar({ db: 1 });
    expect(bursar.snapshot().closed).toBe(false);
    await bursar.shutdown();
    expect(bursar.snapshot().closed).toBe(true);
  });

  it("leaves no timer behind", async () => {
    const clock = new ManualClock();
    let timers = 0;
    const counting = {
      now: () => clock.now(),
      setTimeout: (callback: () => void, delay: number) => {
        timers++;
        return clock.setTimeout(callback, delay);
      },
      clearTimeout: (timer: unknown) => {
        timers--;
        clock.clearTimeout(timer);
      },
    };
    const bursar = new Bursar({ db: 1 }, { clock: counting });
    const lease = await bursar.claim({ db: 1 });
    const claim = bursar.claim({ db: 1 }, { timeout: 1_000 });
    expect(timers).toBe(1);
    void bursar.shutdown();
    await expect(claim).rejects.toThrow(ClosedError);
    expect(timers).toBe(0);
    lease.release();
  });
});

describe("shutdown that drains", () => {
  it.each(orders)("serves everyone who waits, in the order %s", async (order) => {
    const bursar = new Bursar({ db: 1 }, { order });
    const lease = await bursar.claim({ db: 1 });
    const served: number[] = [];
    const runs = [1, 2, 3].map((index) => bursar.run({ db: 1 }, () => served.push(index)));
    const end = bursar.shutdown({ drain: true });
    expect(bursar.waiting).toBe(3);
    lease.release();
    await Promise.all(runs);
    await end;
    expect(served.sort()).toEqual([1, 2, 3]);
  });

  it("refuses new claims meanwhile", async () => {
    const bursar = new Bursar({ db: 2 });
    const lease = await bursar.claim({ db: 2 });
    const waiting = bursar.claim({ db: 1 });
    const end = bursar.shutdown({ drain: true });
    await expect(bursar.claim({ db: 1 })).rejects.toThrow(ClosedError);
    expect(() => bursar.tryClaim({ db: 1 })).toThrow(ClosedError);
    lease.release();
    (await waiting).release();
    await end;
  });

  it("waits for a bucket to refill", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ api: tokenBucket({ rate: 1, burst: 1 }) }, { clock });
    (await bursar.claim({ api: 1 })).release();
    const waiting = bursar.claim({ api: 1 });
    const end = bursar.shutdown({ drain: true });
    expect(await settled(end)).toBe(false);
    clock.advance(1_000);
    (await waiting).release();
    await end;
  });

  it("can be cut short by one that does not", async () => {
    const bursar = new Bursar({ db: 1 });
    const lease = await bursar.claim({ db: 1 });
    const waiting = bursar.claim({ db: 1 });
    const drained = bursar.shutdown({ drain: true });
    const end = bursar.shutdown();
    await expect(waiting).rejects.toThrow(ClosedError);
    lease.release();
    await Promise.all([drained, end]);
  });

  it("lets those who wait still time out", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    const lease = await bursar.claim({ db: 1 });
    const waiting = bursar.claim({ db: 1 }, { timeout: 10 });
    const end = bursar.shutdown({ drain: true });
    clock.advance(10);
    await expect(waiting).rejects.toMatchObject({ code: "CLAIM_TIMEOUT" });
    lease.release();
    await end;
  });
});

describe("idle", () => {
  it("resolves at once when nothing was ever claimed", async () => {
    expect(await settled(new Bursar({ db: 1 }).idle())).toBe(true);
  });

  it("resolves at once when everything has been given back", async () => {
    const bursar = new Bursar({ db: 1 });
    (await bursar.claim({ db: 1 })).release();
    expect(await settled(bursar.idle())).toBe(true);
  });

  it("waits for the last release, and tells everyone who asked", async () => {
    const bursar = new Bursar({ db: 2 });
    const leases = await Promise.all([bursar.claim({ db: 1 }), bursar.claim({ db: 1 })]);
    const idle = [bursar.idle(), bursar.idle()];
    leases[0]?.release();
    expect(await settled(Promise.race(idle))).toBe(false);
    leases[1]?.release();
    await Promise.all(idle);
  });

  it("waits for those who wait as well", async () => {
    const bursar = new Bursar({ db: 1 });
    const lease = await bursar.claim({ db: 1 });
    const waiting = bursar.claim({ db: 1 });
    const idle = bursar.idle();
    lease.release();
    expect(await settled(idle)).toBe(false);
    (await waiting).release();
    await idle;
  });

  it("comes after a run", async () => {
    const bursar = new Bursar({ db: 1 });
    let finish = () => {};
    const work = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const run = bursar.run({ db: 1 }, () => work);
    const idle = bursar.idle();
    expect(await settled(idle)).toBe(false);
    finish();
    await Promise.all([run, idle]);
  });

  it("does not come for a lease of which every part was given back, until it is released", async () => {
    const bursar = new Bursar({ db: 1 });
    const lease = await bursar.claim({ db: 1 });
    lease.release({ db: 1 });
    const idle = bursar.idle();
    expect(await settled(idle)).toBe(false);
    lease.release();
    await idle;
  });

  it("comes when the last lease's time to live has passed", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    await bursar.claim({ db: 1 }, { ttl: 50 });
    const idle = bursar.idle();
    clock.advance(49);
    expect(await settled(idle)).toBe(false);
    clock.advance(1);
    expect(await settled(idle)).toBe(true);
  });

  /** One that waits while nobody holds anything. */
  const paused = () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    bursar.pause("db", 1_000_000);
    return { clock, bursar };
  };

  it("comes when the last that waits times out", async () => {
    const { clock, bursar } = paused();
    const claim = bursar.claim({ db: 1 }, { timeout: 50 });
    const idle = bursar.idle();
    clock.advance(50);
    await expect(claim).rejects.toMatchObject({ code: "CLAIM_TIMEOUT" });
    expect(await settled(idle)).toBe(true);
  });

  it("comes when the last that waits is aborted", async () => {
    const { bursar } = paused();
    const controller = new AbortController();
    const claim = bursar.claim({ db: 1 }, { signal: controller.signal });
    const idle = bursar.idle();
    controller.abort();
    await expect(claim).rejects.toBe(controller.signal.reason);
    expect(await settled(idle)).toBe(true);
  });

  it("comes when the last that waits is cancelled", async () => {
    const { bursar } = paused();
    const claim = bursar.enqueue({ db: 1 });
    const idle = bursar.idle();
    claim.cancel();
    expect(await settled(idle)).toBe(true);
  });

  it("comes when the last that waits is turned away by a resize or a removal", async () => {
    const bursar = new Bursar({ db: 2, gpu: 1 }, { clock: new ManualClock() });
    for (const name of ["db", "gpu"] as const) bursar.pause(name, 1_000);
    const claims = [bursar.claim({ db: 2 }), bursar.claim({ gpu: 1 })];
    const idle = bursar.idle();
    bursar.resize("db", 1);
    bursar.remove("gpu");
    expect((await Promise.allSettled(claims)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await settled(idle)).toBe(true);
  });

  it("can be asked for again after it came", async () => {
    const bursar = new Bursar({ db: 1 });
    for (let round = 0; round < 3; round++) {
      const lease = await bursar.claim({ db: 1 });
      const idle = bursar.idle();
      lease.release();
      await idle;
    }
  });
});

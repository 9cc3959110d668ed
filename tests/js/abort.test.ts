// An aborted claim rejects with the signal's reason, takes nothing and leaves nothing behind.

import { Bursar, ManualClock, QueueFullError, tokenBucket } from "bursar";
import { describe, expect, test } from "vitest";
import { LateClock, Line, reasonOf, settle, stateOf } from "./support.js";

/** A controller whose signal counts its listeners. */
function counted() {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = { now: 0, most: 0 };
  const { addEventListener, removeEventListener } = signal;
  const present = new Set<unknown>();
  const count = () => {
    listeners.now = present.size;
    listeners.most = Math.max(listeners.most, present.size);
  };
  signal.addEventListener = (...args: unknown[]) => {
    present.add(args[1]);
    count();
    (addEventListener as (...args: unknown[]) => void).apply(signal, args);
  };
  signal.removeEventListener = (...args: unknown[]) => {
    present.delete(args[1]);
    count();
    (removeEventListener as (...args: unknown[]) => void).apply(signal, args);
  };
  return { controller, signal, listeners };
}

describe("a signal that has aborted before", () => {
  test("rejects the claim with its reason although the units are free", async () => {
    const bursar = new Bursar({ db: 1 });
    const reason = new Error("too late");
    const claim = bursar.claim({ db: 1 }, { signal: AbortSignal.abort(reason) });
    expect(await reasonOf(claim)).toBe(reason);
    expect(bursar.available("db")).toBe(1);
  });

  test("rejects the claim with its reason even where the queue is full", async () => {
    const bursar = new Bursar({ db: 1 }, { maxWaiting: 1 });
    await bursar.claim({ db: 1 });
    const waiting = bursar.claim({ db: 1 });
    expect(await reasonOf(bursar.claim({ db: 1 }))).toBeInstanceOf(QueueFullError);
    const claim = bursar.claim({ db: 1 }, { signal: AbortSignal.abort("before") });
    expect(await reasonOf(claim)).toBe("before");
    expect(bursar.waiting).toBe(1);
    expect(await stateOf(waiting)).toBe("pending");
  });

  test("keeps run from calling its function", async () => {
    const bursar = new Bursar({ db: 1 });
    let called = false;
    const run = bursar.run(
      { db: 1 },
      () => {
        called = true;
      },
      { signal: AbortSignal.abort("before") },
    );
    await expect(run).rejects.toBe("before");
    expect(called).toBe(false);
  });

  test("ends a handle as well", async () => {
    const bursar = new Bursar({ db: 1 });
    const claim = bursar.enqueue({ db: 1 }, { signal: AbortSignal.abort("before") });
    expect(claim.state).toBe("ended");
    expect(await reasonOf(claim.lease)).toBe("before");
  });
});

describe("aborting a waiting claim", () => {
  test.each([
    ["an error", new TypeError("mine")],
    ["a string", "enough"],
    ["a number", 0],
    ["null", null],
    ["an object", { code: 7 }],
  ])("rejects it with the signal's reason: %s", async (_, reason) => {
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 });
    const controller = new AbortController();
    const claim = bursar.claim({ db: 1 }, { signal: controller.signal });
    controller.abort(reason);
    expect(await reasonOf(claim)).toBe(reason);
  });

  test("rejects it with an AbortError where no reason was given", async () => {
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 });
    const controller = new AbortController();
    const claim = bursar.claim({ db: 1 }, { signal: controller.signal });
    controller.abort();
    expect(await reasonOf(claim)).toMatchObject({ name: "AbortError" });
  });

  test("takes it out of the line before abort() returns", async () => {
    const bursar = new Bursar({ db: 1 }, { maxWaiting: 1 });
    await bursar.claim({ db: 1 });
    const controller = new AbortController();
    bursar.claim({ db: 1 }, { signal: controller.signal }).catch(() => {});
    expect(bursar.waiting).toBe(1);
    controller.abort();
    expect(bursar.waiting).toBe(0);
    expect(await stateOf(bursar.claim({ db: 1 }))).toBe("pending");
  });

  test("takes nothing", async () => {
    const bursar = new Bursar({ db: 1, ram: 10 });
    const held = await bursar.claim({ db: 1 });
    const controller = new AbortController();
    const claim = bursar.claim({ db: 1, ram: 10 }, { signal: controller.signal });
    controller.abort("enough");
    held.release();
    await expect(claim).rejects.toBe("enough");
    expect([bursar.available("db"), bursar.available("ram")]).toEqual([1, 10]);
  });

  test("takes no tokens when the refill comes", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ api: tokenBucket({ rate: 1, burst: 2 }) }, { clock });
    await bursar.claim({ api: 2 });
    const controller = new AbortController();
    const claim = bursar.claim({ api: 2 }, { signal: controller.signal });
    clock.advance(1_500);
    controller.abort("enough");
    clock.advance(500);
    await expect(claim).rejects.toBe("enough");
    expect(bursar.available("api")).toBe(2);
  });

  test("frees those behind it at once", async () => {
    const bursar = new Bursar({ db: 2 }, { maxBypass: 0 });
    await bursar.claim({ db: 1 });
    const controller = new AbortController();
    const heavy = bursar.claim({ db: 2 }, { signal: controller.signal });
    const light = bursar.claim({ db: 1 });
    controller.abort("enough");
    expect(bursar.held("db")).toBe(2);
    await light;
    await expect(heavy).rejects.toBe("enough");
  });

  test("leaves the others in their order", async () => {
    const bursar = new Bursar({ db: 1 });
    const held = await bursar.claim({ db: 1 });
    const controller = new AbortController();
    const line = new Line();
    line.add("a", bursar.claim({ db: 1 }));
    line.add("b", bursar.claim({ db: 1 }, { signal: controller.signal }));
    line.add("c", bursar.claim({ db: 1 }));
    controller.abort();
    held.release();
    await settle();
    expect(await line.release("a")).toEqual(["a", "c"]);
  });

  test("leaves it its lease or its reason where a late timer has not handed out a token yet", async () => {
    const clock = new LateClock();
    const bursar = new Bursar({ api: tokenBucket({ rate: 1, burst: 1 }) }, { clock });
    bursar.tryClaim({ api: 1 })!.release();
    const controller = new AbortController();
    const claim = bursar.claim({ api: 1 }, { signal: controller.signal });
    clock.time = 1_500;
    controller.abort("enough");
    const outcome = await claim.catch((reason: unknown) => reason);
    if (outcome === "enough") expect([bursar.available("api"), bursar.held("api")]).toEqual([1, 0]);
    else
      expect([bursar.available("api"), bursar.held("api"), await stateOf(claim)]).toEqual([
        0,
        1,
        "fulfilled",
      ]);
    expect([bursar.waiting, clock.armed]).toEqual([0, false]);
  });

  test("rejects it where a late timer has not seen its deadline yet", async () => {
    const clock = new LateClock();
    const bursar = new Bursar({ db: 1, api: tokenBucket({ rate: 1, burst: 1 }) }, { clock });
    await bursar.claim({ db: 1 });
    const controller = new AbortController();
    const claim = bursar.claim({ db: 1 }, { signal: controller.signal, timeout: 1_000 });
    clock.time = 1_500;
    controller.abort("enough");
    expect(await stateOf(claim)).toBe("rejected");
    expect([bursar.waiting, clock.armed]).toEqual([0, false]);
  });

  test("makes an idle bursar known as idle", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ api: tokenBucket({ rate: 1, burst: 1 }) }, { clock });
    bursar.tryClaim({ api: 1 })!.release();
    const controller = new AbortController();
    const claim = bursar.claim({ api: 1 }, { signal: controller.signal });
    const idle = bursar.idle();
    expect(await stateOf(idle)).toBe("pending");
    controller.abort("enough");
    await expect(claim).rejects.toBe("enough");
    expect(await stateOf(idle)).toBe("fulfilled");
  });
});

test("aborting after the grant does nothing", async () => {
  const bursar = new Bursar({ db: 1 });
  const controller = new AbortController();
  const held = await bursar.claim({ db: 1 }, { signal: controller.signal });
  const claim = bursar.claim({ db: 1 }, { signal: controller.signal });
  held.release();
  const lease = await claim;
  controller.abort();
  expect([held.signal.aborted, lease.signal.aborted, lease.ended]).toEqual([false, false, false]);
  expect(bursar.held("db")).toBe(1);
  lease.release();
  expect(bursar.available("db")).toBe(1);
});

describe("listeners", () => {
  test("there is one per signal, however many claims share it", async () => {
    const bursar = new Bursar({ db: 1, api: 1 });
    const other = new Bursar({ db: 1 });
    await bursar.claim({ db: 1, api: 1 });
    await other.claim({ db: 1 });
    const { controller, signal, listeners } = counted();
    const claims: Promise<unknown>[] = [];
    for (let at = 0; at < 50; at++) {
      claims.push(bursar.claim({ db: 1 }, { signal }), bursar.claim({ api: 1 }, { signal }));
      claims.push(other.claim({ db: 1 }, { signal, timeout: 1_000 }));
    }
    expect(listeners).toEqual({ now: 1, most: 1 });
    controller.abort("all of you");
    expect(listeners).toEqual({ now: 0, most: 1 });
    for (const claim of claims) expect(await reasonOf(claim)).toBe("all of you");
    expect([bursar.waiting, other.waiting]).toEqual([0, 0]);
  });

  test("there is none for a claim that is granted at once", async () => {
    const bursar = new Bursar({ db: 1 });
    const { signal, listeners } = counted();
    (await bursar.claim({ db: 1 }, { signal })).release();
    await bursar.run({ db: 1 }, () => {}, { signal });
    expect(listeners.most).toBe(0);
  });

  test("the last claim to be granted takes it away", async () => {
    const bursar = new Bursar({ db: 1 });
    const held = await bursar.claim({ db: 1 });
    const { signal, listeners } = counted();
    const first = bursar.claim({ db: 1 }, { signal });
    const second = bursar.claim({ db: 1 }, { signal });
    held.release();
    expect(listeners.now).toBe(1);
    (await first).release();
    expect(listeners.now).toBe(0);
    (await second).release();
    expect(listeners).toEqual({ now: 0, most: 1 });
  });

  test("a claim that times out takes it away", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    await bursar.claim({ db: 1 });
    const { signal, listeners } = counted();
    const claim = bursar.claim({ db: 1 }, { signal, timeout: 10 });
    expect(listeners.now).toBe(1);
    clock.advance(10);
    expect(await stateOf(claim)).toBe("rejected");
    expect(listeners.now).toBe(0);
  });

  test("a claim that is refused leaves none", async () => {
    const bursar = new Bursar({ db: 1 }, { maxWaiting: 0 });
    await bursar.claim({ db: 1 });
    const { signal, listeners } = counted();
    expect(await reasonOf(bursar.claim({ db: 1 }, { signal }))).toBeInstanceOf(QueueFullError);
    expect(listeners.most).toBe(0);
  });

  test("cancelling a handle and shutting down take it away", async () => {
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 });
    const { signal, listeners } = counted();
    const claim = bursar.enqueue({ db: 1 }, { signal });
    const other = bursar.claim({ db: 1 }, { signal });
    claim.cancel();
    expect(listeners.now).toBe(1);
    bursar.shutdown();
    expect(await stateOf(other)).toBe("rejected");
    expect(listeners.now).toBe(0);
  });

  test("a signal can be used again after its last claim has ended", async () => {
    const bursar = new Bursar({ db: 1 });
    const { controller, signal, listeners } = counted();
    for (let round = 0; round < 3; round++) {
      const held = await bursar.claim({ db: 1 });
      const claim = bursar.claim({ db: 1 }, { signal });
      expect(listeners.now).toBe(1);
      held.release();
      (await claim).release();
      expect(listeners.now).toBe(0);
    }
    await bursar.claim({ db: 1 });
    const last = bursar.claim({ db: 1 }, { signal });
    controller.abort("now");
    expect(await reasonOf(last)).toBe("now");
  });
});

describe("claims that share a signal", () => {
  test("all reject, although the end of one makes room for another", async () => {
    const bursar = new Bursar({ db: 2 }, { maxBypass: 0 });
    const held = await bursar.claim({ db: 1 });
    const controller = new AbortController();
    const { signal } = controller;
    const heavy = bursar.claim({ db: 2 }, { signal });
    const light = bursar.claim({ db: 1 }, { signal });
    controller.abort("enough");
    expect([await reasonOf(heavy), await reasonOf(light)]).toEqual(["enough", "enough"]);
    expect([bursar.held("db"), bursar.waiting]).toEqual([1, 0]);
    held.release();
    expect(bursar.available("db")).toBe(2);
  });

  test("take no tokens from each other's leaving", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1, api: tokenBucket({ rate: 1, burst: 5 }) }, { clock, maxBypass: 0 });
    await bursar.claim({ db: 1 });
    const controller = new AbortController();
    const { signal } = controller;
    const first = bursar.claim({ db: 1, api: 5 }, { signal, priority: 1 });
    const second = bursar.claim({ api: 5 }, { signal });
    const third = bursar.claim({ api: 1 }, { signal, priority: 1 });
    controller.abort("enough");
    for (const claim of [first, second, third]) expect(await reasonOf(claim)).toBe("enough");
    expect(bursar.available("api")).toBe(5);
  });

  test("free a claim behind them that has another", async () => {
    const bursar = new Bursar({ db: 2 }, { maxBypass: 0 });
    await bursar.claim({ db: 1 });
    const controller = new AbortController();
    const { signal } = controller;
    const heavy = bursar.claim({ db: 2 }, { signal });
    const alsoHeavy = bursar.claim({ db: 2 }, { signal });
    const light = bursar.claim({ db: 1 });
    controller.abort("enough");
    await light;
    expect([await reasonOf(heavy), await reasonOf(alsoHeavy)]).toEqual(["enough", "enough"]);
    expect(bursar.waiting).toBe(0);
  });
});

/** Every combination of the moments at which a claim's holder gives back and at which it is aborted. */
describe.each(["fair", "newest", "greedy"] as const)(
  "wherever an abort falls in a claim's life, %s",
  (order) => {
    test("the claim either has its lease or its reason, and everything is back in the end", async () => {
      for (let releaseAt = 0; releaseAt < 8; releaseAt++) {
        for (let abortAt = 0; abortAt < 14; abortAt++) {
          const bursar = new Bursar({ db: 2, ram: 4 }, { order, maxBypass: 1 });
          const held = await bursar.claim({ db: 1, ram: 2 });
          const { controller, signal, listeners } = counted();
          const outcomes: string[] = [];
          const live = async (demand: { db: number; ram: number }) => {
            try {
              using lease = await bursar.claim(demand, { signal });
              if (lease.ended) outcomes.push("a lease that has ended");
              await undefined;
              outcomes.push("lease");
            } catch (reason) {
              outcomes.push(String(reason));
            }
          };
          const work = async () => {
            outcomes.push("lease");
            await undefined;
          };
          const lives = [
            live({ db: 2, ram: 4 }),
            live({ db: 1, ram: 1 }),
            bursar.run({ db: 2, ram: 1 }, work, { signal }).catch((reason) => outcomes.push(String(reason))),
            live({ db: 1, ram: 3 }),
          ];
          for (let step = 0; step < 16; step++) {
            if (step === releaseAt) held.release();
            if (step === abortAt) controller.abort("aborted");
            await undefined;
          }
          await Promise.all(lives);
          const at = `released at step ${releaseAt}, aborted at step ${abortAt}`;
          expect(outcomes.length, at).toBe(4);
          for (const outcome of outcomes) expect(["lease", "aborted"], at).toContain(outcome);
          expect([bursar.available("db"), bursar.available("ram"), bursar.waiting], at).toEqual([2, 4, 0]);
          expect(listeners.now, at).toBe(0);
        }
      }
    });
  },
);

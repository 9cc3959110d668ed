// Who goes first.

import { Bursar } from "bursar";
import { describe, expect, test } from "vitest";
import { Line, Random, settle, stateOf } from "./support.js";

describe("fair", () => {
  test("claims are served in the order in which they came", async () => {
    const bursar = new Bursar({ db: 1 });
    const line = new Line();
    for (const name of ["a", "b", "c", "d"]) line.add(name, bursar.claim({ db: 1 }));
    await settle();
    for (const name of ["a", "b", "c", "d"]) await line.release(name);
    expect(line.served).toEqual(["a", "b", "c", "d"]);
  });

  test("a higher priority goes first, and equals go by arrival", async () => {
    const bursar = new Bursar({ db: 1 });
    const held = await bursar.claim({ db: 1 });
    const line = new Line();
    line.add("low", bursar.claim({ db: 1 }, { priority: -1 }));
    line.add("first", bursar.claim({ db: 1 }));
    line.add("second", bursar.claim({ db: 1 }));
    line.add("urgent", bursar.claim({ db: 1 }, { priority: 2 ** 31 - 1 }));
    line.add("lowest", bursar.claim({ db: 1 }, { priority: -(2 ** 31) }));
    line.add("third", bursar.claim({ db: 1 }));
    held.release();
    await settle();
    const expected = ["urgent", "first", "second", "third", "low", "lowest"];
    for (const name of expected) await line.release(name);
    expect(line.served).toEqual(expected);
  });

  test("a newcomer does not overtake a waiting claim that fits as soon as units come back", async () => {
    const bursar = new Bursar({ db: 1 });
    const held = await bursar.claim({ db: 1 });
    const waiting = bursar.claim({ db: 1 });
    held.release();
    expect(bursar.tryClaim({ db: 1 })).toBeUndefined();
    await waiting;
  });

  test("a claim that does not fit lets others pass", async () => {
    const bursar = new Bursar({ db: 2 });
    await bursar.claim({ db: 1 });
    const heavy = bursar.claim({ db: 2 });
    const light = await bursar.claim({ db: 1 });
    expect(await stateOf(heavy)).toBe("pending");
    light.release();
  });

  test("work that does not need the short resource is never held up", async () => {
    const bursar = new Bursar({ gpu: 1, db: 1 }, { maxBypass: 0 });
    await bursar.claim({ gpu: 1 });
    const waiting = bursar.claim({ gpu: 1 });
    for (let round = 0; round < 100; round++) (await bursar.claim({ db: 1 })).release();
    expect(await stateOf(waiting)).toBe("pending");
  });

  test("a claim that has been passed as often as it may be is served next", async () => {
    const bursar = new Bursar({ db: 2 }, { maxBypass: 3 });
    const held = await bursar.claim({ db: 1 });
    const line = new Line();
    line.add("heavy", bursar.claim({ db: 2 }));
    for (let pass = 0; pass < 3; pass++) (await bursar.claim({ db: 1 })).release();
    line.add("light", bursar.claim({ db: 1 }));
    await settle();
    expect(line.served).toEqual([]);
    expect(bursar.available("db")).toBe(1);
    held.release();
    await settle();
    expect(line.served).toEqual(["heavy"]);
    expect(await line.release("heavy")).toEqual(["heavy", "light"]);
  });

  test("the bound is a thousand where none is given", async () => {
    const bursar = new Bursar({ db: 2 });
    await bursar.claim({ db: 1 });
    const heavy = bursar.claim({ db: 2 });
    let passed = 0;
    for (let lease = bursar.tryClaim({ db: 1 }); lease; lease = bursar.tryClaim({ db: 1 })) {
      passed++;
      lease.release();
    }
    expect(passed).toBe(1_000);
    expect(await stateOf(heavy)).toBe("pending");
  });

  test("without a bound a claim can be passed for ever", async () => {
    const bursar = new Bursar({ db: 2 }, { maxBypass: Number.POSITIVE_INFINITY });
    await bursar.claim({ db: 1 });
    const heavy = bursar.claim({ db: 2 });
    for (let pass = 0; pass < 5_000; pass++) bursar.tryClaim({ db: 1 })!.release();
    expect(await stateOf(heavy)).toBe("pending");
  });

  test("a bound of 0 lets nobody pass", async () => {
    const bursar = new Bursar({ db: 2 }, { maxBypass: 0 });
    const held = await bursar.claim({ db: 1 });
    const line = new Line();
    line.add("heavy", bursar.claim({ db: 2 }));
    line.add("light", bursar.claim({ db: 1 }));
    expect(bursar.tryClaim({ db: 1 })).toBeUndefined();
    await settle();
    expect(line.served).toEqual([]);
    held.release();
    await settle();
    expect(await line.release("heavy")).toEqual(["heavy", "light"]);
  });

  test("what is kept for a claim is no more than it demands", async () => {
    const bursar = new Bursar({ db: 2, ram: 10 }, { maxBypass: 0 });
    await bursar.claim({ db: 1 });
    const heavy = bursar.claim({ db: 2, ram: 1 });
    expect(bursar.tryClaim({ ram: 5 })).toBeDefined();
    expect(bursar.tryClaim({ ram: 4 })).toBeDefined();
    expect(bursar.tryClaim({ ram: 1 })).toBeUndefined();
    expect(bursar.available("ram")).toBe(1);
    expect(await stateOf(heavy)).toBe("pending");
  });

  test("a more urgent claim passes one for which units are kept", async () => {
    const bursar = new Bursar({ db: 2 }, { maxBypass: 0 });
    await bursar.claim({ db: 1 });
    const heavy = bursar.claim({ db: 2 });
    const urgent = await bursar.claim({ db: 1 }, { priority: 1 });
    expect(await stateOf(heavy)).toBe("pending");
    urgent.release();
  });

  test("the snapshot says who has been passed and for whom units are kept", async () => {
    const bursar = new Bursar({ db: 2 }, { maxBypass: 2 });
    await bursar.claim({ db: 1 });
    const heavy = bursar.claim({ db: 2 });
    const ofHeavy = () => bursar.snapshot().claims.find(({ state }) => state === "waiting")!;
    expect(ofHeavy()).toMatchObject({ bypassed: 0, barrier: false });
    bursar.tryClaim({ db: 1 })!.release();
    expect(ofHeavy()).toMatchObject({ bypassed: 1, barrier: false });
    bursar.tryClaim({ db: 1 })!.release();
    expect(ofHeavy()).toMatchObject({ bypassed: 2, barrier: true });
    expect(await stateOf(heavy)).toBe("pending");
  });

  test("a heavy claim is served although light ones never stop coming", async () => {
    const bursar = new Bursar({ db: 4 }, { maxBypass: 20 });
    let stop = false;
    let lights = 0;
    const stream = async () => {
      while (!stop) {
        const lease = await bursar.claim({ db: 1 });
        lights++;
        await undefined;
        lease.release();
      }
    };
    // Five may have been granted already, and not have counted themselves yet.
    const streams = [stream(), stream(), stream(), stream(), stream()];
    await settle();
    const before = lights;
    const heavy = await bursar.claim({ db: 4 });
    expect(lights - before).toBeLessThanOrEqual(20 + 5);
    stop = true;
    heavy.release();
    await Promise.all(streams);
  });
});

describe("newest", () => {
  test("the newest goes first within its priority", async () => {
    const bursar = new Bursar({ db: 1 }, { order: "newest" });
    const held = await bursar.claim({ db: 1 });
    const line = new Line();
    for (const name of ["a", "b", "c"]) line.add(name, bursar.claim({ db: 1 }));
    line.add("urgent", bursar.claim({ db: 1 }, { priority: 1 }));
    line.add("d", bursar.claim({ db: 1 }));
    held.release();
    await settle();
    const expected = ["urgent", "d", "c", "b", "a"];
    for (const name of expected) await line.release(name);
    expect(line.served).toEqual(expected);
  });

  test("the oldest is served once newer ones have passed it as often as they may", async () => {
    const bursar = new Bursar({ db: 1 }, { order: "newest", maxBypass: 2 });
    const held = await bursar.claim({ db: 1 });
    const line = new Line();
    line.add("oldest", bursar.claim({ db: 1 }));
    line.add("newer 1", bursar.claim({ db: 1 }));
    held.release();
    await settle();
    line.add("newer 2", bursar.claim({ db: 1 }));
    await line.release("newer 1");
    line.add("newer 3", bursar.claim({ db: 1 }));
    await line.release("newer 2");
    await line.release("oldest");
    expect(line.served).toEqual(["newer 1", "newer 2", "oldest", "newer 3"]);
  });
});

describe("greedy", () => {
  test("a newcomer may take units before the waiting claim that they were returned for", async () => {
    const bursar = new Bursar({ db: 1 }, { order: "greedy" });
    const held = await bursar.claim({ db: 1 });
    const waiting = bursar.claim({ db: 1 });
    held.release();
    const newcomer = bursar.tryClaim({ db: 1 });
    expect(newcomer).toBeDefined();
    expect(await stateOf(waiting)).toBe("pending");
    newcomer!.release();
    await waiting;
  });

  test("the one who lost to a newcomer keeps its place", async () => {
    const bursar = new Bursar({ db: 1 }, { order: "greedy" });
    const held = await bursar.claim({ db: 1 });
    const line = new Line();
    line.add("first", bursar.claim({ db: 1 }));
    line.add("second", bursar.claim({ db: 1 }));
    held.release();
    const newcomer = bursar.tryClaim({ db: 1 })!;
    await settle();
    newcomer.release();
    await settle();
    expect(await line.release("first")).toEqual(["first", "second"]);
  });

  test("a woken claim that is cancelled before it gets to run leaves its chance to the next", async () => {
    const bursar = new Bursar({ db: 1 }, { order: "greedy" });
    const held = await bursar.claim({ db: 1 });
    const controller = new AbortController();
    const woken = bursar.claim({ db: 1 }, { signal: controller.signal });
    const next = bursar.claim({ db: 1 });
    held.release();
    controller.abort("changed my mind");
    await expect(woken).rejects.toBe("changed my mind");
    (await next).release();
    expect(bursar.available("db")).toBe(1);
  });

  test("nobody is lost however newcomers and waiting claims race", async () => {
    const random = new Random(7);
    const bursar = new Bursar({ db: 3, ram: 7 }, { order: "greedy" });
    let served = 0;
    const task = async () => {
      for (let round = 0; round < 40; round++) {
        const demand = { db: 1 + random.below(3), ...(random.below(2) ? { ram: 1 + random.below(7) } : {}) };
        const lease = await bursar.claim(demand);
        for (let step = random.below(4); step > 0; step--) await undefined;
        lease.release();
        if (random.below(3) === 0) bursar.tryClaim({ db: 1 })?.release();
        served++;
      }
    };
    await Promise.all(Array.from({ length: 25 }, task));
    expect(served).toBe(25 * 40);
    expect(bursar.waiting).toBe(0);
    expect([bursar.available("db"), bursar.available("ram")]).toEqual([3, 7]);
  });

  test("several who fit together are all woken by one release", async () => {
    const bursar = new Bursar({ db: 3 }, { order: "greedy" });
    const held = await bursar.claim({ db: 3 });
    const waiting = [bursar.claim({ db: 1 }), bursar.claim({ db: 1 }), bursar.claim({ db: 1 })];
    held.release();
    await Promise.all(waiting);
    expect(bursar.available("db")).toBe(0);
  });
});

// Rates: what time gives, and never more than that.

import { atMost, Bursar, ExceedsCapacityError, InvalidResourceError, ManualClock, tokenBucket } from "bursar";
import { describe, expect, test } from "vitest";
import { LateClock, Line, Random, reasonOf, settle, stateOf } from "./support.js";

/** A bursar of one rate, and its clock. */
function metered(rate: number, burst: number, maxBypass = 1_000) {
  const clock = new ManualClock();
  return { clock, bursar: new Bursar({ api: tokenBucket({ rate, burst }) }, { clock, maxBypass }) };
}

/** The most units that were granted in any window of a length. */
function mostInWindow(grants: readonly { at: number; units: number }[], length: number): number {
  let most = 0;
  let sum = 0;
  let first = 0;
  for (const grant of grants) {
    sum += grant.units;
    while (grants[first]!.at <= grant.at - length) sum -= grants[first++]!.units;
    most = Math.max(most, sum);
  }
  return most;
}

describe("a token bucket", () => {
  test("starts full", async () => {
    const { bursar } = metered(1, 10);
    expect([bursar.available("api"), bursar.capacity("api")]).toEqual([10, 10]);
    await bursar.claim({ api: 10 });
    expect(bursar.available("api")).toBe(0);
  });

  test("gives its whole burst in one claim, and refuses one unit more", async () => {
    const { bursar } = metered(1, 10);
    const above = (await reasonOf(bursar.claim({ api: 11 }))) as ExceedsCapacityError;
    expect(above).toBeInstanceOf(ExceedsCapacityError);
    expect([above.wanted, above.capacity]).toEqual([11, 10]);
    expect(bursar.available("api")).toBe(10);
    await bursar.claim({ api: 10 });
  });

  test("refills continuously, not in windows", async () => {
    const { bursar, clock } = metered(50, 100);
    bursar.tryClaim({ api: 100 });
    const levels: number[] = [];
    for (let step = 0; step < 5; step++) {
      clock.advance(20);
      levels.push(bursar.available("api"));
    }
    expect(levels).toEqual([1, 2, 3, 4, 5]);
  });

  test("never holds more than its burst", () => {
    const { bursar, clock } = metered(50, 100);
    bursar.tryClaim({ api: 10 });
    clock.advance(86_400_000);
    expect(bursar.available("api")).toBe(100);
  });

  test("does not get its tokens back at release", async () => {
    const { bursar } = metered(1, 2);
    (await bursar.claim({ api: 2 })).release();
    expect([bursar.available("api"), bursar.held("api")]).toEqual([0, 0]);
  });

  test("grants a waiting claim at the moment when it holds enough", async () => {
    const { bursar, clock } = metered(2, 4);
    bursar.tryClaim({ api: 4 });
    const claim = bursar.claim({ api: 3 });
    clock.advance(1_499);
    expect(await stateOf(claim)).toBe("pending");
    clock.advance(1);
    expect(await stateOf(claim)).toBe("fulfilled");
  });

  test("serves those who wait one by one as tokens come in", async () => {
    const { bursar, clock } = metered(1, 1);
    const line = new Line();
    for (const name of ["0 s", "1 s", "2 s", "3 s"]) line.add(name, bursar.claim({ api: 1 }));
    for (let second = 0; second < 4; second++) {
      await settle();
      expect(line.served).toHaveLength(second + 1);
      clock.advance(1_000);
    }
    expect(line.served).toEqual(["0 s", "1 s", "2 s", "3 s"]);
  });

  test("can be slower than a token a day", async () => {
    const { bursar, clock } = metered(1e-6, 1);
    bursar.tryClaim({ api: 1 });
    const claim = bursar.claim({ api: 1 });
    clock.advance(999_999_999);
    expect(await stateOf(claim)).toBe("pending");
    clock.advance(1);
    await claim;
  });

  test("is in step with a real clock", async () => {
    const bursar = new Bursar({ api: tokenBucket({ rate: 200, burst: 1 }) });
    const start = performance.now();
    for (let claim = 0; claim < 7; claim++) (await bursar.claim({ api: 1 })).release();
    expect(performance.now() - start).toBeGreaterThanOrEqual(29);
  });
});

describe("the guarantee", () => {
  test("no window grants more than burst + rate * length, whatever is asked for", async () => {
    const rate = 7;
    const burst = 5;
    const { bursar, clock } = metered(rate, burst);
    const random = new Random(3);
    const grants: { at: number; units: number }[] = [];
    const ask = () => {
      const api = 1 + random.below(burst);
      bursar.claim({ api }).then(
        () => grants.push({ at: clock.now(), units: api }),
        () => {},
      );
    };
    for (let step = 0; step < 2_000; step++) {
      if (bursar.waiting < 4) ask();
      clock.advance(random.below(5) ? random.below(300) : random.below(3_000));
      await undefined;
      await undefined;
    }
    expect(grants.length).toBeGreaterThan(500);
    // A grant is noted at the end of its step: shorter by the longest step, a window cannot hold more.
    for (const length of [10_000, 60_000]) {
      expect(mostInWindow(grants, length - 3_000)).toBeLessThanOrEqual(burst + (rate * length) / 1_000);
    }
  });

  test("atMost never lets more than its units through in any of its windows", () => {
    const clock = new ManualClock();
    const per = 3_600_000;
    const bursar = new Bursar({ mails: atMost(750, { per, burst: 10 }) }, { clock });
    const grants: { at: number; units: number }[] = [];
    const step = 500;
    for (let at = 0; at < 3 * per; at += step) {
      while (bursar.tryClaim({ mails: 1 })) grants.push({ at, units: 1 });
      clock.advance(step);
    }
    expect(mostInWindow(grants, per)).toBeLessThanOrEqual(750);
    expect(grants.length).toBeGreaterThan(3 * 740);
  });

  test("atMost takes a burst of 1 where none is given", () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ mails: atMost(11, { per: 1_000 }) }, { clock });
    expect(bursar.capacity("mails")).toBe(1);
    bursar.tryClaim({ mails: 1 });
    clock.advance(99);
    expect(bursar.tryClaim({ mails: 1 })).toBeUndefined();
    clock.advance(1);
    expect(bursar.tryClaim({ mails: 1 })).toBeDefined();
  });

  test("several rates hold together", () => {
    const clock = new ManualClock();
    const resources = {
      second: atMost(5, { per: 1_000, burst: 3 }),
      minute: atMost(75, { per: 60_000, burst: 15 }),
    };
    const bursar = new Bursar(resources, { clock });
    const grants: { at: number; units: number }[] = [];
    for (let at = 0; at < 300_000; at += 50) {
      while (bursar.tryClaim({ second: 1, minute: 1 })) grants.push({ at, units: 1 });
      clock.advance(50);
    }
    expect(mostInWindow(grants, 1_000)).toBeLessThanOrEqual(5);
    expect(mostInWindow(grants, 60_000)).toBeLessThanOrEqual(75);
    expect(grants.length).toBeGreaterThan(5 * 60);
  });

  test("a claim of a permit and a token takes neither alone", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1, api: tokenBucket({ rate: 1, burst: 1 }) }, { clock });
    const held = await bursar.claim({ db: 1 });
    const claim = bursar.claim({ db: 1, api: 1 });
    clock.advance(5_000);
    expect([bursar.available("api"), await stateOf(claim)]).toEqual([1, "pending"]);
    held.release();
    (await claim).release();
    const next = bursar.claim({ db: 1, api: 1 });
    expect([bursar.available("db"), await stateOf(next)]).toEqual([1, "pending"]);
    clock.advance(1_000);
    await next;
  });
});

describe("exactness", () => {
  test.each([1 / 3, 0.1, 7, 333, 1_000])(
    "many small steps give what one long one gives, at %d a second",
    (rate) => {
      const steps = 30_000;
      const seconds = steps / 1_000;
      const total = Math.floor(rate * seconds + 1e-9);
      const { bursar, clock } = metered(rate, total + 10);
      bursar.tryClaim({ api: total + 10 });
      for (let step = 0; step < steps; step++) {
        clock.advance(1);
        if (step % 7 === 0) bursar.available("api");
      }
      expect(bursar.available("api")).toBe(total);
    },
  );

  test("a hundred thousand claims do not make it drift", () => {
    const { bursar, clock } = metered(1_000, 50);
    bursar.tryClaim({ api: 50 });
    let granted = 0;
    for (let step = 0; step < 100_000; step++) {
      clock.advance(1);
      if (bursar.tryClaim({ api: 1 })) granted++;
    }
    expect(granted).toBe(100_000);
    expect(bursar.tryClaim({ api: 1 })).toBeUndefined();
  });

  test("a rate that binary fractions cannot write is exact", async () => {
    const { bursar, clock } = metered(0.1, 1);
    bursar.tryClaim({ api: 1 });
    for (let round = 0; round < 1_000; round++) {
      clock.advance(9_999);
      expect(bursar.tryClaim({ api: 1 })).toBeUndefined();
      clock.advance(1);
      expect(bursar.tryClaim({ api: 1 })).toBeDefined();
    }
  });
});

describe("settle", () => {
  test("gives back what was reserved and not used", async () => {
    const { bursar } = metered(1, 100);
    const lease = await bursar.claim({ api: 80 });
    lease.settle({ api: 30 });
    expect(bursar.available("api")).toBe(70);
    lease.release();
    expect(bursar.available("api")).toBe(70);
  });

  test("gives all back where nothing was used", async () => {
    const { bursar } = metered(1, 100);
    const lease = await bursar.claim({ api: 80 });
    lease.settle({ api: 0 });
    expect(bursar.available("api")).toBe(100);
  });

  test("never gives back beyond the burst", async () => {
    const { bursar, clock } = metered(1, 100);
    const lease = await bursar.claim({ api: 80 });
    clock.advance(60_000);
    lease.settle({ api: 10 });
    expect(bursar.available("api")).toBe(100);
  });

  test("serves those who wait with what it gives back", async () => {
    const { bursar } = metered(1, 100);
    const lease = await bursar.claim({ api: 100 });
    const waiting = bursar.claim({ api: 60 });
    lease.settle({ api: 40 });
    await waiting;
    expect(bursar.available("api")).toBe(0);
  });

  test("makes a debt of what was used beyond the claim, and the refill pays it first", async () => {
    const { bursar, clock } = metered(10, 100);
    const lease = await bursar.claim({ api: 100 });
    lease.settle({ api: 130 });
    lease.release();
    expect(bursar.available("api")).toBe(0);
    expect(bursar.snapshot().resources[0]).toMatchObject({ debt: 30, available: 0 });
    const next = bursar.claim({ api: 1 });
    clock.advance(3_099);
    expect(await stateOf(next)).toBe("pending");
    clock.advance(1);
    await next;
  });
});

describe("a large claim", () => {
  test("is served in bounded time although small ones never stop coming", async () => {
    const { bursar, clock } = metered(10, 10, 20);
    bursar.tryClaim({ api: 10 });
    let large: number | undefined;
    bursar.claim({ api: 10 }).then(() => {
      large = clock.now();
    });
    let small = 0;
    for (let step = 0; step < 100; step++) {
      bursar.claim({ api: 1 }).then(() => {
        small++;
      });
      clock.advance(100);
      await settle();
      if (large !== undefined) break;
    }
    // Twenty may pass, at 0.1 s each; then its ten tokens gather.
    expect(small).toBe(20);
    expect(large).toBe(3_000);
  });

  test("does not hold up those who want another rate", async () => {
    const clock = new ManualClock();
    const rate = tokenBucket({ rate: 1, burst: 10 });
    const bursar = new Bursar({ api: rate, mails: rate }, { clock, maxBypass: 0 });
    bursar.tryClaim({ api: 10 });
    const large = bursar.claim({ api: 10 });
    for (let claim = 0; claim < 10; claim++) expect(bursar.tryClaim({ mails: 1 })).toBeDefined();
    expect(await stateOf(large)).toBe("pending");
  });
});

describe("a change of settings", () => {
  test("keeps the level", () => {
    const { bursar } = metered(1, 10);
    bursar.tryClaim({ api: 7 });
    bursar.resize("api", tokenBucket({ rate: 5, burst: 20 }));
    expect([bursar.available("api"), bursar.capacity("api")]).toEqual([3, 20]);
  });

  test("lowers it to a smaller burst", () => {
    const { bursar } = metered(1, 10);
    bursar.resize("api", tokenBucket({ rate: 1, burst: 4 }));
    expect(bursar.available("api")).toBe(4);
  });

  test("does not charge past time at the new rate", () => {
    const { bursar, clock } = metered(1, 1_000);
    bursar.tryClaim({ api: 1_000 });
    clock.advance(10_000);
    bursar.resize("api", tokenBucket({ rate: 100, burst: 1_000 }));
    expect(bursar.available("api")).toBe(10);
    clock.advance(1_000);
    expect(bursar.available("api")).toBe(110);
  });

  test("does not stop the refill of those who wait", async () => {
    const { bursar, clock } = metered(1, 10);
    bursar.tryClaim({ api: 10 });
    const claim = bursar.claim({ api: 4 });
    clock.advance(2_000);
    bursar.resize("api", tokenBucket({ rate: 4, burst: 10 }));
    clock.advance(499);
    expect(await stateOf(claim)).toBe("pending");
    clock.advance(1);
    await claim;
  });

  test("rejects those who can never be served any more, and frees those behind them", async () => {
    const { bursar } = metered(1, 10, 0);
    bursar.tryClaim({ api: 5 });
    const large = bursar.claim({ api: 9 });
    const small = bursar.claim({ api: 1 });
    expect(await stateOf(small)).toBe("pending");
    bursar.resize("api", tokenBucket({ rate: 1, burst: 8 }));
    expect(await reasonOf(large)).toBeInstanceOf(ExceedsCapacityError);
    await small;
  });

  test("again and again costs nothing", () => {
    const { bursar, clock } = metered(10, 100);
    bursar.tryClaim({ api: 100 });
    for (let step = 0; step < 1_000; step++) {
      clock.advance(1);
      bursar.resize("api", tokenBucket({ rate: 10, burst: 100 }));
    }
    expect(bursar.available("api")).toBe(10);
  });
});

describe("pause", () => {
  test("stops grants for as long as asked, and then those who wait are served", async () => {
    const { bursar, clock } = metered(10, 10);
    bursar.pause("api", 2_000);
    expect(bursar.available("api")).toBe(0);
    expect(bursar.tryClaim({ api: 1 })).toBeUndefined();
    const claim = bursar.claim({ api: 1 });
    clock.advance(1_999);
    expect(await stateOf(claim)).toBe("pending");
    clock.advance(1);
    await claim;
  });

  test("of 0 ends a pause", async () => {
    const { bursar } = metered(10, 10);
    bursar.pause("api", 60_000);
    const claim = bursar.claim({ api: 1 });
    bursar.pause("api", 0);
    await claim;
    expect(bursar.snapshot().resources[0]).not.toHaveProperty("pausedUntil");
  });

  test("works on permits as well, and leases are given back meanwhile", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    const held = await bursar.claim({ db: 1 });
    bursar.pause("db", 500);
    const claim = bursar.claim({ db: 1 });
    held.release();
    expect(await stateOf(claim)).toBe("pending");
    clock.advance(500);
    await claim;
  });

  test("can be longer than any timer", async () => {
    const { bursar, clock } = metered(10, 10);
    bursar.pause("api", 2 ** 33);
    const claim = bursar.claim({ api: 1 });
    clock.advance(2 ** 33 - 1);
    expect(await stateOf(claim)).toBe("pending");
    clock.advance(1);
    await claim;
  });
});

describe("setLevel", () => {
  test("follows what a server says remains", async () => {
    const { bursar, clock } = metered(10, 100);
    bursar.setLevel("api", 2);
    expect(bursar.available("api")).toBe(2);
    const claim = bursar.claim({ api: 3 });
    clock.advance(99);
    expect(await stateOf(claim)).toBe("pending");
    clock.advance(1);
    await claim;
  });

  test("serves those who wait where it raises the level", async () => {
    const { bursar } = metered(1, 100);
    bursar.tryClaim({ api: 100 });
    const claim = bursar.claim({ api: 50 });
    bursar.setLevel("api", 50);
    await claim;
    expect(bursar.available("api")).toBe(0);
  });

  test("cannot go beyond the burst", () => {
    const { bursar } = metered(1, 100);
    expect(() => bursar.setLevel("api", 101)).toThrow(InvalidResourceError);
    expect(bursar.available("api")).toBe(100);
  });
});

describe("timers", () => {
  test("one timer serves all who wait, set to the first moment that matters", () => {
    const clock = new LateClock();
    const bursar = new Bursar({ api: tokenBucket({ rate: 10, burst: 10 }) }, { clock });
    bursar.tryClaim({ api: 10 });
    expect(clock.armed).toBe(false);
    for (let claim = 0; claim < 50; claim++) bursar.claim({ api: 1 }).catch(() => {});
    expect(clock.delays).toEqual([100]);
  });

  test("a runtime that slept finds its tokens, and no more than the burst", () => {
    const clock = new LateClock();
    const bursar = new Bursar({ api: tokenBucket({ rate: 10, burst: 10 }) }, { clock });
    bursar.tryClaim({ api: 10 });
    clock.time = 3_600_000;
    expect(bursar.tryClaim({ api: 10 })).toBeDefined();
    expect(bursar.tryClaim({ api: 1 })).toBeUndefined();
  });
});

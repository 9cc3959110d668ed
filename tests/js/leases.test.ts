// A lease gives back exactly once, whole or in parts, and says when it was asked for more.

import { Bursar, InvalidDemandError, ManualClock, TicketError, tokenBucket } from "bursar";
import { describe, expect, it } from "vitest";

const stock = () => new Bursar({ db: 2, ramMb: 100 });

it("gives back everything that it has", async () => {
  const bursar = stock();
  const lease = await bursar.claim({ db: 2, ramMb: 60 });
  expect([bursar.available("db"), bursar.available("ramMb")]).toEqual([0, 40]);
  lease.release();
  expect([bursar.available("db"), bursar.available("ramMb")]).toEqual([2, 100]);
});

it("has ended once it was given back", async () => {
  const lease = await stock().claim({ db: 1 });
  expect(lease.ended).toBe(false);
  lease.release();
  expect(lease.ended).toBe(true);
});

it("throws at a second release, which mints nothing", async () => {
  const bursar = stock();
  const lease = await bursar.claim({ db: 1 });
  const other = await bursar.claim({ db: 1 });
  lease.release();
  expect(() => lease.release()).toThrow(TicketError);
  expect(() => lease.release()).toThrow("everything was given back before");
  expect([bursar.available("db"), bursar.held("db"), other.ended]).toEqual([1, 1, false]);
});

it("cannot give back for the lease that has its place now", async () => {
  const bursar = stock();
  const old = await bursar.claim({ db: 2 });
  old.release();
  const next = await bursar.claim({ db: 2 });
  expect(() => old.release()).toThrow(TicketError);
  expect(() => old.release({ db: 1 })).toThrow(TicketError);
  old[Symbol.dispose]();
  expect([next.ended, bursar.held("db")]).toEqual([false, 2]);
});

describe("a part", () => {
  it("goes back, and the rest stays", async () => {
    const bursar = stock();
    const lease = await bursar.claim({ db: 2, ramMb: 60 });
    lease.release({ db: 1, ramMb: 50 });
    expect([lease.ended, bursar.available("db"), bursar.available("ramMb")]).toEqual([false, 1, 90]);
    lease.release();
    expect([lease.ended, bursar.available("db"), bursar.available("ramMb")]).toEqual([true, 2, 100]);
  });

  it("serves those who wait for it", async () => {
    const bursar = stock();
    const lease = await bursar.claim({ db: 2, ramMb: 60 });
    const waiting = bursar.claim({ db: 1 });
    lease.release({ db: 1 });
    expect((await waiting).ended).toBe(false);
    expect(bursar.available("db")).toBe(0);
  });

  it("can be all that the lease has, which ends only with a release of the rest", async () => {
    const bursar = stock();
    const lease = await bursar.claim({ db: 2 });
    lease.release({ db: 2 });
    expect([lease.ended, bursar.available("db")]).toEqual([false, 2]);
    lease.release();
    expect([lease.ended, bursar.available("db")]).toEqual([true, 2]);
  });

  it("cannot go back twice", async () => {
    const bursar = stock();
    const lease = await bursar.claim({ db: 2, ramMb: 1 });
    lease.release({ db: 2 });
    expect(() => lease.release({ db: 1 })).toThrow('1 of "db", but the lease has 0 of it');
    lease.release();
    expect(bursar.available("db")).toBe(2);
  });

  it("is checked as a whole before any of it goes back", async () => {
    const bursar = stock();
    const lease = await bursar.claim({ db: 1, ramMb: 10 });
    expect(() => lease.release({ db: 1, ramMb: 11 })).toThrow(TicketError);
    expect(() => lease.release({ db: 1, ramMb: 0.5 })).toThrow(InvalidDemandError);
    expect([bursar.held("db"), bursar.held("ramMb")]).toEqual([1, 10]);
  });

  it("counts up to the largest number of units, to the unit", async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const bursar = new Bursar({ bytes: most });
    const lease = await bursar.claim({ bytes: most });
    lease.release({ bytes: most - 1 });
    expect([bursar.held("bytes"), bursar.available("bytes")]).toEqual([1, most - 1]);
    lease.release();
    expect(bursar.available("bytes")).toBe(most);
  });
});

describe("using", () => {
  it("gives back at the end of the block", async () => {
    const bursar = stock();
    {
      using lease = await bursar.claim({ db: 2 });
      expect([lease.ended, bursar.available("db")]).toEqual([false, 0]);
    }
    expect(bursar.available("db")).toBe(2);
  });

  it("gives back when the block throws", async () => {
    const bursar = stock();
    const block = async () => {
      using _lease = await bursar.claim({ db: 2 });
      throw new Error("boom");
    };
    await expect(block()).rejects.toThrow("boom");
    expect(bursar.available("db")).toBe(2);
  });

  it("gives back what is left after a release of a part", async () => {
    const bursar = stock();
    {
      using lease = await bursar.claim({ db: 2 });
      lease.release({ db: 1 });
    }
    expect(bursar.available("db")).toBe(2);
  });

  it("leaves alone what was released before", async () => {
    const bursar = stock();
    {
      using lease = await bursar.claim({ db: 2 });
      lease.release();
    }
    expect(bursar.available("db")).toBe(2);
  });

  it("takes the undefined of a tryClaim", async () => {
    const bursar = stock();
    const lease = await bursar.claim({ db: 2 });
    {
      using none = bursar.tryClaim({ db: 1 });
      expect(none).toBeUndefined();
    }
    expect([lease.ended, bursar.held("db")]).toEqual([false, 2]);
  });

  it("works with await as well", async () => {
    const bursar = stock();
    {
      await using lease = await bursar.claim({ db: 2 });
      expect(lease.ended).toBe(false);
    }
    expect(bursar.available("db")).toBe(2);
  });
});

it("is disposed of as often as one likes, to the effect of once", async () => {
  const bursar = stock();
  const lease = await bursar.claim({ db: 1 });
  const other = await bursar.claim({ db: 1 });
  lease[Symbol.dispose]();
  lease[Symbol.dispose]();
  await lease[Symbol.asyncDispose]();
  await lease[Symbol.asyncDispose]();
  expect([lease.ended, other.ended, bursar.available("db")]).toEqual([true, false, 1]);
});

it("throws at a release after it was disposed of", async () => {
  const lease = await stock().claim({ db: 1 });
  lease[Symbol.dispose]();
  expect(() => lease.release()).toThrow(TicketError);
});

describe("tokens", () => {
  const bucket = () => {
    const clock = new ManualClock();
    return new Bursar({ api: tokenBucket({ rate: 1, burst: 10 }), db: 1 }, { clock });
  };

  it("stay spent when the lease is given back", async () => {
    const bursar = bucket();
    (await bursar.claim({ api: 4, db: 1 })).release();
    expect([bursar.available("api"), bursar.available("db"), bursar.held("api")]).toEqual([6, 1, 0]);
  });

  it("that were not used go back by settling, and serve those who wait", async () => {
    const bursar = bucket();
    const lease = await bursar.claim({ api: 10 });
    const waiting = bursar.claim({ api: 7 });
    lease.settle({ api: 3 });
    expect((await waiting).ended).toBe(false);
    expect(bursar.available("api")).toBe(0);
  });

  it("that were used beyond the claim are a debt", async () => {
    const bursar = bucket();
    const lease = await bursar.claim({ api: 10 });
    lease.settle({ api: 15 });
    expect(bursar.snapshot().resources[0]).toMatchObject({ available: 0, debt: 5 });
  });

  it("may turn out not to have been used at all", async () => {
    const bursar = bucket();
    const lease = await bursar.claim({ api: 4 });
    lease.settle({ api: 0 });
    lease.release();
    expect(bursar.available("api")).toBe(10);
  });
});

it("has a signal that stays quiet when it is given back in time", async () => {
  const clock = new ManualClock();
  const bursar = new Bursar({ db: 1 }, { clock });
  const lease = await bursar.claim({ db: 1 }, { ttl: 50 });
  const { signal } = lease;
  lease.release();
  clock.advance(100);
  await Promise.resolve();
  expect([signal.aborted, lease.signal === signal]).toEqual([false, true]);
});

it("is aborted by its own ttl, and by nobody else's", async () => {
  const clock = new ManualClock();
  const bursar = new Bursar({ db: 2 }, { clock });
  const short = await bursar.claim({ db: 1 }, { ttl: 50 });
  const long = await bursar.claim({ db: 1 });
  const signals = [short.signal, long.signal];
  clock.advance(50);
  await Promise.resolve();
  expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
  expect([short.ended, long.ended, bursar.held("db")]).toEqual([true, false, 1]);
});

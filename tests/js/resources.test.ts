// Resources that change while they are held and waited for: resized, defined, removed, paused.

import {
  atMost,
  Bursar,
  ExceedsCapacityError,
  InvalidResourceError,
  ManualClock,
  ResourceRemovedError,
  semaphore,
  tokenBucket,
  UnknownResourceError,
} from "bursar";
import { describe, expect, it } from "vitest";

/** Of the first resource. */
const stateOf = (bursar: Pick<Bursar, "snapshot">) => {
  const { capacity, available, held, debt } = bursar.snapshot().resources[0]!;
  return { capacity, available, held, debt };
};

describe("growing a semaphore", () => {
  it("serves those who wait, as many as it can", async () => {
    const bursar = new Bursar({ db: 1 });
    await bursar.claim({ db: 1 });
    const first = bursar.claim({ db: 1 });
    const second = bursar.claim({ db: 1 });
    const third = bursar.enqueue({ db: 1 });
    bursar.resize("db", 3);
    await Promise.all([first, second]);
    expect([third.state, bursar.waiting, bursar.available("db")]).toEqual(["waiting", 1, 0]);
    expect(bursar.capacity("db")).toBe(3);
  });

  it("lets claims be as large as it is now", async () => {
    const bursar = new Bursar({ db: 1 });
    await expect(bursar.claim({ db: 5 })).rejects.toThrow(ExceedsCapacityError);
    bursar.resize("db", 5);
    expect((await bursar.claim({ db: 5 })).ended).toBe(false);
  });

  it("takes any way of writing a semaphore", () => {
    const bursar = new Bursar({ db: semaphore(1) });
    bursar.resize("db", 2);
    bursar.resize("db", semaphore(3));
    expect(bursar.capacity("db")).toBe(3);
  });
});

describe("shrinking a semaphore", () => {
  it("below what is held leaves a debt, which releases pay", async () => {
    const bursar = new Bursar({ db: 5 });
    const leases = await Promise.all([1, 1, 1, 1].map((db) => bursar.claim({ db })));
    bursar.resize("db", 2);
    expect(stateOf(bursar)).toEqual({ capacity: 2, available: 0, held: 4, debt: 2 });
    leases[0]?.release();
    leases[1]?.release();
    expect(stateOf(bursar)).toEqual({ capacity: 2, available: 0, held: 2, debt: 0 });
    leases[2]?.release();
    expect(stateOf(bursar)).toEqual({ capacity: 2, available: 1, held: 1, debt: 0 });
  });

  it("serves nobody until the debt is paid", async () => {
    const bursar = new Bursar({ db: 3 });
    const lease = await bursar.claim({ db: 3 });
    const waiting = bursar.enqueue({ db: 1 });
    bursar.resize("db", 1);
    lease.release({ db: 2 });
    expect(waiting.state).toBe("waiting");
    lease.release();
    expect((await waiting.lease).ended).toBe(false);
  });

  it("is absolute: the debt goes when it grows again", async () => {
    const bursar = new Bursar({ db: 5 });
    const lease = await bursar.claim({ db: 4 });
    bursar.resize("db", 1);
    bursar.resize("db", 3);
    expect(stateOf(bursar)).toEqual({ capacity: 3, available: 0, held: 4, debt: 1 });
    bursar.resize("db", 5);
    expect(stateOf(bursar)).toEqual({ capacity: 5, available: 1, held: 4, debt: 0 });
    lease.release();
    expect(stateOf(bursar)).toEqual({ capacity: 5, available: 5, held: 0, debt: 0 });
  });

  it("turns away those who wait for more than there will ever be, and only them", async () => {
    const bursar = new Bursar({ db: 5 });
    const lease = await bursar.claim({ db: 5 });
    const large = bursar.claim({ db: 4 });
    const small = bursar.claim({ db: 3 });
    bursar.resize("db", 3);
    const error = await large.catch((error) => error);
    expect(error).toBeInstanceOf(ExceedsCapacityError);
    expect(error).toMatchObject({ code: "EXCEEDS_CAPACITY", resource: "db", capacity: 3 });
    expect(error.message).toContain('"db"');
    expect(bursar.waiting).toBe(1);
    lease.release();
    expect((await small).ended).toBe(false);
  });

  it("lets those go who were kept waiting by one that it turns away", async () => {
    const bursar = new Bursar({ db: 3, gpu: 1 }, { maxBypass: 0 });
    const lease = await bursar.claim({ db: 1 });
    const large = bursar.claim({ db: 3 });
    const small = bursar.enqueue({ db: 1 });
    expect(small.state).toBe("waiting");
    bursar.resize("db", 2);
    await expect(large).rejects.toThrow(ExceedsCapacityError);
    expect((await small.lease).ended).toBe(false);
    lease.release();
  });

  it("to the same size changes nothing", async () => {
    const bursar = new Bursar({ db: 2 });
    await bursar.claim({ db: 1 });
    bursar.resize("db", 2);
    expect(stateOf(bursar)).toEqual({ capacity: 2, available: 1, held: 1, debt: 0 });
  });
});

describe("changing a bucket", () => {
  const bucket = () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ api: tokenBucket({ rate: 1, burst: 10 }) }, { clock });
    return { clock, bursar };
  };

  it("keeps its level", async () => {
    const { bursar } = bucket();
    await bursar.claim({ api: 7 });
    bursar.resize("api", tokenBucket({ rate: 100, burst: 50 }));
    expect([bursar.available("api"), bursar.capacity("api")]).toEqual([3, 50]);
  });

  it("cuts its level to the new burst", () => {
    const { bursar } = bucket();
    bursar.resize("api", tokenBucket({ rate: 1, burst: 4 }));
    expect(bursar.available("api")).toBe(4);
  });

  it("counts the time before at the old rate, and the time after at the new one", async () => {
    const { bursar, clock } = bucket();
    await bursar.claim({ api: 10 });
    clock.advance(2_000);
    bursar.resize("api", tokenBucket({ rate: 3, burst: 10 }));
    expect(bursar.available("api")).toBe(2);
    clock.advance(2_000);
    expect(bursar.available("api")).toBe(8);
  });

  it("turns away those who wait for more than the new burst", async () => {
    const { bursar } = bucket();
    await bursar.claim({ api: 10 });
    const large = bursar.claim({ api: 6 });
    bursar.resize("api", tokenBucket({ rate: 1, burst: 5 }));
    await expect(large).rejects.toMatchObject({ code: "EXCEEDS_CAPACITY", resource: "api", capacity: 5 });
  });

  it("wakes those who wait at the moment that the new rate makes it", async () => {
    const { bursar, clock } = bucket();
    await bursar.claim({ api: 10 });
    const claim = bursar.enqueue({ api: 10 });
    bursar.resize("api", tokenBucket({ rate: 10, burst: 10 }));
    clock.advance(999);
    expect(claim.state).toBe("waiting");
    clock.advance(1);
    expect(claim.state).toBe("granted");
  });

  it("takes a window in place of a rate: both are buckets", () => {
    const { bursar } = bucket();
    bursar.resize("api", atMost(750, { per: 3_600_000, burst: 5 }));
    expect(bursar.capacity("api")).toBe(5);
  });
});

describe("a resource keeps its kind", () => {
  it("but may be removed and defined anew as another", async () => {
    const bursar = new Bursar({ api: 2, db: 1 }, { clock: new ManualClock() });
    expect(() => bursar.resize("api", tokenBucket({ rate: 1, burst: 2 }))).toThrow(InvalidResourceError);
    bursar.remove("api");
    bursar.define("api", tokenBucket({ rate: 1, burst: 2 }));
    (await bursar.claim({ api: 2 })).release();
    expect(bursar.available("api")).toBe(0);
  });
});

describe("a resource that is defined later", () => {
  it("is claimed as any, alone and with others", async () => {
    const bursar = new Bursar<string>({ db: 1 });
    bursar.define("gpu", 2);
    bursar.define("api", tokenBucket({ rate: 1, burst: 5 }));
    const lease = await bursar.claim({ db: 1, gpu: 1, api: 1 });
    expect([bursar.available("gpu"), bursar.available("api")]).toEqual([1, 4]);
    lease.release();
    expect(bursar.available("gpu")).toBe(2);
  });

  it("is unknown before", async () => {
    const bursar = new Bursar<string>({ db: 1 });
    await expect(bursar.claim({ gpu: 1 })).rejects.toThrow(UnknownResourceError);
    bursar.define("gpu", 1);
    expect((await bursar.claim({ gpu: 1 })).ended).toBe(false);
  });

  it("may be one of very many", async () => {
    const bursar = new Bursar<string>({ db: 1 });
    for (let index = 0; index < 1_000; index++) bursar.define(`tenant ${index}`, index + 1);
    const lease = await bursar.claim({ "tenant 999": 1_000, "tenant 0": 1, db: 1, "tenant 500": 501 });
    expect([bursar.available("tenant 999"), bursar.available("tenant 998")]).toEqual([0, 999]);
    lease.release();
    expect(bursar.available("tenant 999")).toBe(1_000);
  });

  it("may be claimed by a demand of very many", async () => {
    const names = Array.from({ length: 100 }, (_, index) => `tenant ${index}`);
    const bursar = new Bursar(Object.fromEntries(names.map((name) => [name, 1])));
    const all = Object.fromEntries(names.map((name) => [name, 1]));
    const lease = await bursar.claim(all);
    const next = bursar.claim(all);
    expect([bursar.waiting, bursar.tryClaim({ "tenant 99": 1 })]).toEqual([1, undefined]);
    lease.release();
    (await next).release();
    expect(names.every((name) => bursar.available(name) === 1)).toBe(true);
  });
});

describe("removing a resource", () => {
  it("turns away those who wait for it, and only them", async () => {
    const bursar = new Bursar({ db: 1, gpu: 1 });
    const lease = await bursar.claim({ db: 1, gpu: 1 });
    const forBoth = bursar.claim({ db: 1, gpu: 1 });
    const forIt = bursar.claim({ gpu: 1 });
    const forTheOther = bursar.claim({ db: 1 });
    bursar.remove("gpu");
    for (const claim of [forBoth, forIt]) {
      const error = await claim.catch((error) => error);
      expect(error).toBeInstanceOf(ResourceRemovedError);
      expect(error).toMatchObject({ code: "RESOURCE_REMOVED", resource: "gpu" });
      expect(error.message).toContain('"gpu"');
    }
    lease.release();
    expect((await forTheOther).ended).toBe(false);
  });

  it("makes it unknown", async () => {
    const bursar = new Bursar({ db: 1, gpu: 1 });
    bursar.remove("gpu");
    await expect(bursar.claim({ gpu: 1 })).rejects.toThrow(UnknownResourceError);
    expect(() => bursar.remove("gpu")).toThrow(UnknownResourceError);
    expect(bursar.snapshot().resources.map(({ name }) => name)).toEqual(["db"]);
  });

  it("leaves its leases to be released as ever", async () => {
    const bursar = new Bursar({ db: 2, gpu: 1 });
    const lease = await bursar.claim({ db: 1, gpu: 1 });
    bursar.remove("gpu");
    expect([lease.ended, bursar.held("db")]).toEqual([false, 1]);
    lease.release();
    expect([lease.ended, bursar.available("db")]).toEqual([true, 2]);
    await bursar.idle();
  });

  it("and defining it anew gives all of it, whatever is held of the old one", async () => {
    const bursar = new Bursar({ db: 1, gpu: 2 });
    const old = await bursar.claim({ gpu: 2, db: 1 });
    bursar.remove("gpu");
    bursar.define("gpu", 3);
    const lease = await bursar.claim({ gpu: 3 });
    old.release();
    expect([bursar.available("gpu"), bursar.held("gpu"), bursar.available("db")]).toEqual([0, 3, 1]);
    lease.release();
    expect(bursar.available("gpu")).toBe(3);
  });

  it("leaves what others hold of the rest in the snapshot", async () => {
    const bursar = new Bursar({ db: 1, gpu: 2 });
    await bursar.claim({ gpu: 2, db: 1 });
    bursar.remove("gpu");
    const { resources, claims } = bursar.snapshot();
    expect(resources).toHaveLength(1);
    expect(claims).toHaveLength(1);
    expect(claims[0]?.demand).toMatchObject({ db: 1 });
  });
});

describe("a pause", () => {
  it("keeps those who come waiting until it ends", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1, gpu: 1 }, { clock });
    bursar.pause("db", 1_000);
    const claim = bursar.enqueue({ db: 1 });
    expect([bursar.tryClaim({ db: 1 }), bursar.available("db"), claim.state]).toEqual([
      undefined,
      0,
      "waiting",
    ]);
    expect(bursar.tryClaim({ gpu: 1 })?.ended).toBe(false);
    clock.advance(999);
    expect(claim.state).toBe("waiting");
    clock.advance(1);
    expect((await claim.lease).ended).toBe(false);
  });

  it("leaves leases alone", async () => {
    const bursar = new Bursar({ db: 1 }, { clock: new ManualClock() });
    const lease = await bursar.claim({ db: 1 });
    bursar.pause("db", 1_000);
    lease.release();
    expect([lease.ended, bursar.held("db"), bursar.available("db")]).toEqual([true, 0, 0]);
  });

  it("may be fractions of a millisecond", () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ db: 1 }, { clock });
    bursar.pause("db", 0.5);
    expect(bursar.available("db")).toBe(0);
    clock.advance(0.5);
    expect(bursar.available("db")).toBe(1);
  });
});

describe("setting a bucket's level", () => {
  it("raises or lowers what there is, and serves those who wait", async () => {
    const bursar = new Bursar({ api: tokenBucket({ rate: 1, burst: 10 }) }, { clock: new ManualClock() });
    bursar.setLevel("api", 3);
    expect(bursar.available("api")).toBe(3);
    const claim = bursar.claim({ api: 4 });
    bursar.setLevel("api", 10);
    await claim;
    expect(bursar.available("api")).toBe(6);
    bursar.setLevel("api", 0);
    expect(bursar.available("api")).toBe(0);
  });
});

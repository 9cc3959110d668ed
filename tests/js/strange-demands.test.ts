// Demands that run code while they are read: it may throw, claim, release or change the resources. The ledger never
// sees half of a demand, and no code runs while it decides.

import { Bursar, type Demand, InvalidResourceError, type Leak, type Lease, TicketError } from "bursar";
import { describe, expect, it } from "vitest";
import { expectIntact, rejectionOf, type Stock, stock, waysInForDemands } from "./bad-support.js";

const boom = new Error("boom");

describe.each(Object.entries(waysInForDemands))("%s", (_, claim) => {
  it.each([
    [
      "the first of its keys",
      {
        get db() {
          throw boom;
        },
      },
    ],
    [
      "the last of its keys",
      {
        db: 1,
        ramMb: 1,
        get api() {
          throw boom;
        },
      },
    ],
    [
      "its list of keys",
      new Proxy(
        {},
        {
          ownKeys() {
            throw boom;
          },
        },
      ),
    ],
    [
      "the look at a key",
      new Proxy(
        { db: 1 },
        {
          getOwnPropertyDescriptor() {
            throw boom;
          },
        },
      ),
    ],
    [
      "the value of a key",
      new Proxy(
        { db: 1 },
        {
          get() {
            throw boom;
          },
        },
      ),
    ],
  ])("passes on what %s throws", async (_, demand) => {
    const bursar = stock();
    expect(await rejectionOf(claim(bursar, demand))).toBe(boom);
    expectIntact(bursar);
  });

  it("refuses a proxy that was revoked", async () => {
    const bursar = stock();
    const { proxy, revoke } = Proxy.revocable({ db: 1 }, {});
    revoke();
    expect(await rejectionOf(claim(bursar, proxy))).toBeInstanceOf(TypeError);
    expectIntact(bursar);
  });
});

/** How a demand is claimed at once: the two paths of each of the two calls. */
const waysToGet: Record<string, (bursar: Stock, demand: Demand) => Promise<Lease | undefined>> = {
  claim: async (bursar, demand) => bursar.claim(demand),
  "claim with options": async (bursar, demand) => bursar.claim(demand, { priority: 0 }),
  tryClaim: async (bursar, demand) => bursar.tryClaim(demand),
  "tryClaim with options": async (bursar, demand) => bursar.tryClaim(demand, { priority: 0 }),
};

class Wish {
  db = 1;
  get ramMb() {
    return 4096;
  }
}

describe.each(Object.entries(waysToGet))("%s", (_, claim) => {
  it.each([
    ["a class's object, of which only its own fields count", new Wish()],
    ["an object without a prototype", Object.assign(Object.create(null), { db: 1 })],
    ["a frozen object", Object.freeze({ db: 1 })],
    ["an object whose prototype has more", Object.assign(Object.create({ ramMb: 1 }), { db: 1 })],
    ["an object with a hidden key beside", Object.defineProperty({ db: 1 }, "ramMb", { value: 1 })],
    ["a proxy that adds nothing", new Proxy({ db: 1 }, {})],
    [
      "an object with a getter",
      {
        get db() {
          return 1;
        },
      },
    ],
  ])("takes %s", async (_, demand) => {
    const bursar = stock();
    const lease = await claim(bursar, demand as Demand);
    expect([bursar.held("db"), bursar.held("ramMb")]).toEqual([1, 0]);
    lease?.release();
    expectIntact(bursar);
  });

  it("does not change the demand, nor keep it", async () => {
    const bursar = stock();
    const demand = { db: 1 };
    const lease = await claim(bursar, demand);
    expect(demand).toEqual({ db: 1 });
    demand.db = 2;
    expect(bursar.held("db")).toBe(1);
    lease?.release();
    expectIntact(bursar);
  });

  it("grants what a getter claims, and then the demand that it is of", async () => {
    const bursar = stock();
    let inner: Lease | undefined;
    const demand = {
      get db() {
        inner ??= bursar.tryClaim({ db: 1 });
        return 1;
      },
    };
    const outer = await claim(bursar, demand);
    expect([bursar.held("db"), bursar.available("db")]).toEqual([2, 0]);
    inner?.release();
    outer?.release();
    expectIntact(bursar);
  });

  it("sees what a getter gives back", async () => {
    const bursar = stock();
    const before = bursar.tryClaim({ db: 2 });
    const demand = {
      ramMb: 1,
      get db() {
        before?.[Symbol.dispose]();
        return 2;
      },
    };
    const lease = await claim(bursar, demand);
    expect([bursar.held("db"), bursar.held("ramMb")]).toEqual([2, 1]);
    lease?.release();
    expectIntact(bursar);
  });

  it("never takes more than one answer of a getter that changes its mind", async () => {
    const bursar = stock();
    const answers = [1, 2, 1, 2];
    const lease = await claim(bursar, {
      get db() {
        return answers.shift() ?? 1;
      },
    });
    expect(bursar.held("db") + bursar.available("db")).toBe(2);
    lease?.release();
    expectIntact(bursar);
  });

  it("refuses what a getter has just closed", async () => {
    const bursar = stock();
    const demand = {
      ramMb: 1,
      get db() {
        void bursar.shutdown();
        return 1;
      },
    };
    expect(await rejectionOf(claim(bursar, demand))).toMatchObject({ code: "CLOSED" });
    await bursar.idle();
  });

  it("refuses a resource that a getter has just removed", async () => {
    const bursar = stock();
    const demand = {
      ramMb: 1,
      get db() {
        if (bursar.snapshot().resources.length === 3) bursar.remove("ramMb");
        return 1;
      },
    };
    expect(await rejectionOf(claim(bursar, demand))).toMatchObject({
      code: "UNKNOWN_RESOURCE",
      resource: "ramMb",
    });
    expect([bursar.held("db"), bursar.available("db")]).toEqual([0, 2]);
  });

  it("takes nothing of a resource that a getter has just put in the place of another", async () => {
    const bursar = stock() as unknown as Bursar;
    let swapped = false;
    const demand = {
      ramMb: 1,
      get db() {
        if (!swapped) {
          swapped = true;
          bursar.remove("ramMb");
          bursar.define("gpu", 4);
        }
        return 1;
      },
    };
    await rejectionOf(claim(bursar as unknown as Stock, demand));
    expect([bursar.held("gpu"), bursar.held("db")]).toEqual([0, 0]);
  });
});

it("a symbol beside a good name makes no difference between a claim with options and one without", async () => {
  const outcome = (options?: object) =>
    stock()
      .claim({ db: 1, [Symbol("note")]: 1 }, options)
      .then(
        () => "granted",
        (error) => error.code,
      );
  expect(await outcome({})).toBe(await outcome());
});

it("a getter that throws when it is read again leaves nothing behind where leaks are watched", async () => {
  const leaks: Leak[] = [];
  const bursar = new Bursar({ db: 1 }, { onLeak: (leak) => leaks.push(leak) });
  let reads = 0;
  const demand = {
    get db() {
      if (++reads > 1) throw boom;
      return 1;
    },
  };
  const lease = await bursar.claim(demand).catch(() => undefined);
  lease?.release();
  expect([bursar.held("db"), bursar.available("db")]).toEqual([0, 1]);
});

it("options that throw when they are read again leave nothing behind", async () => {
  const bursar = stock();
  let reads = 0;
  const options = {
    get priority() {
      if (++reads > 1) throw boom;
      return 1;
    },
  };
  const lease = await bursar.enqueue({ db: 1 }, options).lease.catch(() => undefined);
  lease?.release();
  expectIntact(bursar);
});

it("a signal that throws when it is listened to leaves nothing behind", async () => {
  const bursar = stock();
  const lease = bursar.tryClaim({ db: 2 });
  const signal = {
    aborted: false,
    addEventListener() {
      throw boom;
    },
    removeEventListener() {},
  };
  expect(await rejectionOf(bursar.claim({ db: 1 }, { signal: signal as never }))).toBe(boom);
  expect(bursar.waiting).toBe(0);
  lease?.release();
  expectIntact(bursar);
});

describe("a part to be released whose getter", () => {
  it("throws is not released", () => {
    const bursar = stock();
    const lease = bursar.tryClaim({ db: 2 });
    const part = {
      get db(): number {
        throw boom;
      },
    };
    expect(() => lease?.release(part)).toThrow(boom);
    expect(bursar.held("db")).toBe(2);
    lease?.release();
    expectIntact(bursar);
  });

  it("releases the lease is refused, and takes nothing from those who claim next", () => {
    const bursar = stock();
    const lease = bursar.tryClaim({ db: 2 })!;
    let next: Lease | undefined;
    const part = {
      get db() {
        lease.release();
        next = bursar.tryClaim({ db: 2 });
        return 1;
      },
    };
    expect(() => lease.release(part)).toThrow(TicketError);
    expect([next?.ended, bursar.held("db"), bursar.available("db")]).toEqual([false, 2, 0]);
    next?.release();
    expectIntact(bursar);
  });
});

describe.each([
  "__proto__",
  "constructor",
  "toString",
  "then",
  "with spaces",
  "0",
  "-1",
  "line\nbreak",
  '"quoted"',
  "\u0000",
  "Größe",
  "内存",
  "🦀",
  "x".repeat(10_000),
])("a resource called %j", (name) => {
  const demand = (units: number) => Object.fromEntries([[name, units]]);

  it("is claimed, released in parts, and seen in the snapshot by its name", async () => {
    const bursar = new Bursar(demand(3));
    const lease = await bursar.claim(demand(2));
    expect([bursar.capacity(name), bursar.held(name), bursar.available(name)]).toEqual([3, 2, 1]);
    const { resources, claims } = bursar.snapshot();
    expect(resources.map((resource) => resource.name)).toEqual([name]);
    expect(Object.entries(claims[0]?.demand ?? {})).toEqual([[name, 2]]);
    lease.release(demand(1));
    expect(bursar.available(name)).toBe(2);
    lease.release();
    expect(bursar.tryClaim(demand(3))?.ended).toBe(false);
  });

  it("is named by errors and by what a claim is short of", async () => {
    const bursar = new Bursar(demand(3));
    expect(await rejectionOf(bursar.claim(demand(4)))).toMatchObject({
      resource: name,
      wanted: 4,
      capacity: 3,
    });
    const error = await rejectionOf(bursar.claim({ other: 1 }));
    expect((error as Error).message).toContain(JSON.stringify(name));
    bursar.tryClaim(demand(2));
    const claim = bursar.enqueue(demand(3));
    expect(Object.entries(claim.shortOf)).toEqual([[name, 2]]);
    claim.cancel();
  });

  it("is defined, resized and removed", async () => {
    const bursar = new Bursar<string>({ other: 1 });
    bursar.define(name, 2);
    bursar.resize(name, 3);
    expect((await bursar.claim({ ...demand(3), other: 1 })).ended).toBe(false);
    bursar.remove(name);
    expect(await rejectionOf(bursar.claim(demand(1)))).toMatchObject({ code: "UNKNOWN_RESOURCE" });
    bursar.define(name, 1);
    expect(bursar.available(name)).toBe(1);
  });
});

it("names are told apart to the letter", () => {
  const names = ["e\u0301", "\u00e9", "E\u0301", "a", "a "];
  const bursar = new Bursar(Object.fromEntries(names.map((name, index) => [name, index + 1])));
  expect(names.map((name) => bursar.capacity(name))).toEqual(names.map((_, index) => index + 1));
});

it("half of a character is no name", () => {
  expect(() => new Bursar({ "\ud800": 1 })).toThrow(InvalidResourceError);
});

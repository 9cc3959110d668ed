// With `onLeak`, a lease that is forgotten gives its units back when it is garbage-collected, and is reported. In Node
// only: there the collector can be called.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Bursar, type Leak, type Lease, ManualClock, tokenBucket } from "bursar";
import { describe, expect, it, vi } from "vitest";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Collects garbage until something holds; objects may outlive one collection. */
async function collectUntil(done: () => boolean): Promise<void> {
  for (let round = 0; round < 100 && !done(); round++) {
    await turn();
    collect();
    await turn();
  }
}

/** Collects often enough for what is garbage to be gone: until an object that was made now is. */
async function collectAll(): Promise<void> {
  let gone = 0;
  const registry = new FinalizationRegistry(() => gone++);
  for (let round = 1; round <= 3; round++) {
    registry.register({}, undefined);
    await collectUntil(() => gone === round);
  }
}

function watched<R extends string>(resources: Record<R, number>) {
  const leaks: Leak[] = [];
  const clock = new ManualClock();
  return { bursar: new Bursar(resources, { clock, onLeak: (leak) => leaks.push(leak) }), clock, leaks };
}

/** Claims and forgets, in a frame of its own, so that nothing on the stack remembers. */
function forgetOne(bursar: Bursar<"db">): void {
  bursar.tryClaim({ db: 1 });
}

describe("a forgotten lease", () => {
  it("is reported with what it held and where it was claimed, and gives it back", async () => {
    const { bursar, leaks } = watched({ db: 3 });
    forgetOne(bursar);
    expect(bursar.held("db")).toBe(1);
    await collectUntil(() => leaks.length > 0);
    expect(leaks).toEqual([{ demand: { db: 1 }, stack: expect.stringContaining("forgetOne") }]);
    expect(leaks[0]?.stack).toContain("leaks.node.test.ts");
    expect([bursar.held("db"), bursar.available("db")]).toEqual([0, 3]);
  });

  it.each<[string, (bursar: Bursar<"db">) => Promise<unknown>]>([
    ["claim", (bursar) => bursar.claim({ db: 1 })],
    ["claim with options", (bursar) => bursar.claim({ db: 1 }, { priority: 1 })],
    ["enqueue", (bursar) => bursar.enqueue({ db: 1 }).lease],
  ])("is seen when it came by %s", async (_, claim) => {
    const { bursar, leaks } = watched({ db: 1 });
    await (async () => void (await claim(bursar)))();
    await collectUntil(() => leaks.length > 0);
    expect(leaks.map(({ demand }) => demand)).toEqual([{ db: 1 }]);
    expect(bursar.available("db")).toBe(1);
  });

  it("is seen when it had to wait first", async () => {
    const { bursar, leaks } = watched({ db: 1 });
    const lease = await bursar.claim({ db: 1 });
    (() => void bursar.claim({ db: 1 }))();
    await collectAll();
    expect([leaks.length, bursar.waiting]).toEqual([0, 1]);
    lease.release();
    await collectUntil(() => leaks.length > 0);
    expect([leaks.length, bursar.available("db")]).toEqual([1, 1]);
  });

  it("serves those who wait for what it had", async () => {
    const { bursar } = watched({ db: 1 });
    forgetOne(bursar);
    let served: Lease<"db"> | undefined;
    void bursar.claim({ db: 1 }).then((lease) => {
      served = lease;
    });
    await collectUntil(() => served !== undefined);
    expect(served?.ended).toBe(false);
  });

  it("gives back what is left when a part was released", async () => {
    const { bursar, leaks } = watched({ db: 3 });
    (() => bursar.tryClaim({ db: 3 })?.release({ db: 1 }))();
    expect(bursar.held("db")).toBe(2);
    await collectUntil(() => leaks.length > 0);
    expect([leaks.length, bursar.available("db")]).toEqual([1, 3]);
  });

  it("lets the bursar become idle", async () => {
    const { bursar, leaks } = watched({ db: 1 });
    forgetOne(bursar);
    const idle = vi.fn();
    void bursar.idle().then(idle);
    await collectUntil(() => leaks.length > 0);
    await turn();
    expect(idle).toHaveBeenCalledOnce();
  });

  it("lets a shutdown come to its end", async () => {
    const { bursar, leaks } = watched({ db: 1 });
    forgetOne(bursar);
    const end = vi.fn();
    void bursar.shutdown().then(end);
    await collectUntil(() => leaks.length > 0);
    await turn();
    expect(end).toHaveBeenCalledOnce();
  });

  it("is one among many that are not", async () => {
    const { bursar, leaks } = watched({ db: 100 });
    const kept = Array.from({ length: 50 }, () => bursar.tryClaim({ db: 1 }));
    for (let lease = 0; lease < 10; lease++) forgetOne(bursar);
    await collectUntil(() => leaks.length === 10);
    await collectAll();
    expect([leaks.length, bursar.held("db"), kept.every((lease) => lease?.ended === false)]).toEqual([
      10,
      50,
      true,
    ]);
  });

  it("does not give back tokens, which are spent", async () => {
    const leaks: Leak[] = [];
    const clock = new ManualClock();
    const bursar = new Bursar(
      { api: tokenBucket({ rate: 1, burst: 5 }) },
      { clock, onLeak: (leak) => leaks.push(leak) },
    );
    (() => bursar.tryClaim({ api: 2 }))();
    await collectUntil(() => leaks.length > 0);
    expect([leaks.length, bursar.held("api"), bursar.available("api")]).toEqual([1, 0, 3]);
  });
});

describe("nothing is reported of a lease that", () => {
  const ways: [string, (bursar: Bursar<"db">, clock: ManualClock) => unknown][] = [
    ["was released", (bursar) => bursar.tryClaim({ db: 1 })?.release()],
    ["was disposed of", (bursar) => bursar.tryClaim({ db: 1 })?.[Symbol.dispose]()],
    ["was run under", (bursar) => bursar.run({ db: 1 }, () => {})],
    ["was run under and failed", (bursar) => bursar.run({ db: 1 }, () => Promise.reject(1)).catch(() => {})],
    ["was claimed and released", async (bursar) => (await bursar.claim({ db: 1 })).release()],
    [
      "had its time to live pass",
      (bursar, clock) => {
        bursar.tryClaim({ db: 1 }, { ttl: 5 });
        clock.advance(5);
      },
    ],
  ];

  it.each(ways)("%s", async (_, use) => {
    const { bursar, clock, leaks } = watched({ db: 1 });
    await (async () => void (await use(bursar, clock)))();
    await collectAll();
    expect([leaks, bursar.available("db")]).toEqual([[], 1]);
  });
});

describe("nothing is reported of a claim that", () => {
  const ways: [string, (bursar: Bursar<"db">, clock: ManualClock) => unknown][] = [
    ["was refused", (bursar) => bursar.claim({ db: 5 })],
    ["did not get what it tried to", async (bursar) => bursar.tryClaim({ db: 1 })],
    [
      "timed out",
      (bursar, clock) => {
        const claim = bursar.claim({ db: 1 }, { timeout: 5 });
        clock.advance(5);
        return claim;
      },
    ],
    [
      "was aborted",
      (bursar) => {
        const controller = new AbortController();
        const claim = bursar.claim({ db: 1 }, { signal: controller.signal });
        controller.abort();
        return claim;
      },
    ],
    [
      "was cancelled",
      (bursar) => {
        const claim = bursar.enqueue({ db: 1 });
        claim.cancel();
        return claim.lease;
      },
    ],
    [
      "was turned away by a shutdown",
      (bursar) => {
        const claim = bursar.claim({ db: 1 });
        void bursar.shutdown();
        return claim;
      },
    ],
  ];

  it.each(ways)("%s", async (_, use) => {
    const { bursar, clock, leaks } = watched({ db: 1 });
    const lease = bursar.tryClaim({ db: 1 });
    await (async () => {
      await Promise.allSettled([use(bursar, clock)]);
    })();
    await collectAll();
    expect(leaks).toEqual([]);
    lease?.release();
    expect(bursar.available("db")).toBe(1);
  });
});

it("a bursar that is not asked to watch does not", async () => {
  const bursar = new Bursar({ db: 2 });
  forgetOne(bursar);
  await collectAll();
  expect(bursar.held("db")).toBe(1);
});

it("a watched lease is not kept alive by its bursar", async () => {
  const { bursar } = watched({ db: 1 });
  const reference = await (async () => new WeakRef(await bursar.claim({ db: 1 })))();
  await collectUntil(() => reference.deref() === undefined);
  expect(reference.deref()).toBeUndefined();
});

it("a bursar that nobody has any more is collected, with its leases and those who wait", async () => {
  const reference = (() => {
    const bursar = new Bursar({ db: 1 });
    bursar.tryClaim({ db: 1 });
    void bursar.claim({ db: 1 });
    return new WeakRef(bursar);
  })();
  await collectUntil(() => reference.deref() === undefined);
  expect(reference.deref()).toBeUndefined();
});

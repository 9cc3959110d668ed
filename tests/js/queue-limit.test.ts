// `maxWaiting` bounds the queue: beyond it claims are refused at once, so that load is shed and memory bounded.

import { Bursar, ManualClock, QueueFullError } from "bursar";
import { describe, expect, it } from "vitest";

const full = async (order: "fair" | "newest" | "greedy" = "fair") => {
  const clock = new ManualClock();
  const bursar = new Bursar({ db: 1, gpu: 1 }, { maxWaiting: 2, order, clock });
  const lease = await bursar.claim({ db: 1 });
  const controller = new AbortController();
  const first = bursar.enqueue({ db: 1 }, { timeout: 50 });
  const second = bursar.enqueue({ db: 1 }, { signal: controller.signal });
  return { bursar, clock, lease, first, second, controller };
};

describe("beyond maxWaiting", () => {
  it.each(["fair", "newest", "greedy"] as const)("a claim is refused, in the order %s", async (order) => {
    const { bursar } = await full(order);
    const error = await bursar.claim({ db: 1 }).catch((error) => error);
    expect(error).toBeInstanceOf(QueueFullError);
    expect(error).toMatchObject({ code: "QUEUE_FULL", maxWaiting: 2 });
    expect(error.message).toContain("2 claims are waiting");
    expect(bursar.waiting).toBe(2);
  });

  it("a claim is refused whichever way it comes in", async () => {
    const { bursar } = await full();
    await expect(bursar.claim({ db: 1 }, { priority: 9 })).rejects.toThrow(QueueFullError);
    await expect(bursar.run({ db: 1 }, () => expect.unreachable())).rejects.toThrow(QueueFullError);
    await expect(bursar.enqueue({ db: 1 }).lease).rejects.toThrow(QueueFullError);
  });

  it("a claim that need not wait is granted", async () => {
    const { bursar } = await full();
    expect((await bursar.claim({ gpu: 1 })).ended).toBe(false);
  });

  it("a tryClaim is undefined as ever: it does not wait", async () => {
    const { bursar } = await full();
    expect(bursar.tryClaim({ db: 1 })).toBeUndefined();
  });

  it("what is wrong with a demand is said first", async () => {
    const { bursar } = await full();
    await expect(bursar.claim({ db: 2 })).rejects.toMatchObject({ code: "EXCEEDS_CAPACITY" });
  });

  it("a claim that was refused has no place, and takes nothing", async () => {
    const { bursar, lease, first, second } = await full();
    await expect(bursar.claim({ db: 1 })).rejects.toThrow(QueueFullError);
    lease.release();
    (await first.lease).release();
    (await second.lease).release();
    expect([bursar.available("db"), bursar.waiting]).toEqual([1, 0]);
  });
});

describe("a place is free again", () => {
  const ends: [string, (queue: Awaited<ReturnType<typeof full>>) => unknown][] = [
    ["a claim is served", ({ lease }) => lease.release()],
    ["a claim is aborted", ({ controller }) => controller.abort()],
    ["a claim is cancelled", ({ second }) => second.cancel()],
    ["a claim times out", ({ clock }) => clock.advance(50)],
    ["there is more of the resource", ({ bursar }) => bursar.resize("db", 2)],
  ];

  it.each(ends)("when %s", async (_, end) => {
    const queue = await full();
    void Promise.allSettled([queue.first.lease, queue.second.lease]);
    end(queue);
    expect(queue.bursar.waiting).toBe(1);
    const next = queue.bursar.enqueue({ db: 1 });
    expect(next.state).toBe("waiting");
    await expect(queue.bursar.claim({ db: 1 })).rejects.toThrow(QueueFullError);
    next.cancel();
  });
});

it("a limit of 0 lets nobody wait", async () => {
  const bursar = new Bursar({ db: 1 }, { maxWaiting: 0 });
  const lease = await bursar.claim({ db: 1 });
  await expect(bursar.claim({ db: 1 })).rejects.toMatchObject({ code: "QUEUE_FULL", maxWaiting: 0 });
  lease.release();
  expect((await bursar.claim({ db: 1 })).ended).toBe(false);
});

it.each([undefined, Number.POSITIVE_INFINITY])("a limit of %s lets everybody wait", async (maxWaiting) => {
  const bursar = new Bursar({ db: 1 }, { maxWaiting });
  const lease = await bursar.claim({ db: 1 });
  const runs = Array.from({ length: 2_000 }, (_, index) => bursar.run({ db: 1 }, () => index));
  expect(bursar.waiting).toBe(2_000);
  lease.release();
  expect((await Promise.all(runs)).at(-1)).toBe(1_999);
});

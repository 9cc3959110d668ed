// Claims made under a lease: they go first, and those that would wait for ever are refused.

import { Bursar, ClaimTimeoutError, DeadlockError, ManualClock, TicketError, tokenBucket } from "bursar";
import { describe, expect, it } from "vitest";
import { stateOf } from "./support.js";

const crossing = () => new Bursar({ left: 1, right: 2 });

it("goes before all that were not made under a lease, whatever their priority", async () => {
  const bursar = new Bursar({ slots: 2 });
  const job = await bursar.claim({ slots: 1 });
  const other = await bursar.claim({ slots: 1 });
  const order: string[] = [];
  const urgent = bursar.claim({ slots: 1 }, { priority: 1000 }).then((lease) => {
    order.push("urgent");
    lease.release();
  });
  const nested = job.claim({ slots: 1 }).then((lease) => {
    order.push("nested");
    lease.release();
  });
  other.release();
  await Promise.all([urgent, nested]);
  expect(order).toEqual(["nested", "urgent"]);
});

it("passes a barrier that needs what its lease holds", async () => {
  const bursar = new Bursar({ slots: 2 }, { maxBypass: 0 });
  const job = await bursar.claim({ slots: 1 });
  const all = bursar.claim({ slots: 2 });
  await job.run({ slots: 1 }, () => expect(bursar.available("slots")).toBe(0));
  job.release();
  (await all).release();
});

describe("two leases that want what the other holds", () => {
  it("end with one refusal that names what each holds and wants", async () => {
    const bursar = crossing();
    const left = await bursar.claim({ left: 1 });
    const right = await bursar.claim({ right: 2 });
    const waits = left.claim({ right: 1 });
    const refused = await right.claim({ left: 1 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DeadlockError);
    expect(refused).toMatchObject({
      code: "DEADLOCK",
      cycle: [
        { holds: "right", held: 2, wants: "left", wanted: 1 },
        { holds: "left", held: 1, wants: "right", wanted: 1 },
      ],
      message:
        'the claim would wait for ever: its lease holds 2 of "right" and wants 1 of "left", ' +
        'another holds 1 of "left" and wants 1 of "right"',
    });
    right.release();
    (await waits).release();
    left.release();
    expect(bursar.snapshot()).toMatchObject({ waiting: 0, leases: 0 });
  });

  it("are no deadlock if time ends one of them", async () => {
    const clock = new ManualClock();
    const bursar = new Bursar({ left: 1, right: 2 }, { clock });
    const left = await bursar.claim({ left: 1 });
    const right = await bursar.claim({ right: 2 }, { ttl: 100 });
    const waits = left.claim({ right: 1 });
    const other = right.claim({ left: 1 }, { timeout: 50 });
    const timedOut = expect(other).rejects.toThrow(ClaimTimeoutError);
    clock.advance(50);
    await timedOut;
    clock.advance(50);
    (await waits).release();
  });

  it("are refused by tryClaim only if they would have to wait, without an error", async () => {
    const bursar = crossing();
    const left = await bursar.claim({ left: 1 });
    const right = await bursar.claim({ right: 1 });
    const more = left.tryClaim({ right: 1 })!;
    expect(right.tryClaim({ left: 1 })).toBeUndefined();
    expect(more.ended).toBe(false);
  });
});

it("wants a lease that wants the rest of what it holds itself", async () => {
  const bursar = new Bursar({ slots: 1 });
  const lease = await bursar.claim({ slots: 1 });
  await expect(lease.claim({ slots: 1 })).rejects.toThrow(
    'the claim would wait for ever: its lease holds 1 of "slots" and wants 1 of "slots"',
  );
  expect(bursar.snapshot()).toMatchObject({ waiting: 0, leases: 1 });
});

it("is no deadlock where a rate only has to refill", async () => {
  const clock = new ManualClock();
  const bursar = new Bursar({ slots: 1, api: tokenBucket({ rate: 1, burst: 1 }) }, { clock });
  const lease = await bursar.claim({ slots: 1, api: 1 });
  const waits = lease.claim({ api: 1 });
  expect(await stateOf(waits)).toBe("pending");
  clock.advance(1000);
  (await waits).release();
});

it("is rejected when a resource that shrinks closes the circle", async () => {
  const bursar = new Bursar({ slots: 4 });
  const a = await bursar.claim({ slots: 2 });
  const b = await bursar.claim({ slots: 2 });
  const first = a.claim({ slots: 1 });
  bursar.resize("slots", 2);
  b.release();
  // Two are held for ever: the claim of one more can never be served.
  await expect(first).rejects.toThrow(DeadlockError);
  await expect(first).rejects.toThrow('since "slots" was resized');
});

it("goes on if its lease ends first, in the place that it has", async () => {
  const bursar = new Bursar({ slots: 1, x: 1 });
  const x = await bursar.claim({ x: 1 });
  const lease = await bursar.claim({ slots: 1 });
  const earlier = bursar.claim({ x: 1 });
  const orphan = lease.claim({ x: 1 });
  lease.release();
  x.release();
  (await orphan).release();
  (await earlier).release();
});

it("is refused once its lease has ended", async () => {
  const bursar = new Bursar({ slots: 2 });
  const lease = await bursar.claim({ slots: 1 });
  lease.release();
  await expect(lease.claim({ slots: 1 })).rejects.toThrow(TicketError);
  await expect(lease.run({ slots: 1 }, () => 1)).rejects.toThrow(TicketError);
  expect(() => lease.tryClaim({ slots: 1 })).toThrow(TicketError);
});

it("runs a function under a lease of its own, and passes on what it returns or throws", async () => {
  const bursar = new Bursar({ slots: 2 });
  const lease = await bursar.claim({ slots: 1 });
  expect(await lease.run({ slots: 1 }, (inner) => [inner.ended, bursar.available("slots")])).toEqual([
    false,
    0,
  ]);
  await expect(
    lease.run({ slots: 1 }, () => {
      throw new RangeError("mine");
    }),
  ).rejects.toThrow(RangeError);
  expect(bursar.available("slots")).toBe(1);
});

it("takes a ttl and a signal as any claim does", async () => {
  const bursar = new Bursar({ slots: 1, x: 1 });
  const x = await bursar.claim({ x: 1 });
  const lease = await bursar.claim({ slots: 1 });
  const controller = new AbortController();
  const waits = lease.claim({ x: 1 }, { signal: controller.signal });
  controller.abort(new RangeError("enough"));
  await expect(waits).rejects.toThrow("enough");
  x.release();
  const last = await lease.claim({ x: 1 }, { ttl: 5 });
  await new Promise((resolve) => last.signal.addEventListener("abort", resolve));
  expect([last.ended, bursar.available("x")]).toEqual([true, 1]);
});

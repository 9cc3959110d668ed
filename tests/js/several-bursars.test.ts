// Bursars share one ledger module and nothing else.

import { Bursar, type Lease, ManualClock, TicketError, tokenBucket } from "bursar";
import { expect, it } from "vitest";

it("each has its own units, under the same names", async () => {
  const one = new Bursar({ db: 1 });
  const two = new Bursar({ db: 2 });
  await one.claim({ db: 1 });
  expect([one.available("db"), two.available("db")]).toEqual([0, 2]);
  await two.claim({ db: 2 });
  expect([one.held("db"), two.held("db")]).toEqual([1, 2]);
});

it("a lease of one is given back to that one, although the tickets look alike", async () => {
  const one = new Bursar({ db: 1 });
  const two = new Bursar({ db: 1 });
  const first = await one.claim({ db: 1 });
  const second = await two.claim({ db: 1 });
  first.release();
  expect([one.held("db"), two.held("db"), second.ended]).toEqual([0, 1, false]);
  expect(() => first.release()).toThrow(TicketError);
  expect([one.held("db"), two.held("db")]).toEqual([0, 1]);
});

it("a part is looked up among the names of the lease's own bursar", async () => {
  const one = new Bursar<string>({ db: 2, gpu: 2 });
  const two = new Bursar<string>({ gpu: 2, db: 2 });
  const lease = await one.claim({ db: 2 });
  await two.claim({ gpu: 2 });
  lease.release({ db: 1 });
  expect([one.held("db"), one.held("gpu"), two.held("gpu"), two.held("db")]).toEqual([1, 0, 2, 0]);
});

it("a claim that waits at one is not served by a release at another", async () => {
  const one = new Bursar({ db: 1 });
  const two = new Bursar({ db: 1 });
  await one.claim({ db: 1 });
  const second = await two.claim({ db: 1 });
  const waiting = one.enqueue({ db: 1 });
  second.release();
  expect([waiting.state, one.waiting, two.waiting]).toEqual(["waiting", 1, 0]);
  waiting.cancel();
});

it("one can be shut down while the others go on", async () => {
  const one = new Bursar({ db: 1 });
  const two = new Bursar({ db: 1 });
  await one.shutdown();
  await expect(one.claim({ db: 1 })).rejects.toMatchObject({ code: "CLOSED" });
  expect((await two.claim({ db: 1 })).ended).toBe(false);
});

it("one signal aborts what waits at each", async () => {
  const bursars = [new Bursar({ db: 1 }), new Bursar({ db: 1 })];
  const controller = new AbortController();
  const waiting = bursars.map((bursar) => {
    bursar.tryClaim({ db: 1 });
    return bursar.claim({ db: 1 }, { signal: controller.signal });
  });
  controller.abort("enough");
  expect(await Promise.allSettled(waiting)).toEqual([
    { status: "rejected", reason: "enough" },
    { status: "rejected", reason: "enough" },
  ]);
  expect(bursars.map((bursar) => bursar.waiting)).toEqual([0, 0]);
});

it("each has its own clock", () => {
  const clocks = [new ManualClock(), new ManualClock()];
  const [one, two] = clocks.map(
    (clock) => new Bursar({ api: tokenBucket({ rate: 1, burst: 5 }) }, { clock }),
  ) as [Bursar<"api">, Bursar<"api">];
  one.tryClaim({ api: 5 });
  two.tryClaim({ api: 5 });
  clocks[0]?.advance(3_000);
  expect([one.available("api"), two.available("api")]).toEqual([3, 0]);
});

it("claims of several are interleaved at will", async () => {
  const bursars = [1, 2, 3].map((permits) => new Bursar({ db: permits }));
  const most = [0, 0, 0];
  const now = [0, 0, 0];
  const work = async (index: number) => {
    now[index]!++;
    most[index] = Math.max(most[index]!, now[index]!);
    await bursars[(index + 1) % 3]!.run({ db: 1 }, () => Promise.resolve());
    now[index]!--;
  };
  // Each holds of one bursar only while it claims of the next; the largest is asked last, so that none waits in a ring.
  const runs = Array.from({ length: 30 }, (_, run) => bursars[run % 2]!.run({ db: 1 }, () => work(run % 2)));
  await Promise.all(runs);
  expect(most).toEqual([1, 2, 0]);
  expect(bursars.map((bursar) => bursar.snapshot().leases)).toEqual([0, 0, 0]);
});

it("thousands are made and dropped, with leases held and claims waiting, and those that stay are right", async () => {
  const stays = new Bursar({ db: 3 });
  const lease = await stays.claim({ db: 2 });
  for (let round = 0; round < 3_000; round++) {
    const bursar = new Bursar({ db: 1, api: tokenBucket({ rate: 1, burst: round + 1 }) });
    bursar.tryClaim({ db: 1, api: 1 });
    void bursar.claim({ db: 1 });
  }
  expect([stays.available("db"), stays.held("db"), stays.waiting]).toEqual([1, 2, 0]);
  lease.release();
  expect(stays.tryClaim({ db: 3 })?.ended).toBe(false);
});

it("the module's memory may grow under those that stay", async () => {
  const bursars: Bursar<"db">[] = [];
  const leases: (Lease<"db"> | undefined)[] = [];
  for (let index = 0; index < 500; index++) {
    const bursar = new Bursar({ db: 100 });
    for (let claim = 0; claim < 50; claim++) leases.push(bursar.tryClaim({ db: 1 }, { priority: claim }));
    bursars.push(bursar);
  }
  const claims = bursars[0]!.snapshot().claims.map(({ priority }) => priority);
  expect(claims).toEqual(Array.from({ length: 50 }, (_, claim) => claim));
  expect(bursars.every((bursar) => bursar.held("db") === 50)).toBe(true);
  for (const lease of leases) lease?.release();
  expect(bursars.every((bursar) => bursar.held("db") === 0 && bursar.available("db") === 100)).toBe(true);
});

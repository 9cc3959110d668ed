// `run` holds a lease for as long as a function takes, however it ends.

import { Bursar, ClaimTimeoutError, ExceedsCapacityError, LeaseExpiredError, ManualClock } from "bursar";
import { expect, test } from "vitest";
import { Line, reasonOf, settle, stateOf } from "./support.js";

test("the units are held until the function's promise resolves", async () => {
  const bursar = new Bursar({ db: 1 });
  let finish = (_: string) => {};
  const body = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const run = bursar.run({ db: 1 }, () => body);
  expect(await stateOf(run)).toBe("pending");
  expect(bursar.available("db")).toBe(0);
  finish("done");
  expect(await run).toBe("done");
  expect(bursar.available("db")).toBe(1);
});

test("they are back when the caller learns of the end", async () => {
  const bursar = new Bursar({ db: 1 });
  await bursar.run({ db: 1 }, async () => {});
  expect(bursar.tryClaim({ db: 1 })).toBeDefined();
});

test("they are given back when the function rejects", async () => {
  const bursar = new Bursar({ db: 1 });
  const failure = new Error("mine");
  const run = bursar.run({ db: 1 }, async () => {
    await undefined;
    throw failure;
  });
  expect(await reasonOf(run)).toBe(failure);
  expect(bursar.available("db")).toBe(1);
});

test("they are given back when the function throws before its first await", async () => {
  const bursar = new Bursar({ db: 1 });
  const failure = new Error("mine");
  const run = bursar.run({ db: 1 }, () => {
    throw failure;
  });
  expect(await reasonOf(run)).toBe(failure);
  expect(bursar.available("db")).toBe(1);
});

test("it never throws at once", async () => {
  const bursar = new Bursar({ db: 1 });
  const thrown = bursar.run({ db: 1 }, () => {
    throw "mine";
  });
  const refused = bursar.run({ db: 2 }, () => {});
  expect(await reasonOf(thrown)).toBe("mine");
  expect(await reasonOf(refused)).toBeInstanceOf(ExceedsCapacityError);
});

test.each([
  ["nothing", undefined],
  ["null", null],
  ["0", 0],
  ["false", false],
  ["an empty string", ""],
  ["an object", { rows: [1] }],
])("it gives what the function returns: %s", async (_, value) => {
  const bursar = new Bursar({ db: 1 });
  expect(await bursar.run({ db: 1 }, () => value)).toBe(value);
  expect(await bursar.run({ db: 1 }, async () => value)).toBe(value);
});

test("it waits for any thenable", async () => {
  const bursar = new Bursar({ db: 1 });
  const thenable = {
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
    then: (resolve: (value: number) => void) => {
      expect(bursar.available("db")).toBe(0);
      resolve(7);
    },
  };
  expect(await bursar.run({ db: 1 }, () => thenable as PromiseLike<number>)).toBe(7);
  expect(bursar.available("db")).toBe(1);
});

test("the function gets the lease", async () => {
  const bursar = new Bursar({ db: 3 });
  await bursar.run({ db: 3 }, (lease) => {
    expect(lease.ended).toBe(false);
    lease.release({ db: 1 });
    expect(bursar.available("db")).toBe(1);
  });
  expect(bursar.available("db")).toBe(3);
});

test("the function may give the lease back itself", async () => {
  const bursar = new Bursar({ db: 1 });
  await bursar.run({ db: 1 }, (lease) => lease.release());
  expect([bursar.available("db"), bursar.held("db")]).toEqual([1, 0]);
});

test("it waits its turn", async () => {
  const bursar = new Bursar({ db: 1 });
  const held = await bursar.claim({ db: 1 });
  let called = false;
  const run = bursar.run({ db: 1 }, () => {
    called = true;
  });
  await settle();
  expect(called).toBe(false);
  held.release();
  await run;
  expect(called).toBe(true);
});

test("no more functions run together than there are units", async () => {
  const bursar = new Bursar({ db: 3 });
  let running = 0;
  let most = 0;
  const work = async () => {
    running++;
    most = Math.max(most, running);
    await settle();
    running--;
  };
  await Promise.all(Array.from({ length: 40 }, () => bursar.run({ db: 1 }, work)));
  expect(most).toBe(3);
  expect(bursar.available("db")).toBe(3);
});

test("a failure does not keep the others from running", async () => {
  const bursar = new Bursar({ db: 1 });
  const results = await Promise.allSettled(
    [0, 1, 2, 3].map((at) =>
      bursar.run({ db: 1 }, async () => {
        if (at % 2) throw new Error(`${at}`);
        return at;
      }),
    ),
  );
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
});

test("it takes a priority", async () => {
  const bursar = new Bursar({ db: 1 });
  const held = await bursar.claim({ db: 1 });
  const ran: string[] = [];
  const runs = [
    bursar.run({ db: 1 }, () => ran.push("usual")),
    bursar.run({ db: 1 }, () => ran.push("urgent"), { priority: 1 }),
  ];
  held.release();
  await Promise.all(runs);
  expect(ran).toEqual(["urgent", "usual"]);
});

test("its timeout bounds the wait and not the run", async () => {
  const clock = new ManualClock();
  const bursar = new Bursar({ db: 1 }, { clock });
  let finish = () => {};
  const body = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const first = bursar.run({ db: 1 }, () => body, { timeout: 100 });
  const second = bursar.run({ db: 1 }, () => expect.unreachable(), { timeout: 100 });
  await settle();
  clock.advance(1_000);
  expect(await reasonOf(second)).toBeInstanceOf(ClaimTimeoutError);
  expect(await stateOf(first)).toBe("pending");
  expect(bursar.held("db")).toBe(1);
  finish();
  await first;
});

test("a run that outlives its ttl is told so by the lease's signal, and its end gives nothing back twice", async () => {
  const clock = new ManualClock();
  const bursar = new Bursar({ db: 1 }, { clock });
  const run = bursar.run(
    { db: 1 },
    (lease) =>
      new Promise((resolve) => lease.signal.addEventListener("abort", () => resolve(lease.signal.reason))),
    { ttl: 100 },
  );
  await settle();
  clock.advance(100);
  const next = await bursar.claim({ db: 1 });
  expect(await run).toBeInstanceOf(LeaseExpiredError);
  expect([bursar.available("db"), bursar.held("db")]).toEqual([0, 1]);
  next.release();
});

test("runs are served in the order in which they were made", async () => {
  const bursar = new Bursar({ db: 1 });
  const ran: number[] = [];
  const runs = Array.from({ length: 20 }, (_, at) =>
    bursar.run({ db: 1 }, async () => {
      ran.push(at);
    }),
  );
  await Promise.all(runs);
  expect(ran).toEqual(Array.from({ length: 20 }, (_, at) => at));
});

test("runs and claims wait in one line", async () => {
  const bursar = new Bursar({ db: 1 });
  const held = await bursar.claim({ db: 1 });
  const line = new Line();
  const run = bursar.run({ db: 1 }, () => line.served.push("run"));
  line.add("claim", bursar.claim({ db: 1 }));
  held.release();
  await run;
  await settle();
  expect(line.served).toEqual(["run", "claim"]);
});

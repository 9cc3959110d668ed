// Claims under the lease that the code runs under, where nobody passes the lease on: AsyncLocalStorage.

import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { Bursar, DeadlockError, InvalidOptionError } from "bursar";
import { expect, it } from "vitest";

const crossing = () => new Bursar({ left: 1, right: 1 }, { context: new AsyncLocalStorage() });

it("refuses what would wait for ever, however deep it was claimed", async () => {
  const bursar = crossing();
  const deep = async (name: "left" | "right") => {
    await sleep(5);
    return bursar.run({ [name]: 1 }, () => name);
  };
  const outcomes = await Promise.allSettled([
    bursar.run({ left: 1 }, () => deep("right")),
    bursar.run({ right: 1 }, () => deep("left")),
  ]);
  expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(["fulfilled", "rejected"]);
  const refused = outcomes.find((outcome) => outcome.status === "rejected");
  expect(refused?.reason).toBeInstanceOf(DeadlockError);
  expect(bursar.snapshot()).toMatchObject({ waiting: 0, leases: 0 });
});

it("hangs nobody who claims the same again inside", async () => {
  const bursar = new Bursar({ mutex: 1 }, { context: new AsyncLocalStorage() });
  await expect(bursar.run({ mutex: 1 }, () => bursar.run({ mutex: 1 }, () => 1))).rejects.toThrow(
    DeadlockError,
  );
  await expect(bursar.run({ mutex: 1 }, () => bursar.claim({ mutex: 1 }))).rejects.toThrow(DeadlockError);
  expect(bursar.available("mutex")).toBe(1);
});

it("claims under the innermost lease that has not ended, of the same bursar", async () => {
  const context = new AsyncLocalStorage();
  const [one, two] = [new Bursar({ x: 2 }, { context }), new Bursar({ y: 1 }, { context })];
  await one.run({ x: 2 }, (outer) =>
    two.run({ y: 1 }, async () => {
      await expect(one.claim({ x: 1 })).rejects.toThrow(DeadlockError);
      await expect(two.claim({ y: 1 })).rejects.toThrow(DeadlockError);
      outer.release();
      (await one.claim({ x: 1 })).release();
    }),
  );
});

it("leaves claims outside alone", async () => {
  const bursar = crossing();
  const outside = await bursar.claim({ left: 1 });
  const waits = bursar.claim({ left: 1 });
  outside.release();
  (await waits).release();
});

it("works with a context that has get instead of getStore", async () => {
  const storage = new AsyncLocalStorage<unknown>();
  const context = {
    run: <T>(value: unknown, run: () => T) => storage.run(value, run),
    get: () => storage.getStore(),
  };
  const bursar = new Bursar({ mutex: 1 }, { context });
  await expect(bursar.run({ mutex: 1 }, () => bursar.claim({ mutex: 1 }))).rejects.toThrow(DeadlockError);
});

it.each([null, 1, {}, { run: () => 1 }])("refuses %s as a context", (context) => {
  expect(() => new Bursar({ x: 1 }, { context: context as never })).toThrow(InvalidOptionError);
  expect(() => new Bursar({ x: 1 }, { context: context as never })).toThrow("AsyncLocalStorage");
});

// `NoopBursar` stands in for a bursar in its users' tests: the same to look at, and it lets everything through.

import { type AnyBursar, Bursar, type Lease, NoopBursar } from "bursar";
import { describe, expect, it } from "vitest";

/** Getters and methods that are no internals. */
const membersOf = (prototype: object) =>
  Object.entries(Object.getOwnPropertyDescriptors(prototype)).filter(
    ([name]) => !/^(_|constructor$)/.test(name),
  );

const kindOf = (descriptor: PropertyDescriptor | undefined) =>
  descriptor?.get ? "getter" : typeof descriptor?.value;

const noop = () => new NoopBursar({ db: 1, gpu: 1 });

describe("it has what a Bursar has", () => {
  it.each(membersOf(Bursar.prototype))("%s", (name, descriptor) => {
    const own = Object.getOwnPropertyDescriptor(NoopBursar.prototype, name);
    expect(kindOf(own)).toBe(kindOf(descriptor));
  });

  it("and nothing else", () => {
    const names = (prototype: object) =>
      membersOf(prototype)
        .map(([name]) => name)
        .sort();
    expect(names(NoopBursar.prototype)).toEqual(names(Bursar.prototype));
  });
});

it("has leases with what leases have", async () => {
  const real: object = await new Bursar({ db: 1 }).claim({ db: 1 });
  const lease: object = await noop().claim({ db: 1 });
  const members = membersOf(Object.getPrototypeOf(real)).map(([name]) => name);
  expect(members.filter((name) => !(name in lease))).toEqual([]);
  expect([Symbol.dispose in lease, Symbol.asyncDispose in lease]).toEqual([true, true]);
});

it("has claims with what claims have", () => {
  const real = new Bursar({ db: 1 }).enqueue({ db: 1 });
  const claim = noop().enqueue({ db: 1 });
  const members = membersOf(Object.getPrototypeOf(real)).map(([name]) => name);
  expect([...members, "lease"].filter((name) => !(name in claim))).toEqual([]);
});

it("has snapshots with what snapshots have", () => {
  const keys = (bursar: AnyBursar<"db">) => Object.keys(bursar.snapshot()).sort();
  expect(keys(new NoopBursar({ db: 1 }))).toEqual(keys(new Bursar({ db: 1 })));
});

it("grants everything at once, however much and however often", async () => {
  const bursar = noop();
  const leases = await Promise.all(Array.from({ length: 100 }, () => bursar.claim({ db: 1_000_000 })));
  expect(leases.every((lease) => !lease.ended)).toBe(true);
  expect([bursar.waiting, bursar.tryClaim()?.ended]).toEqual([0, false]);
});

it("runs the function under a lease, and gives what it returns", async () => {
  const bursar = noop();
  let seen: Lease<"db" | "gpu"> | undefined;
  const result = await bursar.run({ db: 1 }, async (lease) => {
    seen = lease;
    return "done";
  });
  expect([result, seen === undefined]).toEqual(["done", false]);
});

it("passes on what the function throws", async () => {
  const boom = new Error("boom");
  const throws = () => {
    throw boom;
  };
  await expect(noop().run({ db: 1 }, throws)).rejects.toBe(boom);
});

it("ends the lease of a run with the run", async () => {
  const lease = await noop().run({ db: 1 }, (lease) => lease);
  expect(lease.ended).toBe(true);
});

it("honours a signal that is aborted already", async () => {
  const signal = AbortSignal.abort(new Error("too late"));
  const bursar = noop();
  await expect(bursar.claim({ db: 1 }, { signal })).rejects.toThrow("too late");
  await expect(bursar.run({ db: 1 }, () => expect.unreachable(), { signal })).rejects.toThrow("too late");
  await expect(bursar.enqueue({ db: 1 }, { signal }).lease).rejects.toThrow("too late");
});

it("has leases that end, by release and by using", async () => {
  const bursar = noop();
  const lease = await bursar.claim({ db: 2 });
  lease.release({ db: 1 });
  expect(lease.ended).toBe(false);
  lease.settle({ db: 1 });
  lease.release();
  expect(lease.ended).toBe(true);
  const held = () => {
    using lease = bursar.tryClaim();
    return lease;
  };
  expect(held()?.ended).toBe(true);
});

it("takes every order and is never busy", async () => {
  const bursar: AnyBursar<"db" | "gpu"> = noop();
  bursar.resize("db", 5);
  bursar.define("db", 5);
  bursar.remove("db");
  bursar.pause("db", 5);
  bursar.setLevel("db", 5);
  expect(bursar.capacity("db")).toBeGreaterThan(1e15);
  expect([bursar.available("db"), bursar.held("db")]).toEqual([bursar.capacity("db"), 0]);
  await bursar.idle();
  await bursar.shutdown({ drain: true });
  expect((await bursar.claim({ db: 1 })).ended).toBe(false);
});

it("can be made from nothing", async () => {
  expect((await new NoopBursar().claim({ whatever: 1 })).ended).toBe(false);
});

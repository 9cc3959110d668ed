// bursar itself, as its readme says: `claim` and `release`, `tryClaim`, `run`.
//
// What a user of the package gets here: Node's `import` goes through node.mjs to the CommonJS build, everybody else's
// to the module.

const inNode = typeof process === "object" && !("Deno" in globalThis) && !("Bun" in globalThis);
const { Bursar, tokenBucket } = inNode
  ? await import("../../../dist/node.mjs")
  : await import("../../../dist/index.js");

export function make(permits) {
  const bursar = new Bursar({ slots: permits, memory: permits, sockets: permits });

  async function task(work) {
    const lease = await bursar.claim({ slots: 1 });
    const busy = work();
    if (busy !== undefined) await busy;
    lease.release();
  }

  async function urgent(priority, work) {
    const lease = await bursar.claim({ slots: 1 }, { priority });
    const busy = work(priority);
    if (busy !== undefined) await busy;
    lease.release();
  }

  return {
    async one(count) {
      let granted = 0;
      for (let i = 0; i < count; i++) {
        const lease = await bursar.claim({ slots: 1 });
        granted++;
        lease.release();
      }
      return granted;
    },

    async three(count) {
      let granted = 0;
      for (let i = 0; i < count; i++) {
        const lease = await bursar.claim({ slots: 1, memory: 1, sockets: 1 });
        granted++;
        lease.release();
      }
      return granted;
    },

    attempt(count) {
      let granted = 0;
      for (let i = 0; i < count; i++) {
        const lease = bursar.tryClaim({ slots: 1 });
        if (lease === undefined) break;
        granted++;
        lease.release();
      }
      return granted;
    },

    attemptThree(count) {
      let granted = 0;
      for (let i = 0; i < count; i++) {
        const lease = bursar.tryClaim({ slots: 1, memory: 1, sockets: 1 });
        if (lease === undefined) break;
        granted++;
        lease.release();
      }
      return granted;
    },

    async run(count) {
      let granted = 0;
      for (let i = 0; i < count; i++) {
        await bursar.run({ slots: 1 }, () => {
          granted++;
        });
      }
      return granted;
    },

    async queue(count, work) {
      const tasks = [];
      for (let i = 0; i < count; i++) tasks.push(task(work));
      await Promise.all(tasks);
    },

    async prioritized(priorities, work) {
      const tasks = [];
      for (const priority of priorities) tasks.push(urgent(priority, work));
      await Promise.all(tasks);
    },

    park: () => bursar.claim({ slots: 1 }),
    parkUntil: (signal) => bursar.claim({ slots: 1 }, { signal }),
    giveBack: (lease) => lease.release(),
    isWhole: () => ["slots", "memory", "sockets"].every((name) => bursar.available(name) === permits),
  };
}

/** A rate nobody waits for. */
export function makeRate() {
  const bursar = new Bursar({ api: tokenBucket({ rate: 1e9, burst: 1e12 }) });
  return {
    async spend(count) {
      let granted = 0;
      for (let i = 0; i < count; i++) {
        await bursar.claim({ api: 1 });
        granted++;
      }
      return granted;
    },
  };
}

export function checkRate() {
  const bursar = new Bursar({ api: tokenBucket({ rate: 1 / 3_600, burst: 3 }) });
  let granted = 0;
  while (granted < 10 && bursar.tryClaim({ api: 1 }) !== undefined) granted++;
  return granted === 3;
}

/** Every kind of claim there is, so that the engine has seen them all before anything is measured. */
export async function season() {
  const names = ["cpu", "gpu", "disk", "net", "db", "api"];
  for (let width = 1; width <= names.length; width++) {
    const some = names.slice(0, width);
    const bursar = new Bursar(Object.fromEntries(some.map((name) => [name, 4])), { maxBypass: width });
    const shapes = some.flatMap((_, at) => {
      const rotated = [...some.slice(at), ...some.slice(0, at)];
      return rotated.map((_, last) =>
        Object.fromEntries(rotated.slice(0, last + 1).map((name) => [name, 1])),
      );
    });
    const { signal } = new AbortController();
    for (let round = 0; round < 200; round++) {
      for (const demand of shapes) (await bursar.claim(demand)).release();
      for (const demand of shapes) bursar.tryClaim(demand)?.release();
    }
    const waits = [];
    for (let round = 0; round < 20; round++) {
      for (const demand of shapes) {
        const options = [undefined, { priority: round }, { timeout: 60_000 }, { signal }][waits.length % 4];
        waits.push(bursar.run(demand, (lease) => lease.ended, options));
      }
      waits.push(bursar.claim({ nothing: 1 }).catch(() => {}));
    }
    await Promise.all(waits);
    const rates = new Bursar({ rate: tokenBucket({ rate: 1e6, burst: 1e6 }), slots: 1e6 });
    for (let i = 0; i < 1_000; i++) (await rates.claim({ rate: 1, slots: i + 1 })).release({ slots: 1 });
  }
}

// async-sema: `acquire` and `release` of one counter. For three resources, three of them in sequence.

import { Sema } from "async-sema";

export const notes = { three: "three in sequence", attemptThree: "three in sequence" };

export function make(permits) {
  const sema = new Sema(permits);
  let others;

  async function task(work) {
    await sema.acquire();
    const busy = work();
    if (busy !== undefined) await busy;
    sema.release();
  }

  return {
    async one(count) {
      let granted = 0;
      for (let i = 0; i < count; i++) {
        await sema.acquire();
        granted++;
        sema.release();
      }
      return granted;
    },

    async three(count) {
      others ??= [new Sema(permits), new Sema(permits)];
      const [second, third] = others;
      let granted = 0;
      for (let i = 0; i < count; i++) {
        await sema.acquire();
        await second.acquire();
        await third.acquire();
        granted++;
        third.release();
        second.release();
        sema.release();
      }
      return granted;
    },

    attempt(count) {
      let granted = 0;
      for (let i = 0; i < count; i++) {
        if (sema.tryAcquire() === undefined) break;
        granted++;
        sema.release();
      }
      return granted;
    },

    attemptThree(count) {
      others ??= [new Sema(permits), new Sema(permits)];
      const [second, third] = others;
      let granted = 0;
      for (let i = 0; i < count; i++) {
        if (sema.tryAcquire() === undefined) break;
        if (second.tryAcquire() === undefined) break;
        if (third.tryAcquire() === undefined) break;
        granted++;
        third.release();
        second.release();
        sema.release();
      }
      return granted;
    },

    async queue(count, work) {
      const tasks = [];
      for (let i = 0; i < count; i++) tasks.push(task(work));
      await Promise.all(tasks);
    },

    park: () => sema.acquire(),
    giveBack: () => sema.release(),
  };
}

/** Several at once, with lines, before anything is measured. */
export async function season() {
  for (let permits = 1; permits <= 6; permits++) {
    const sema = new Sema(permits, { capacity: permits * 10 });
    const use = async () => {
      await sema.acquire();
      sema.release();
    };
    for (let round = 0; round < 2_000; round++) await use();
    await Promise.all(Array.from({ length: 2_000 }, use));
  }
}

// async-mutex: its Semaphore, by `acquire` and by `runExclusive`. Its `tryAcquire` is awaited like the rest.

import { Semaphore, tryAcquire } from "async-mutex";

export const notes = { three: "three in sequence", attempt: "awaited" };

export function make(permits) {
  const semaphore = new Semaphore(permits);
  const now = tryAcquire(semaphore);
  let others;

  async function task(work) {
    const [, release] = await semaphore.acquire();
    const busy = work();
    if (busy !== undefined) await busy;
    release();
  }

  async function urgent(priority, work) {
    const [, release] = await semaphore.acquire(1, priority);
    const busy = work(priority);
    if (busy !== undefined) await busy;
    release();
  }

  return {
    async one(count) {
      let granted = 0;
      for (let i = 0; i < count; i++) {
        const [, release] = await semaphore.acquire();
        granted++;
        release();
      }
      return granted;
    },

    async three(count) {
      others ??= [new Semaphore(permits), new Semaphore(permits)];
      const [second, third] = others;
      let granted = 0;
      for (let i = 0; i < count; i++) {
        const [, release] = await semaphore.acquire();
        const [, releaseSecond] = await second.acquire();
        const [, releaseThird] = await third.acquire();
        granted++;
        releaseThird();
        releaseSecond();
        release();
      }
      return granted;
    },

    async attempt(count) {
      let granted = 0;
      for (let i = 0; i < count; i++) {
        const [, release] = await now.acquire();
        granted++;
        release();
      }
      return granted;
    },

    async run(count) {
      let granted = 0;
      for (let i = 0; i < count; i++) {
        await semaphore.runExclusive(() => {
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

    park: () => semaphore.acquire(),
    giveBack: ([, release]) => release(),
  };
}

// cockatiel: its bulkhead, whose queue has no bound here.

import { bulkhead } from "cockatiel";

export const notes = { one: "as run", three: "three, nested", parkUntil: "noticed when its turn comes" };

export function make(permits) {
  const policy = bulkhead(permits, Number.POSITIVE_INFINITY);
  let others;

  async function run(count) {
    let granted = 0;
    for (let i = 0; i < count; i++) {
      await policy.execute(() => {
        granted++;
      });
    }
    return granted;
  }

  return {
    one: run,

    async three(count) {
      others ??= [bulkhead(permits, Number.POSITIVE_INFINITY), bulkhead(permits, Number.POSITIVE_INFINITY)];
      const [second, third] = others;
      let granted = 0;
      for (let i = 0; i < count; i++) {
        await policy.execute(() =>
          second.execute(() =>
            third.execute(() => {
              granted++;
            }),
          ),
        );
      }
      return granted;
    },

    run,

    async queue(count, work) {
      const tasks = [];
      for (let i = 0; i < count; i++) tasks.push(policy.execute(() => work()));
      await Promise.all(tasks);
    },

    park: (work) => policy.execute(work),
    parkUntil: (signal, work) => policy.execute(work, signal),
  };
}

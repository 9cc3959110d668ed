// bottleneck: `schedule`. It sets timers for every job, also to take it into its queue. So of many jobs scheduled at
// once it sorts only those that it has taken in when a permit is free, and its priorities cannot be measured here.

import Bottleneck from "bottleneck";

export const notes = { one: "as run", three: "three, nested" };

export function make(permits) {
  const limiter = new Bottleneck({ maxConcurrent: permits });
  let others;

  async function run(count) {
    let granted = 0;
    for (let i = 0; i < count; i++) {
      await limiter.schedule(async () => {
        granted++;
      });
    }
    return granted;
  }

  return {
    one: run,

    async three(count) {
      others ??= [new Bottleneck({ maxConcurrent: permits }), new Bottleneck({ maxConcurrent: permits })];
      const [second, third] = others;
      let granted = 0;
      for (let i = 0; i < count; i++) {
        await limiter.schedule(() =>
          second.schedule(() =>
            third.schedule(async () => {
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
      for (let i = 0; i < count; i++) tasks.push(limiter.schedule(async () => work()));
      await Promise.all(tasks);
    },

    park: (work) => limiter.schedule(async () => work()),
  };
}

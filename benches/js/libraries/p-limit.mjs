// p-limit: a function to wrap others with. It has no acquire, so that one at a time and `run` are the same.

import pLimit from "p-limit";

export const notes = { one: "as run", three: "three, nested" };

export function make(permits) {
  const limit = pLimit(permits);
  let others;

  async function run(count) {
    let granted = 0;
    for (let i = 0; i < count; i++) {
      await limit(() => {
        granted++;
      });
    }
    return granted;
  }

  return {
    one: run,

    async three(count) {
      others ??= [pLimit(permits), pLimit(permits)];
      const [second, third] = others;
      let granted = 0;
      for (let i = 0; i < count; i++) {
        await limit(() =>
          second(() =>
            third(() => {
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
      for (let i = 0; i < count; i++) tasks.push(limit(work));
      await Promise.all(tasks);
    },

    park: (work) => limit(work),
  };
}

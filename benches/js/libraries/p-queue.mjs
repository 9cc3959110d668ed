// p-queue: `add`, with a priority and a signal where they are measured.

import PQueue from "p-queue";

export const notes = { one: "as run", three: "three, nested" };

export function make(permits) {
  const queue = new PQueue({ concurrency: permits });
  let others;

  async function run(count) {
    let granted = 0;
    for (let i = 0; i < count; i++) {
      await queue.add(() => {
        granted++;
      });
    }
    return granted;
  }

  return {
    one: run,

    async three(count) {
      others ??= [new PQueue({ concurrency: permits }), new PQueue({ concurrency: permits })];
      const [second, third] = others;
      let granted = 0;
      for (let i = 0; i < count; i++) {
        await queue.add(() =>
          second.add(() =>
            third.add(() => {
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
      for (let i = 0; i < count; i++) tasks.push(queue.add(() => work()));
      await Promise.all(tasks);
    },

    async prioritized(priorities, work) {
      const tasks = [];
      for (const priority of priorities) tasks.push(queue.add(() => work(priority), { priority }));
      await Promise.all(tasks);
    },

    park: (work) => queue.add(work),
    parkUntil: (signal, work) => queue.add(work, { signal }),
  };
}

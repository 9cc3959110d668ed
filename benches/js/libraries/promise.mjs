// No library: promises alone, each resolved when its turn comes, with nothing counted. Nobody can be below it.

export const bare = true;

export function make() {
  async function task(turns, work) {
    await new Promise((resolve) => turns.push(resolve));
    const busy = work();
    if (busy !== undefined) await busy;
  }

  return {
    async queue(count, work) {
      const [tasks, turns] = [[], []];
      for (let i = 0; i < count; i++) tasks.push(task(turns, work));
      for (const resolve of turns) resolve();
      await Promise.all(tasks);
    },

    parkUntil: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
  };
}

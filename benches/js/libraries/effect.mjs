// effect: its Semaphore, inside one running effect, which is where its users are.

import { Effect, Semaphore } from "effect";

export const notes = {
  three: "three, nested",
  attempt: "inside an effect",
  parkUntil: "interrupted by the signal",
};

export function make(permits) {
  const semaphore = Semaphore.makeUnsafe(permits);
  let others;

  const task = (work) =>
    semaphore.withPermit(
      Effect.suspend(() => {
        const busy = work();
        return busy === undefined ? Effect.void : Effect.promise(() => busy);
      }),
    );

  return {
    one(count) {
      return Effect.runPromise(
        Effect.gen(function* () {
          let granted = 0;
          for (let i = 0; i < count; i++) {
            yield* semaphore.take(1);
            granted++;
            yield* semaphore.release(1);
          }
          return granted;
        }),
      );
    },

    three(count) {
      others ??= [Semaphore.makeUnsafe(permits), Semaphore.makeUnsafe(permits)];
      const [second, third] = others;
      return Effect.runPromise(
        Effect.gen(function* () {
          let granted = 0;
          const grant = Effect.sync(() => {
            granted++;
          });
          for (let i = 0; i < count; i++) {
            yield* semaphore.withPermit(second.withPermit(third.withPermit(grant)));
          }
          return granted;
        }),
      );
    },

    attempt(count) {
      return Effect.runPromise(
        Effect.gen(function* () {
          let granted = 0;
          for (let i = 0; i < count; i++) {
            if (!(yield* semaphore.takeIfAvailable(1))) break;
            granted++;
            yield* semaphore.release(1);
          }
          return granted;
        }),
      );
    },

    run(count) {
      return Effect.runPromise(
        Effect.gen(function* () {
          let granted = 0;
          for (let i = 0; i < count; i++) {
            yield* semaphore.withPermit(
              Effect.sync(() => {
                granted++;
              }),
            );
          }
          return granted;
        }),
      );
    },

    queue(count, work) {
      const tasks = [];
      for (let i = 0; i < count; i++) tasks.push(task(work));
      return Effect.runPromise(Effect.all(tasks, { concurrency: "unbounded", discard: true }));
    },

    park: (work) => Effect.runPromise(task(work)),
    parkUntil: (signal, work) => Effect.runPromise(task(work), { signal }),
  };
}

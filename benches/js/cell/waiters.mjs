// Claims that wait behind a held permit, whatever form a library has: one to acquire and give back, or one to run a
// function.

const nothing = () => {};

/** Takes the only permit. Resolves, once it is held, to a function that gives it back. */
export async function hold(limiter) {
  // A bare promise has nothing to hold.
  if (limiter.park === undefined) return async () => {};
  if (limiter.giveBack !== undefined) {
    const held = await limiter.park();
    return async () => limiter.giveBack(held);
  }
  let open;
  const gate = new Promise((resolve) => {
    open = resolve;
  });
  let done;
  await new Promise((started) => {
    done = limiter.park(() => {
      started();
      return gate;
    });
  });
  return () => {
    open();
    return done;
  };
}

/** One claim more in the line. */
export const wait = (limiter) => limiter.park(nothing);

/** The same, until a signal says otherwise. */
export const waitUntil = (limiter, signal) => limiter.parkUntil(signal, nothing);

/** Waits for each to be served, and gives back what it was given. */
export async function drain(limiter, waiting) {
  for (const promise of waiting) {
    const held = await promise;
    limiter.giveBack?.(held);
  }
}

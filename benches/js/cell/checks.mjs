// What must be true of a library before its figures count. A check that fails throws, and the cell has no figure.

/** A library did not do what it is measured for. */
export class Wrong extends Error {}

export function insist(holds, what) {
  if (!holds) throw new Wrong(what);
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Work that counts who is at it at one time. All hold on until as many are there as there should be (some libraries
 * take a while to start them), and then a little longer, lest more come.
 */
function crowd(expected) {
  const seen = { running: 0, most: 0, order: [] };
  let isFull;
  const full = Promise.race([new Promise((resolve) => (isFull = resolve)), pause(1_500)]);
  const work = async (priority) => {
    seen.order.push(priority);
    seen.running++;
    seen.most = Math.max(seen.most, seen.running);
    if (seen.running === expected) isFull();
    await full;
    await pause(5);
    seen.running--;
  };
  return { seen, work };
}

/** Everybody was served, and as many at one time as there are permits: no more, and no fewer. */
function insistOnCrowd(seen, count, expected) {
  insist(seen.order.length === count, `${seen.order.length} of ${count} tasks were run`);
  insist(seen.most === expected, `at most ${seen.most} ran at one time, and it should have been ${expected}`);
}

export async function checkLimit(limiter, permits) {
  const count = 40;
  const expected = Math.min(permits, count);
  const { seen, work } = crowd(expected);
  await limiter.queue(count, work);
  insistOnCrowd(seen, count, expected);
}

/** Once the permits are taken, the others go by priority. */
export async function checkOrder(limiter, permits, priorities) {
  const { seen, work } = crowd(permits);
  await limiter.prioritized(priorities, work);
  insistOnCrowd(seen, priorities.length, permits);
  const queued = seen.order.slice(permits);
  const isSorted = queued.every((priority, at) => at === 0 || priority <= queued[at - 1]);
  insist(isSorted, "tasks were not run by priority");
}

/** A try is refused while the only permit is held, and granted when it has come back. */
export async function checkRefusal(attempt, limiter, hold) {
  const granted = async () => {
    try {
      return await attempt.call(limiter, 1);
    } catch {
      return 0;
    }
  };
  const release = await hold(limiter);
  insist((await granted()) === 0, "a try was granted although nothing was free");
  await release();
  insist((await granted()) === 1, "a try was refused although the permit was free");
}

// The clock, and medians. Runs in every runtime.

const now = () => performance.now() * 1e6;

/** Nanoseconds per operation of one call of `loop(count)`, which must say that it was granted all of them. */
async function timed(loop, count) {
  const start = now();
  const pending = loop(count);
  // A loop that does not wait is not made to.
  const granted = typeof pending === "number" ? pending : await pending;
  const elapsed = now() - start;
  if (granted !== count) throw new Error(`granted ${granted} of ${count}`);
  return { elapsed, perOperation: elapsed / count };
}

/** Finds how many operations fill the time of one sample, which also warms the loop up. Returns a sampler. */
export async function sampler(loop, { sampleMs, warmMs }) {
  const [wanted, end] = [sampleMs * 1e6, now() + warmMs * 1e6];
  let count = 1;
  for (;;) {
    const { elapsed } = await timed(loop, count);
    if (elapsed >= wanted && now() >= end) break;
    // Towards the sample's length in steps that an unlucky collection of garbage cannot make much too long.
    const aim = (count * wanted) / Math.max(elapsed, 1);
    count = Math.max(1, Math.round(Math.min(aim * 1.1, count * 4)));
  }
  return async () => (await timed(loop, count)).perOperation;
}

/** The floor: what awaiting costs by itself. */
async function bareAwait(count) {
  let granted = 0;
  for (let i = 0; i < count; i++) {
    await Promise.resolve();
    granted++;
  }
  return granted;
}

export const floorSampler = (timing) => sampler(bareAwait, timing);

function quantile(sorted, at) {
  const place = (sorted.length - 1) * at;
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
}

function summary(values) {
  const sorted = Float64Array.from(values).sort();
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/**
 * Takes samples of a candidate and of the floor in turn, which of them first being left to chance, until the time is
 * spent: then at least three, unless they would not fit into the bound.
 */
export async function compare(candidate, floor, { budgetMs, boundMs, repetitions }) {
  const [values, floors] = [[], []];
  const start = now();
  for (;;) {
    const first = Math.random() < 0.5;
    if (first) floors.push(await floor());
    values.push(await candidate());
    if (!first) floors.push(await floor());
    const spent = (now() - start) / 1e6;
    const isEnough = values.length >= 3 || (spent / values.length) * (values.length + 1) > boundMs * 0.7;
    if (values.length >= repetitions || (spent >= budgetMs && isEnough)) break;
  }
  const { median, low, high } = summary(values);
  return { value: median, low, high, floor: summary(floors).median, repetitions: values.length };
}

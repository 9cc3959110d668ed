// The pages of the site: the same at every run. Most are small and quick, a few large and slow.

const SMALLEST = 50_000; // bytes
const LARGEST = 4_000_000;

/** Makes `count` pages, each with a path, its size in bytes, and a latency in milliseconds. */
export function makePages(count) {
  const random = mulberry32(2024);
  return Array.from({ length: count }, (_, index) => ({
    path: `/page/${index + 1}`,
    // Evenly spread over the orders of magnitude: as many from 50 to 450 kB as from 450 kB to 4 MB.
    bytes: Math.round(SMALLEST * (LARGEST / SMALLEST) ** random()),
    latency: Math.round(40 + 360 * random() ** 2),
  }));
}

/** Tommy Ettinger's mulberry32: numbers from 0 to 1 that depend on nothing but the seed. */
function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

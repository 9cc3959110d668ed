// What can be set, with its range and its start. controls.mjs makes the form from this.

export const NUMBERS = [
  { name: "connections", group: "limit", label: "connections", low: 1, high: 24, step: 1, start: 8 },
  { name: "ramMb", group: "limit", label: "memory, MB", low: 16, high: 512, step: 16, start: 160 },
  { name: "rate", group: "limit", label: "requests a second", low: 0.5, high: 20, step: 0.5, start: 4 },
  { name: "burst", group: "limit", label: "burst", low: 1, high: 40, step: 1, start: 6 },
  { name: "arrivals", group: "load", label: "arrivals a second", low: 0, high: 30, step: 0.5, start: 5.5 },
  { name: "size", group: "load", label: "largest claim, MB", low: 8, high: 256, step: 8, start: 64 },
  { name: "hold", group: "load", label: "held for, s", low: 0.1, high: 5, step: 0.1, start: 1.2 },
];

export const ORDERS = ["fair", "newest", "greedy"];
export const MAX_BYPASS = 20;

/** Settings as they are at the start. */
export function initialSettings() {
  const settings = Object.fromEntries(NUMBERS.map(({ name, start }) => [name, start]));
  return { ...settings, order: "fair", maxBypass: MAX_BYPASS, paused: false };
}

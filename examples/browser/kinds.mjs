// The kinds of work that arrive: what each claims, and how often it comes.
//
// `size` is the memory, in MB, that the largest piece of work wants. The kinds differ in the
// resources they take, so one that is not short of anything passes others that are.

const between = (low, high) => Math.max(1, Math.round(low + (high - low) * Math.random()));

export const KINDS = [
  {
    name: "page",
    share: 6,
    takes: "connection, memory, request",
    demand: (size) => ({ connections: 1, ramMb: between(1, size / 4), requests: 1 }),
  },
  {
    name: "archive",
    share: 2,
    takes: "2 connections, much memory, request",
    demand: (size) => ({ connections: 2, ramMb: between(size / 2, size), requests: 1 }),
  },
  {
    name: "query",
    share: 2,
    takes: "connection",
    demand: () => ({ connections: 1 }),
  },
  {
    name: "report",
    share: 2,
    takes: "memory",
    demand: (size) => ({ ramMb: between(size / 4, size / 2) }),
  },
];

const shares = KINDS.reduce((sum, kind) => sum + kind.share, 0);

/** The index of a kind, drawn by share. */
export function drawKind() {
  let left = Math.random() * shares;
  let index = 0;
  while (index < KINDS.length - 1 && left >= KINDS[index].share) {
    left -= KINDS[index].share;
    index += 1;
  }
  return index;
}

// Which key was meant. The same as src/config/similar.rs.

/** The nearest of the known keys, if it is near enough to be a mistyping: one letter in three. */
export function nearest(key: string, known: readonly string[]): string | undefined {
  const letters = plain(key);
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const steps = distance(letters, plain(name));
    if (steps < least) [least, best] = [steps, name];
  }
  return least * 3 <= letters.length ? best : undefined;
}

/** So that `maxKeys` and `max-keys` are `max_keys`. */
function plain(key: string): string[] {
  return [...key.toLowerCase().replace(/[_\- ]/g, "")];
}

/** How many letters must be changed, added, left out, or swapped with their neighbour: the optimal string alignment
 * distance. */
function distance(a: string[], b: string[]): number {
  const rows = [[...b.keys(), b.length]];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(changed, rows[i - 1]![j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, rows[i - 2]![j - 2]! + 1);
      }
      row.push(least);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

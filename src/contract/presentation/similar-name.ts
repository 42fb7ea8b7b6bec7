/** The name that was most probably meant: one or two slips of the keyboard away, and the only nearest one. */
export function similarName(wanted: string, names: readonly string[]): string | null {
  const most = wanted.length < 4 ? 1 : 2;
  const near = names
    .map((name) => ({ name, slips: slipsBetween(wanted, name) }))
    .filter(({ slips }) => slips <= most)
    .toSorted((a, b) => a.slips - b.slips);
  const [first, second] = near;
  return first === undefined || first.slips === second?.slips ? null : first.name;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one word to another. */
function slipsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, i) => i)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j++) {
      const differs = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      rows[i]?.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + differs,
          isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(a.length, b.length);
}

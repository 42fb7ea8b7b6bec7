/** Columns as wide as their content. A cell has no line breaks, and the last column no padding. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => cell.replace(/\s+/g, ' ')))];
  // Rejected: Math.max over all rows at once, which fails beyond a hundred thousand of them.
  const widths = head.map((_, i) =>
    cells.reduce((most, row) => Math.max(most, [...(row[i] ?? '')].length), 0),
  );
  return cells
    .map((row) =>
      row
        .map((cell, i) =>
          i === row.length - 1 ? cell : cell + ' '.repeat((widths[i] ?? 0) - [...cell].length),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

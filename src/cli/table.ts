/** Columns as wide as their content. A cell has no line breaks, and the last column no padding. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => cell.replace(/\s+/g, ' ')))];
  const widths = head.map((_, i) => Math.max(...cells.map((row) => [...(row[i] ?? '')].length)));
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

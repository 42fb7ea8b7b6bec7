/** One line of a benchmark: what was measured, what stood beside it in the same run, and what is asked of it. */
export interface Figure {
  readonly bench: string;
  readonly what: string;
  readonly store: string;
  readonly value: number;
  readonly unit: string;
  readonly beside: { readonly name: string; readonly value: number } | null;
  /** Measured side by side: the median of what each round gave. */
  readonly ratio: number | null;
  readonly goal: Goal | null;
}

export interface Goal {
  readonly op: '>=' | '<=';
  readonly value: number;
}

export const atLeast = (value: number): Goal => ({ op: '>=', value });
export const atMost = (value: number): Goal => ({ op: '<=', value });

/** Null where nothing is asked. */
export function isMet({ ratio, goal }: Figure): boolean | null {
  if (goal === null || ratio === null) return null;
  return goal.op === '>=' ? ratio >= goal.value : ratio <= goal.value;
}

const HEADINGS = ['benchmark', 'what', 'store', 'figure', 'beside it', 'ratio', 'goal', ''] as const;

/** A Markdown table, so that a run can be pasted into a document as it is. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { bench, what, store, value, unit, beside, ratio, goal } = figure;
    const met = isMet(figure);
    return [
      bench,
      what,
      store,
      `${short(value)} ${unit}`,
      beside === null ? '' : `${beside.name}: ${short(beside.value)}`,
      ratio === null ? '' : `${short(ratio)}x`,
      goal === null ? '' : `${goal.op} ${goal.value}x`,
      met === null ? '' : met ? 'met' : 'MISSED',
    ];
  });
  const widths = HEADINGS.map((heading, i) =>
    Math.max(heading.length, 3, ...rows.map((row) => row[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((c, i) => c.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  return [line(HEADINGS), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Three digits that count: no run is good for more. */
export function short(value: number): string {
  if (value >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(value >= 10 ? 3 : 2)));
}

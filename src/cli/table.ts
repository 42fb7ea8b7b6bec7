import { mayColour, type Paint, painter } from './colours.ts';
import { fitted, type StyledText, textOf } from './proof/line.ts';

/** A cell, with a meaning where it has one. */
export type Cell = string | StyledText;

/** The look of a list: its colours, and the columns that a line may take. */
export interface TableStyle {
  readonly paint: Paint;
  readonly width: number;
}

const PLAIN: TableStyle = { paint: textOf, width: Number.POSITIVE_INFINITY };
const GAP = 2;
/** A narrower column says nothing. */
const NARROWEST = 6;

/**
 * The style of lists on this output. Lines are cut to the terminal's width; a pipe and `-o wide` get them whole, because
 * a program or a person wants all of it there.
 */
export function tableStyle(stream: Terminal, colour: boolean, isWhole: boolean): TableStyle {
  const isCut = stream.isTTY === true && !isWhole;
  return {
    paint: painter(mayColour(stream, colour)),
    // A terminal that does not know its size reports 0.
    width: isCut ? stream.columns || 80 : Number.POSITIVE_INFINITY,
  };
}

interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Columns as wide as their content, or as the line allows. A cell has no line breaks, and the last column no padding. */
export function table(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { paint, width }: TableStyle = PLAIN,
): string {
  const lines: StyledText[][] = [head.map((name) => [name, 'quiet']), ...rows.map((row) => row.map(cellOf))];
  // Rejected: Math.max over all rows at once, which fails beyond a hundred thousand of them.
  const widths = narrowed(
    head.map((_, i) => lines.reduce((most, row) => Math.max(most, columnsOf(row[i])), 0)),
    width,
  );
  return lines
    .map((row) =>
      paint(
        row.flatMap((cell, i) => {
          const room = widths[i] ?? 0;
          const shown = fitted([cell], room);
          return i === row.length - 1 ? shown : [...shown, [' '.repeat(room - columnsOf(shown[0]) + GAP)]];
        }),
      ).trimEnd(),
    )
    .join('\n');
}

function cellOf(cell: Cell): StyledText {
  const [text, tone = 'plain'] = typeof cell === 'string' ? [cell] : cell;
  return [text.replace(/\s+/g, ' '), tone];
}

const columnsOf = (cell: StyledText | undefined) => (cell === undefined ? 0 : [...cell[0]].length);

/** Takes from the widest columns first, until the line fits or nothing more can be taken. */
function narrowed(widths: readonly number[], room: number): readonly number[] {
  const narrow = [...widths];
  let over = narrow.reduce((sum, width) => sum + width, 0) + GAP * (narrow.length - 1) - room;
  while (over > 0) {
    const widest = Math.max(...narrow);
    if (widest <= NARROWEST) break;
    const next = Math.max(NARROWEST, ...narrow.filter((width) => width < widest));
    const at = narrow.indexOf(widest);
    const step = Math.max(1, Math.min(over, widest - next));
    narrow[at] = widest - step;
    over -= step;
  }
  return narrow;
}

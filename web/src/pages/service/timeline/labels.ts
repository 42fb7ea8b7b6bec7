/** Words that would like to stand somewhere. */
export interface Wish {
  readonly key: string;
  readonly text: string;
  /** Where they begin, and in which line. */
  readonly x: number;
  readonly row: string;
  readonly className: string;
}

/** Of the small fixed-width letters in which labels are set. */
export const LETTER_PX = 6.05;
const GAP_PX = 8;

/** As many as have room, the first wishes first; the others are told when one points at what they belong to. */
export function placed(wishes: readonly Wish[], widthPx: number): Wish[] {
  const taken = new Map<string, [from: number, to: number][]>();
  return wishes.filter(({ text, x, row }) => {
    const to = x + text.length * LETTER_PX;
    if (x < 0 || to > widthPx) return false;
    const others = taken.get(row) ?? [];
    if (others.some(([from, until]) => x < until + GAP_PX && to + GAP_PX > from)) return false;
    taken.set(row, [...others, [x, to]]);
    return true;
  });
}

/** Words that would like to stand somewhere. */
export interface Wish {
  readonly key: string;
  readonly text: string;
  /** Where they begin, and in which lines they may stand, the best first. */
  readonly x: number;
  readonly rows: readonly string[];
  readonly className: string;
}

/** Of the small fixed-width letters in which labels are set. */
export const LETTER_PX = 6.05;
const GAP_PX = 8;

export type Label = Wish & { readonly row: string };

/** As many as have room, the first wishes first; the others are told when one points at what they belong to. */
export function placed(wishes: readonly Wish[], widthPx: number): Label[] {
  const taken = new Map<string, [from: number, to: number][]>();
  return wishes.flatMap((wish) => {
    const to = wish.x + wish.text.length * LETTER_PX;
    if (wish.x < 0 || to > widthPx) return [];
    const isFree = (row: string) =>
      (taken.get(row) ?? []).every(([from, until]) => wish.x >= until + GAP_PX || to + GAP_PX <= from);
    const row = wish.rows.find(isFree);
    if (row === undefined) return [];
    taken.set(row, [...(taken.get(row) ?? []), [wish.x, to]]);
    return [{ ...wish, row }];
  });
}

/** Text that wants a place in the drawing. */
export interface WantedLabel {
  readonly key: string;
  readonly text: string;
  /** The beginning of the text, and the lines that it may stand in, the best first. */
  readonly x: number;
  readonly rows: readonly string[];
  readonly className: string;
}

/** Width of a letter in the labels' fixed-width font. */
export const LETTER_PX = 6.05;
const GAP_PX = 8;

export type Label = WantedLabel & { readonly row: string };

/**
 * Places as many labels as fit, first come first served; the others appear when somebody points at their
 * mark.
 */
export function placed(wishes: readonly WantedLabel[], widthPx: number): Label[] {
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

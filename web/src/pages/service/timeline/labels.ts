/** Text that wants a place in the drawing. */
export interface WantedLabel {
  readonly key: string;
  readonly text: string;
  /** The beginning of the text, and the lines that it may stand in, the best first. */
  readonly x: number;
  readonly rows: readonly string[];
  readonly className: string;
}

/** Width of a letter in the labels' font, on the generous side: labels must not touch. */
export const LETTER_PX = 6.4;
const GAP_PX = 8;
/** About the width of a mark. */
const MARK_PX = 8;

export type Label = WantedLabel & { readonly row: string };

/**
 * Places as many labels as fit, first come first served; the others appear when somebody points at their
 * mark.
 */
export function placed(wishes: readonly WantedLabel[], widthPx: number): Label[] {
  const taken = new Map<string, [from: number, to: number][]>();
  return wishes.flatMap((wish) => {
    const long = wish.text.length * LETTER_PX;
    // At the right edge a label ends at its mark instead of beginning there.
    const x = wish.x + long > widthPx ? wish.x + MARK_PX - long : wish.x;
    const to = x + long;
    if (x < 0 || to > widthPx + MARK_PX) return [];
    const isFree = (row: string) =>
      (taken.get(row) ?? []).every(([from, until]) => x >= until + GAP_PX || to + GAP_PX <= from);
    const row = wish.rows.find(isFree);
    if (row === undefined) return [];
    taken.set(row, [...(taken.get(row) ?? []), [x, to]]);
    return [{ ...wish, x, row }];
  });
}

import { recordName } from '../../../../../src/contract/presentation/record-name.ts';
import { labelOf } from '../../../../../src/contract/presentation/words.ts';
import { type Label, LETTER_PX, placed, type WantedLabel } from './labels.ts';
import type { TimelineLayout } from './layout.ts';
import type { Story } from './pieces.ts';
import { reasonWord } from './reason-word.ts';

/** Measures of the drawing, in pixels. */
export const STRIP_Y = 2;
export const STRIP_PX = 22;
/** The bar of what served, below the claim. */
export const SERVED_Y = 39;
export const SERVED_PX = 5;
export const LANES_Y = 54;
/** Room for the label below a lane and the one above the next. */
const LANE_PX = 58;
export const AXIS_PX = 28;
/** Closer to an edge the name of an instant would be cut. */
export const AXIS_ROOM_PX = 26;
export const GUTTER_PX = 92;

export const heightOf = (lanes: number) => LANES_Y + lanes * LANE_PX + AXIS_PX;
export const laneY = (lane: number) => LANES_Y + lane * LANE_PX + LANE_PX / 2;
/** The lane at a height, or a number outside the lanes. */
export const laneAt = (y: number) => Math.floor((y - LANES_Y) / LANE_PX);

/** Labels: rejections and leases above a lane, evidence below it. */
export function labelsOf(layout: TimelineLayout, { pieces }: Story, widthPx: number): Label[] {
  const wishes: WantedLabel[] = [];
  const marks = layout.marks.map((mark) => ({ mark, piece: pieces[mark.pieces[0] ?? 0] }));
  for (const { mark, piece } of marks) {
    if (!mark.isRejected || piece === undefined) continue;
    const { kind, reason } = piece.evidence;
    const reasons = new Set(mark.pieces.map((i) => reasonWord(pieces[i]?.evidence.reason ?? null)));
    const text =
      mark.pieces.length > 1
        ? `${mark.pieces.length} refused: ${[...reasons].join(', ')}`
        : `${kind} refused: ${reasonWord(reason)}`;
    wishes.push({
      key: `r${mark.pieces[0]}`,
      text,
      x: mark.x0 - 4,
      rows: [`${mark.lane}^`, `${mark.lane}_`],
      className: 'rejected',
    });
  }
  for (const bar of layout.bars) {
    const [lease] = bar.leases;
    if (lease === undefined) continue;
    const { holder, fence, end, lease: id } = lease.lease;
    const ending = end === null || end === 'completed' ? '' : `, ${end}`;
    const text =
      bar.leases.length > 1 ? `${bar.leases.length} leases` : `${holder.worker}, fence ${fence}${ending}`;
    wishes.push({
      key: `l${id}`,
      text,
      x: Math.max(2, bar.x0),
      rows: [`${bar.lane}^`, `${bar.lane}_`],
      className: 'lease',
    });
  }
  const single = marks.filter(({ mark }) => !mark.isRejected);
  // Evidence that changed the claim is named before other evidence.
  for (const isProof of [true, false])
    for (const { mark, piece } of single) {
      if (piece === undefined || mark.proves !== isProof) continue;
      const text = mark.pieces.length > 1 ? `${mark.pieces.length} pieces` : recordName(piece.evidence);
      wishes.push({
        key: `m${mark.pieces[0]}`,
        text,
        x: mark.x0 - 4,
        rows: [`${mark.lane}_`],
        className: 'said',
      });
    }
  return placed(wishes, widthPx);
}

/** The name of a state on the strip, if there is room. */
export function segmentLabel(
  state: Parameters<typeof labelOf>[0] | null,
  changes: number,
  px: number,
): string | null {
  const text = state === null ? `${changes} changes` : labelOf(state);
  return text.length * LETTER_PX + 8 <= px ? text : null;
}

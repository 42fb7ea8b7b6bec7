import type { EvidencePiece, Story } from './pieces.ts';
import type { TimeRange } from './time-range.ts';

/** The ways to look at less than all records, in the order in which they are offered. */
export const EVIDENCE_FILTERS = ['all', 'changed', 'cited', 'refused'] as const;
export type EvidenceFilter = (typeof EVIDENCE_FILTERS)[number];

const isShownBy = (
  { isRejected, proved, evidence }: EvidencePiece,
  filter: EvidenceFilter,
  cited: ReadonlySet<string>,
): boolean => {
  switch (filter) {
    case 'all':
      return true;
    case 'changed':
      return proved.length > 0;
    // A refused record may come under the id of one that is cited.
    case 'cited':
      return !isRejected && cited.has(evidence.id);
    case 'refused':
      return isRejected;
  }
};

/** The same story with fewer marks. Indexes into its pieces stay what they are. */
export function filteredStory(story: Story, filter: EvidenceFilter, cited: ReadonlySet<string>): Story {
  if (filter === 'all') return story;
  const isKept = (i: number) => {
    const piece = story.pieces[i];
    return piece !== undefined && isShownBy(piece, filter, cited);
  };
  return {
    ...story,
    lanes: story.lanes.map(({ role, admitted, rejected }) => ({
      role,
      admitted: admitted.filter(isKept),
      rejected: rejected.filter(isKept),
    })),
  };
}

interface RecordsInSight {
  /** Indexes of the records to list, newest first. */
  readonly rows: readonly number[];
  readonly counts: Readonly<Record<EvidenceFilter, number>>;
}

/** The records within a range and not after `at`, of which there may be thousands: one walk for list and counts. */
export function recordsInSight(
  { pieces }: Story,
  { from, to }: TimeRange,
  at: number | null,
  filter: EvidenceFilter,
  cited: ReadonlySet<string>,
): RecordsInSight {
  const until = at === null ? to : Math.min(at, to);
  const counts = { all: 0, changed: 0, cited: 0, refused: 0 };
  const rows: number[] = [];
  for (let i = pieces.length - 1; i >= 0; i -= 1) {
    const piece = pieces[i];
    if (piece === undefined || piece.ms > until) continue;
    if (piece.ms < from) break;
    for (const one of EVIDENCE_FILTERS) if (isShownBy(piece, one, cited)) counts[one] += 1;
    if (isShownBy(piece, filter, cited)) rows.push(i);
  }
  return { rows, counts };
}

/** The next record of the filter in time, in any lane and beyond the range; the same one where there is none. */
export function nextRecord(
  { pieces }: Story,
  index: number,
  by: 1 | -1,
  filter: EvidenceFilter,
  cited: ReadonlySet<string>,
): number {
  for (let i = index + by; i >= 0 && i < pieces.length; i += by) {
    const piece = pieces[i];
    if (piece !== undefined && isShownBy(piece, filter, cited)) return i;
  }
  return index;
}

import type { EvidencePiece, Story } from './pieces.ts';
import type { TimeRange } from './time-range.ts';

/** The ways to look at less than all records, in the order in which they are offered. */
export const EVIDENCE_FILTERS = ['all', 'changed', 'cited', 'refused'] as const;
export type EvidenceFilter = (typeof EVIDENCE_FILTERS)[number];

/** The records that somebody chose to look at. */
interface EvidenceChoice {
  readonly filter: EvidenceFilter;
  /** Records of this kind alone; null: of every kind. */
  readonly kind: string | null;
}

const isOfKind = ({ evidence }: EvidencePiece, kind: string | null) =>
  kind === null || evidence.kind === kind;

const isChosen = (
  piece: EvidencePiece,
  { filter, kind }: EvidenceChoice,
  cited: ReadonlySet<string>,
): boolean => isOfKind(piece, kind) && isShownBy(piece, filter, cited);

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
export function filteredStory(story: Story, choice: EvidenceChoice, cited: ReadonlySet<string>): Story {
  if (choice.filter === 'all' && choice.kind === null) return story;
  const isKept = (i: number) => {
    const piece = story.pieces[i];
    return piece !== undefined && isChosen(piece, choice, cited);
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
  /** Of the chosen kind. */
  readonly counts: Readonly<Record<EvidenceFilter, number>>;
  /** The records of each kind that the filter shows, by name of the kind; the chosen one is among them. */
  readonly kinds: readonly (readonly [kind: string, count: number])[];
}

/** The records within a range and not after `at`, of which there may be thousands: one walk for list and counts. */
export function recordsInSight(
  { pieces }: Story,
  { from, to }: TimeRange,
  at: number | null,
  choice: EvidenceChoice,
  cited: ReadonlySet<string>,
): RecordsInSight {
  const { filter, kind } = choice;
  const until = at === null ? to : Math.min(at, to);
  const counts = { all: 0, changed: 0, cited: 0, refused: 0 };
  const kinds = new Map(kind === null ? [] : [[kind, 0]]);
  const rows: number[] = [];
  for (let i = pieces.length - 1; i >= 0; i -= 1) {
    const piece = pieces[i];
    if (piece === undefined || piece.ms > until) continue;
    if (piece.ms < from) break;
    const isShown = isShownBy(piece, filter, cited);
    if (isShown) kinds.set(piece.evidence.kind, (kinds.get(piece.evidence.kind) ?? 0) + 1);
    if (!isOfKind(piece, kind)) continue;
    for (const one of EVIDENCE_FILTERS) if (isShownBy(piece, one, cited)) counts[one] += 1;
    if (isShown) rows.push(i);
  }
  return { rows, counts, kinds: [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)) };
}

/** The next of the chosen records in time, in any lane and beyond the range; the same one where there is none. */
export function nextRecord(
  { pieces }: Story,
  index: number,
  by: 1 | -1,
  choice: EvidenceChoice,
  cited: ReadonlySet<string>,
): number {
  for (let i = index + by; i >= 0 && i < pieces.length; i += by) {
    const piece = pieces[i];
    if (piece !== undefined && isChosen(piece, choice, cited)) return i;
  }
  return index;
}

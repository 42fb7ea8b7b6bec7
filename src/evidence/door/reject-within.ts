import type { Digits } from '../../contract/digits.ts';
import type { Rejection } from '../../contract/vocabulary.ts';
import { readable } from '../../store/broken-row.ts';
import { sourceKey } from '../../store/schema.ts';
import type { Door } from './door.ts';
import type { RejectedDraft } from './draft.ts';

/** Limits how many rejections of one source and reason become rows; the others are counted (F125). */
interface RejectionQuota {
  readonly rows: number;
  /** The time for which the rows count; null: for ever. */
  readonly windowMs: number | null;
}

/** One row stands for all: it says who does what wrongly, and the counter says how often. */
export const ONE_ROW: RejectionQuota = { rows: 1, windowMs: null };

/**
 * More than a component that lost its lease has left to submit. A component that submits without end fills the
 * ledger with no more than this.
 */
export const COMPONENT_QUOTA: RejectionQuota = { rows: 1_000, windowMs: 600_000 };

/** A rejection on record: by a row of its own, or by the row that stands for it. */
interface RecordedRejection {
  readonly position: Digits;
  readonly isOwnRow: boolean;
}

/**
 * Keeps rejected evidence with its reason while the quota of its source and reason lasts, and counts it in any
 * case. `count` is how many rejections the draft stands for.
 */
export async function rejectWithin(
  door: Door,
  draft: RejectedDraft,
  reason: Rejection,
  { rows, windowMs }: RejectionQuota,
  count = 1,
): Promise<RecordedRejection> {
  const { org, tx, at } = door;
  const key = { org, source: sourceKey(draft.source), reason };
  const counter = await tx.get('counters', key);
  const before = readable(counter);
  const total = (before.count ?? 0) + count;
  const since = before.since ?? null;
  const isOpen = since !== null && (windowMs === null || at - since < windowMs);
  const kept = isOpen ? (before.kept ?? 0) : 0;
  const position = before.position ?? null;
  // mutant: rejection-quota
  if (kept >= rows && position !== null) {
    await tx.update('counters', key, {}, { count: total });
    return { position, isOwnRow: false };
  }
  const own = await door.reject(draft, reason);
  const after = { count: total, since: isOpen ? since : at, kept: kept + 1, position: own };
  if (counter === undefined) await tx.insert('counters', { ...key, ...after });
  else await tx.update('counters', key, {}, after);
  return { position: own, isOwnRow: true };
}

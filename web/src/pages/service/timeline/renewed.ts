import type { EvidenceView } from '../../../../../src/contract/answers/views.ts';
import { observedOf } from '../../../../../src/contract/presentation/record-name.ts';
import { newestRecord } from '../newest-record.ts';

/**
 * The instant of a later report that said that nothing changed since this record, which a claim rests on: the age of the
 * claim is the age of that report, and not of the record that an age leads to. Null where the record is as old as the claim,
 * is no report, or is not the newest that the claim cites. Pure.
 */
export function renewedBy(
  evidence: EvidenceView,
  cited: readonly string[],
  reportedAt: number,
): number | null {
  if (evidence.kind !== 'runtime.observed' || evidence.id !== `e${newestRecord(cited)}`) return null;
  const { at } = observedOf(evidence);
  return at !== null && reportedAt > Date.parse(at) ? reportedAt : null;
}

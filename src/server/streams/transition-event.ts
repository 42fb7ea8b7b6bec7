import type { Claim } from '../../contract/claim.ts';
import { rfc3339 } from '../../projection/instant.ts';
import type { TransitionRow } from '../../store/schema.ts';

/** A recorded change as lists show it. */
export function transitionItem(row: TransitionRow) {
  const { position, at, from, to, owner, evidence, revision, attempt } = row;
  return { position, at: rfc3339(at), from, to, owner, evidence, revision, attempt };
}

/** The same on a stream, with the claim after it. */
export function transitionEvent(row: TransitionRow, claim: Claim | null) {
  return { service: row.service, ...transitionItem(row), claim };
}

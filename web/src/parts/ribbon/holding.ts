import type { RibbonView, ServiceItem } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';

/** A state that was interrupted by silences alone. */
export interface HeldState {
  readonly since: number;
  readonly unknownMs: number;
}

/** The same as the list was read with it, as long as the state is the one of then. */
export function heldWhenRead(
  { claim: read, holding }: Pick<ServiceItem, 'claim' | 'holding'>,
  { state, since }: Pick<Claim, 'state' | 'since'>,
): HeldState | null {
  // A server of the version before does not send it.
  if (holding == null || read.state !== state || read.since !== since) return null;
  return { since: Date.parse(holding.since), unknownMs: holding.unknownMs };
}

/**
 * For how long a claim's state is known to hold, where silences that are over interrupted it; null where none did, or the
 * ribbon was read before the claim's state began. Pure.
 */
export function heldState(
  ribbon: Pick<RibbonView, 'to' | 'stretches' | 'holding'> | undefined,
  { state, since }: Pick<Claim, 'state' | 'since'>,
): HeldState | null {
  const begin = Date.parse(since);
  if (ribbon?.holding == null || ribbon.stretches.at(-1)?.state !== state) return null;
  if (Date.parse(ribbon.to) < begin) return null;
  const first = Date.parse(ribbon.holding.since);
  return first < begin ? { since: first, unknownMs: ribbon.holding.unknownMs } : null;
}

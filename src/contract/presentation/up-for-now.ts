import type { Claim } from '../claim.ts';

/**
 * The wanted revision answers, and has failed because it exits again and again: it answers between two exits. It counts as
 * served nowhere, or every count that holds it would change with each exit. What serves beside it does serve.
 */
export const isUpForNow = ({
  state,
  serving,
  desired,
  cause,
}: Pick<Claim, 'state' | 'serving' | 'desired' | 'cause'>): boolean =>
  state === 'failed' && serving?.revision === desired.revision && Number(cause?.params.exits ?? 0) > 0;

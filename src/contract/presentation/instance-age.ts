import type { InstanceView } from '../answers/views.ts';

/**
 * The row is what was last known: it is too old to say what its instance does now (S2). `renewedUntil` is the end of
 * freshness of the target by a later report, where one was heard.
 */
export function isLastKnown(
  { validUntil }: Pick<InstanceView, 'validUntil'>,
  serverNow: number,
  renewedUntil = 0,
): boolean {
  return validUntil === null || serverNow > Math.max(Date.parse(validUntil), renewedUntil);
}

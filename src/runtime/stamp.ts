import { compareDigits, type Digits } from '../contract/digits.ts';
import type { Stamp } from '../contract/intent.ts';

/** The stamp of an order, written on everything that the order starts. On an instance the fence is provenance. */
export interface FencedStamp extends Stamp {
  readonly fence: Digits;
}

/** Fences of different commands do not compare, so revision and attempt come first (docs/glossary.md: fence). */
export function compareStamps(a: FencedStamp, b: FencedStamp): number {
  return a.revision - b.revision || a.attempt - b.attempt || compareDigits(a.fence, b.fence);
}

export function sameAttempt(a: Stamp, b: Stamp): boolean {
  return a.revision === b.revision && a.attempt === b.attempt;
}

export const stampText = ({ revision, attempt }: Stamp) => `revision ${revision}, attempt ${attempt}`;

import type { Digits } from '../contract/digits.ts';
import type { Stored } from '../store/broken-row.ts';

/** One position of an org's story. Evidence, transitions and alarms share the count: each position is in one of them. */
export type LedgerEntry =
  | { readonly kind: 'evidence'; readonly position: Digits; readonly row: Stored<'ledger'> }
  | { readonly kind: 'transition'; readonly position: Digits; readonly row: Stored<'transitions'> }
  | { readonly kind: 'alarm'; readonly position: Digits; readonly row: Stored<'alarms'> };

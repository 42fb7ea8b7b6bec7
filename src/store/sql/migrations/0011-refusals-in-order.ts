import type { Migration } from './types.ts';

/** Rejected evidence of an org in ledger order, including evidence that names no existing service. */
export const refusalsInOrder: Migration = {
  name: '0011-refusals-in-order',
  statements: () => ['CREATE INDEX ledger_refusals ON ledger (org, position) WHERE reason IS NOT NULL'],
};

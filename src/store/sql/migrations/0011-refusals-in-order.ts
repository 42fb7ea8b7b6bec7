import type { Migration } from './types.ts';

/** What was refused in an org, in ledger order: also what names no service that there is. */
export const refusalsInOrder: Migration = {
  name: '0011-refusals-in-order',
  statements: () => ['CREATE INDEX ledger_refusals ON ledger (org, position) WHERE reason IS NOT NULL'],
};

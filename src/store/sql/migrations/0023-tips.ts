import type { Migration } from './types.ts';

/**
 * A random token of each ledger's newest commit: who remembers what the ledger held finds by it whether that still holds.
 * Heads that were written before have none, until their next commit.
 */
export const tips: Migration = {
  name: '0023-tips',
  statements: ({ text }) => [`ALTER TABLE heads ADD COLUMN tip ${text} NOT NULL DEFAULT ''`],
};

import type { Migration } from './types.ts';

/**
 * The lives of the store, and the jump of each org's ledger over positions that a restore or failover may
 * have lost.
 */
export const incarnation: Migration = {
  name: '0003-incarnation',
  statements: ({ text, int, digits, byKey }) => [
    `ALTER TABLE heads ADD COLUMN floor ${int} NOT NULL DEFAULT 0`,
    `CREATE TABLE incarnations (
      ordinal ${int} NOT NULL, id ${text} NOT NULL, at ${int} NOT NULL, why ${text} NOT NULL,
      system ${text}, timeline ${text},
      PRIMARY KEY (ordinal)
    ) ${byKey}`,
    `CREATE TABLE recoveries (
      org ${text} NOT NULL, at ${int} NOT NULL, "from" ${digits} NOT NULL, "to" ${digits} NOT NULL,
      evidence ${text} NOT NULL,
      PRIMARY KEY (org, "to")
    ) ${byKey}`,
  ],
};

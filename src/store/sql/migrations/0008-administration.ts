import type { Migration } from './types.ts';

/** Targets that were declared, results of requests that are no revision, and the skew of an agent's clock. */
export const administration: Migration = {
  name: '0008-administration',
  statements: ({ text, int, json, byKey }) => [
    `CREATE TABLE targets (
      org ${text} NOT NULL, target ${text} NOT NULL, runtime ${text}, created_at ${int} NOT NULL,
      removed_at ${int},
      PRIMARY KEY (org, target)
    ) ${byKey}`,
    `ALTER TABLE agents ADD COLUMN skew_ms ${int}`,
    `ALTER TABLE keys ADD COLUMN made ${json}`,
  ],
};

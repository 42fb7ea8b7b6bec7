import type { Migration } from './types.ts';

/** The instant from which an org's past is kept, and the index that finds expired keys. */
export const retention: Migration = {
  name: '0005-retention',
  statements: ({ text, int, digits, byKey }) => [
    `CREATE TABLE retention (
      org ${text} NOT NULL, kept_from ${int} NOT NULL, position ${digits} NOT NULL, ids_to ${digits} NOT NULL,
      PRIMARY KEY (org)
    ) ${byKey}`,
    `CREATE INDEX keys_by_age ON keys (org, created_at)`,
  ],
};

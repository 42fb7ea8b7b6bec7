import type { Migration } from './types.ts';

/** The request that created a revision, and links that sign a browser in at any server. */
export const requests: Migration = {
  name: '0009-requests',
  statements: ({ text, int, byKey }) => [
    `ALTER TABLE revisions ADD COLUMN correlation ${text}`,
    `CREATE TABLE links (
      hash ${text} NOT NULL, org ${text} NOT NULL, token ${text} NOT NULL, expires_at ${int} NOT NULL,
      used_at ${int},
      PRIMARY KEY (hash)
    ) ${byKey}`,
    `CREATE INDEX links_by_expiry ON links (expires_at)`,
  ],
};

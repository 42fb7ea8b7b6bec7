import type { Migration } from './types.ts';

/** Tokens. Only the hash of a token is stored, and the token is found by it. */
export const tokens: Migration = {
  name: '0004-tokens',
  statements: ({ text, int, byKey }) => [
    `CREATE TABLE tokens (
      org ${text} NOT NULL, id ${text} NOT NULL, hash ${text} NOT NULL, name ${text} NOT NULL,
      role ${text} NOT NULL, target ${text} NOT NULL, service ${text} NOT NULL, created_at ${int} NOT NULL,
      expires_at ${int}, revoked_at ${int}, last_used_at ${int},
      PRIMARY KEY (org, id)
    ) ${byKey}`,
    `CREATE UNIQUE INDEX tokens_by_hash ON tokens (hash)`,
  ],
};

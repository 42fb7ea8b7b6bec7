import type { Migration } from './types.ts';

/** Receivers outside of the platform, and what is sent to each. */
export const webhooks: Migration = {
  name: '0024-webhooks',
  statements: ({ text, int, digits, json, byKey }) => [
    `CREATE TABLE webhooks (
      org ${text} NOT NULL, id ${text} NOT NULL, url ${text} NOT NULL, events ${json} NOT NULL,
      filter ${json} NOT NULL, format ${text} NOT NULL, grace_ms ${int} NOT NULL,
      secret ${text} NOT NULL, former_secret ${text}, former_until ${int},
      created_at ${int} NOT NULL, created_by ${text} NOT NULL, ended_at ${int}, ended_because ${text},
      position ${digits} NOT NULL, issued ${int} NOT NULL, incidents ${json} NOT NULL,
      holder ${text} NOT NULL, held_until ${int} NOT NULL,
      PRIMARY KEY (org, id)
    ) ${byKey}`,
    `CREATE TABLE deliveries (
      org ${text} NOT NULL, webhook ${text} NOT NULL, nth ${int} NOT NULL, subject ${text} NOT NULL,
      told ${json} NOT NULL, state ${text} NOT NULL, tries ${int} NOT NULL, next_at ${int},
      created_at ${int} NOT NULL, last_at ${int}, last_status ${int}, problem ${text},
      PRIMARY KEY (org, webhook, nth)
    ) ${byKey}`,
    `CREATE INDEX deliveries_due ON deliveries (org, webhook, next_at) WHERE next_at IS NOT NULL`,
    `CREATE INDEX deliveries_by_state ON deliveries (org, webhook, state, subject, nth)`,
    `CREATE INDEX deliveries_by_age ON deliveries (created_at)`,
  ],
};

import type { Migration } from './types.ts';

/**
 * The scope that a service was found in: a report of one namespace need not open the services of all others. Services
 * that are on record already begin with `*`, any scope, until their row is written anew.
 */
export const scopeOfService: Migration = {
  name: '0018-scope-of-service',
  statements: ({ text }) => [
    `ALTER TABLE services ADD COLUMN scope ${text} NOT NULL DEFAULT '*'`,
    `CREATE INDEX services_by_scope ON services (org, target, scope, service)`,
  ],
};

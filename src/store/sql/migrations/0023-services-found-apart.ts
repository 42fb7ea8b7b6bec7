import type { Migration } from './types.ts';

/**
 * On PostgreSQL a write that changes no indexed column leaves all indexes of its table alone, if its page has room. The
 * columns of a service that change with its claim and find it are indexed in a narrow table beside it
 * (src/store/sql/found-apart.ts), and its own row, which carries the facts, is only ever written in place. SQLite
 * writes the indexes whose columns change, and no others: there they stay where they are.
 */
export const servicesFoundApart: Migration = {
  name: '0023-services-found-apart',
  statements: ({ text, int, bool, filled, onPostgres }) =>
    onPostgres([
      `CREATE TABLE service_index (
        org ${text} NOT NULL, service ${text} NOT NULL, target ${text} NOT NULL, scope ${text} NOT NULL,
        state ${text} NOT NULL, due ${int}, awaits_report ${bool} NOT NULL,
        PRIMARY KEY (org, service)
      )`,
      `INSERT INTO service_index (org, service, target, scope, state, due, awaits_report)
        SELECT org, service, target, scope, state, due, awaits_report FROM services`,
      `DROP INDEX services_by_state`,
      `DROP INDEX services_awaiting`,
      `DROP INDEX services_due`,
      `CREATE INDEX service_index_by_state ON service_index (org, state, service)`,
      `CREATE INDEX service_index_awaiting ON service_index (org, target, service) WHERE awaits_report = true`,
      `CREATE INDEX service_index_due ON service_index (org, due) WHERE due IS NOT NULL`,
      // Room for a second version of every row of a page: thousands that fall silent are written at once.
      ...filled('services', 45),
      ...filled('service_index', 70),
      // Writes the table anew, so that rows from before have that room too.
      `CLUSTER services USING services_pkey`,
    ]),
};

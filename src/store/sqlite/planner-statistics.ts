import type { SqliteConnection } from './connection.ts';

/** The table size that the planner assumes for every table: a large installation, most of it in one org. */
const ROWS = 1_000_000;
const OF_ONE_ORG = 500_000;
const OF_A_PREFIX = 200;

/**
 * Writes fixed statistics for the query planner. Without any, SQLite takes the first column of a key to be as
 * selective as the rest, and walks through a whole org where an index names the target. Rejected: ANALYZE
 * alone, which learns from the rows of the day it runs, so that a plan for an empty database would stay.
 * These statistics are the same on every machine, and are written whenever the schema changes.
 */
export function writeStatistics(db: SqliteConnection): void {
  db.exec('ANALYZE');
  db.exec('DELETE FROM sqlite_stat1');
  const indexes = db.all(
    `SELECT t.name, i.name, i.origin, i."unique", (SELECT count(*) FROM pragma_index_info(i.name))
     FROM sqlite_schema t, pragma_index_list(t.name) i WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
  );
  for (const [table, index, origin, unique, columns] of indexes) {
    const rows = [ROWS];
    for (let n = 1; n <= Number(columns); n++) {
      if (n === Number(columns) && unique === 1) rows.push(1);
      else rows.push(n === 1 ? OF_ONE_ORG : Math.max(2, Math.round(OF_A_PREFIX / 4 ** (n - 2))));
    }
    // In a table without row ids, the primary key goes by the table's own name.
    const name = origin === 'pk' ? table : index;
    db.exec(`INSERT INTO sqlite_stat1 VALUES ('${table}', '${name}', '${rows.join(' ')}')`);
  }
  db.exec('ANALYZE sqlite_schema');
}

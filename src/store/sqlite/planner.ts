import type { Connection } from './connection.ts';

/** What the planner is told of every table: a large installation, most of it of one org. */
const ROWS = 1_000_000;
const OF_ONE_ORG = 500_000;
const OF_A_PREFIX = 200;

/**
 * SQLite plans by statistics, and without any it takes the first column of a key to be as selective as the rest:
 * it then walks through a whole org where an index names the target. ANALYZE would learn from whatever is there
 * on the day it runs, and a plan that was good on an empty database would stay; so the statistics are ours, the
 * same on every machine, written whenever the schema changes.
 */
export function tellPlanner(db: Connection): void {
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
    // The key of a table without row ids goes by the table's own name.
    const name = origin === 'pk' ? table : index;
    db.exec(`INSERT INTO sqlite_stat1 VALUES ('${table}', '${name}', '${rows.join(' ')}')`);
  }
  db.exec('ANALYZE sqlite_schema');
}

import type { Migration, Types } from './migrations/types.ts';

/** Tables with their columns, and indexes with the statement that makes each. */
export interface Made {
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  readonly indexes: ReadonlyMap<string, string>;
}

/** What migrations leave behind, by the text of their statements: nobody keeps a second list of it. */
export function madeBy(migrations: readonly Migration[], types: Types): Made {
  const columns = new Map<string, Set<string>>();
  const indexes = new Map<string, string>();
  const add = (table: string, names: readonly string[]) =>
    columns.set(table, new Set([...(columns.get(table) ?? []), ...names]));
  for (const statement of migrations.flatMap((migration) => migration.statements(types))) {
    const [, table, body] = /^CREATE TABLE (\w+) \((.*)\)/s.exec(statement) ?? [];
    if (table !== undefined) add(table, columnsIn(body ?? ''));
    const [, grown, column] = /^ALTER TABLE (\w+) ADD COLUMN (\w+)/.exec(statement) ?? [];
    if (grown !== undefined && column !== undefined) add(grown, [column]);
    const [, index] = /^CREATE (?:UNIQUE )?INDEX (\w+)/.exec(statement) ?? [];
    if (index !== undefined) indexes.set(index, statement);
    const [, dropped] = /^DROP INDEX (\w+)/.exec(statement) ?? [];
    if (dropped !== undefined) indexes.delete(dropped);
  }
  return { columns, indexes };
}

function columnsIn(body: string): string[] {
  const definitions = body.replace(/PRIMARY KEY \([^)]*\)/, '').split(',');
  return definitions.flatMap((definition) => /^\s*"?(\w+)"? /.exec(definition)?.[1] ?? []);
}

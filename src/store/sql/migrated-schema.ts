import type { Migration, Types } from './migrations/types.ts';

/**
 * The schema that migrations create: tables with their columns and types, their keys, and indexes with the
 * statement that creates each.
 */
export interface MigratedSchema {
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly keys: ReadonlyMap<string, string>;
  readonly indexes: ReadonlyMap<string, string>;
}

/** Derives the schema from the text of the migrations' statements, so that no second list is needed. */
export function schemaOf(migrations: readonly Migration[], types: Types): MigratedSchema {
  const columns = new Map<string, Map<string, string>>();
  const keys = new Map<string, string>();
  const indexes = new Map<string, string>();
  const add = (table: string, definitions: readonly string[]) =>
    columns.set(table, new Map([...(columns.get(table) ?? []), ...definitions.flatMap(columnIn)]));
  for (const statement of migrations.flatMap((migration) => migration.statements(types))) {
    const [, table, body = ''] = /^CREATE TABLE (\w+) \((.*)\)/s.exec(statement) ?? [];
    if (table !== undefined) {
      add(table, body.replace(KEY, '').split(','));
      const [, key] = KEY.exec(body) ?? [];
      if (key !== undefined) keys.set(table, key.replaceAll('"', ''));
    }
    const [, grown, column] = /^ALTER TABLE (\w+) ADD COLUMN (.*)/.exec(statement) ?? [];
    if (grown !== undefined && column !== undefined) add(grown, [column]);
    const [, index] = /^CREATE (?:UNIQUE )?INDEX (\w+)/.exec(statement) ?? [];
    if (index !== undefined) indexes.set(index, statement);
    const [, dropped] = /^DROP INDEX (\w+)/.exec(statement) ?? [];
    if (dropped !== undefined) indexes.delete(dropped);
  }
  return { columns, keys, indexes };
}

const KEY = /PRIMARY KEY \(([^)]*)\)/;

function columnIn(definition: string): [string, string][] {
  const [, name, type] = /^\s*"?(\w+)"? (.+?)(?: NOT NULL.*)?\s*$/.exec(definition) ?? [];
  return name === undefined || type === undefined ? [] : [[name, type]];
}

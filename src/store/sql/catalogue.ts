import type { DatabaseSession } from './dialect.ts';
import type { MigratedSchema } from './migrated-schema.ts';
import type { Types } from './migrations/types.ts';
import { SchemaRefused } from './schema-refused.ts';

/** The schema that the database has, as it reports it. */
interface Catalogue {
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, CatalogueColumn>>;
  /** The key of each table, as a migration writes it. */
  readonly keys: ReadonlyMap<string, string>;
  readonly indexes: ReadonlySet<string>;
  /** Tables that a crash would empty. */
  readonly unlogged: ReadonlySet<string>;
  /** The rule of each table that replaces our writes by something else. */
  readonly rules: ReadonlyMap<string, string>;
}

interface CatalogueColumn {
  readonly type: string;
  /** A row without a value for this column is refused. */
  readonly required: boolean;
}

export async function readCatalogue(session: DatabaseSession, { catalogue }: Types): Promise<Catalogue> {
  const columns = new Map<string, Map<string, CatalogueColumn>>();
  for (const [table, column, type, required] of await session.rows(catalogue.columns, [])) {
    const columnsOfTable = columns.get(String(table)) ?? new Map<string, CatalogueColumn>();
    const of = { type: String(type), required: Boolean(required) };
    columns.set(String(table), columnsOfTable.set(String(column), of));
  }
  const keys = new Map<string, string>();
  for (const [name, column] of await session.rows(catalogue.keys, [])) {
    const table = String(name);
    keys.set(table, keys.has(table) ? `${keys.get(table)}, ${column}` : String(column));
  }
  const names = async (sql: string) => new Set((await session.rows(sql, [])).map(([name]) => String(name)));
  const rules = (await session.rows(catalogue.rules, [])).map(
    ([t, rule]) => [String(t), String(rule)] as const,
  );
  return {
    columns,
    keys,
    indexes: await names(catalogue.indexes),
    unlogged: await names(catalogue.unlogged),
    rules: new Map(rules),
  };
}

/**
 * Refuses if something that a migration is about to create exists already: then the record of that migration
 * was removed, and it would fail half-way.
 */
export function refuseAlreadyCreated(found: Catalogue, migration: string, schema: MigratedSchema): void {
  for (const [table, columns] of schema.columns)
    for (const column of columns.keys())
      if (found.columns.get(table)?.has(column)) throw unrecorded(migration, `the column ${table}.${column}`);
  for (const index of schema.indexes.keys())
    if (found.indexes.has(index)) throw unrecorded(migration, `the index ${index}`);
}

/**
 * Refuses a schema that lacks or has changed something that the migrations created. Additions are allowed as
 * long as our rows still go in: tables, indexes, and columns of our tables that need no value. The message
 * names all that is wrong at once.
 */
export function refuseEdited(found: Catalogue, schema: MigratedSchema): void {
  const what: string[] = [];
  const then = new Set<string>();
  const find = (finding: string, remedy: string) => {
    what.push(finding);
    then.add(remedy);
  };
  for (const [table, columns] of schema.columns) {
    const there = found.columns.get(table);
    if (there === undefined) {
      find(`lacks the table ${table}`, RESTORE);
      continue;
    }
    for (const [column, type] of columns) {
      const is = there.get(column)?.type;
      if (is === undefined) find(`lacks the column ${table}.${column}`, RESTORE);
      else if (is !== type) find(`has ${is} in the column ${table}.${column}, which is ${type}`, RESTORE);
    }
    const [key, is] = [schema.keys.get(table), found.keys.get(table)];
    if (key !== is) find(`has the key (${is ?? ''}) in the table ${table}, which is (${key ?? ''})`, RESTORE);
    if (found.unlogged.has(table))
      find(`has a table ${table} that a crash would empty`, `Run: ALTER TABLE ${table} SET LOGGED;`);
    const rule = found.rules.get(table);
    if (rule !== undefined)
      find(`does something else where ${table} is written`, `Drop the rule ${rule} of ${table}.`);
    for (const [column, { required }] of there)
      if (required && !columns.has(column))
        find(
          `has a column ${table}.${column} that is not ours and that every row must fill`,
          `Drop ${table}.${column}, or let it be empty.`,
        );
  }
  for (const [index, statement] of schema.indexes)
    if (!found.indexes.has(index)) find(`lacks the index ${index}`, `Make it again: ${statement};`);
  if (what.length > 0) throw edited(`The database ${what.join(', ')}`, [...then].join(' '));
}

const RESTORE = 'Restore a backup that Evident made, and then run `evident recovered`.';

const edited = (what: string, then: string) =>
  new SchemaRefused(`${what}: somebody has edited its schema. Nothing was changed. ${then}`);

const unrecorded = (migration: string, what: string) =>
  edited(`The database has ${what}, but no record of ${migration}, which makes it`, RESTORE);

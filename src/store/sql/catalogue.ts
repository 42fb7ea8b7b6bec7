import type { Session } from './dialect.ts';
import type { Made } from './made.ts';
import type { Types } from './migrations/types.ts';
import { SchemaRefused } from './schema-refused.ts';

/** What the database says that it has. */
export interface Catalogue {
  /** Of each table its columns, and whether a row that does not name the column is refused. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, boolean>>;
  readonly indexes: ReadonlySet<string>;
}

export async function readCatalogue(session: Session, { catalogue }: Types): Promise<Catalogue> {
  const columns = new Map<string, Map<string, boolean>>();
  for (const [table, column, mustBeGiven] of await session.rows(catalogue.columns, [])) {
    const known = columns.get(String(table)) ?? new Map<string, boolean>();
    columns.set(String(table), known.set(String(column), Boolean(mustBeGiven)));
  }
  const indexes = (await session.rows(catalogue.indexes, [])).map(([name]) => String(name));
  return { columns, indexes: new Set(indexes) };
}

/** What a migration is about to make must not be there: then its row was taken away, and it would fail half-way. */
export function refuseMadeBefore(found: Catalogue, migration: string, made: Made): void {
  for (const [table, columns] of made.columns)
    for (const column of columns)
      if (found.columns.get(table)?.has(column)) throw forgotten(migration, `the column ${table}.${column}`);
  for (const index of made.indexes.keys())
    if (found.indexes.has(index)) throw forgotten(migration, `the index ${index}`);
}

/**
 * What the migrations made must be there. What somebody added is theirs, as long as our rows still go in: their
 * tables and indexes, and columns of our tables that need no value. All that is wrong is told at once.
 */
export function refuseEdited(found: Catalogue, made: Made): void {
  const what: string[] = [];
  const then = new Set<string>();
  const find = (finding: string, remedy: string) => {
    what.push(finding);
    then.add(remedy);
  };
  for (const [table, columns] of made.columns) {
    const there = found.columns.get(table);
    if (there === undefined) {
      find(`lacks the table ${table}`, RESTORE);
      continue;
    }
    for (const column of columns)
      if (!there.has(column)) find(`lacks the column ${table}.${column}`, RESTORE);
    for (const [column, mustBeGiven] of there)
      if (mustBeGiven && !columns.has(column))
        find(
          `has a column ${table}.${column} that is not ours and that every row must fill`,
          `Drop ${table}.${column}, or let it be empty.`,
        );
  }
  for (const [index, statement] of made.indexes)
    if (!found.indexes.has(index)) find(`lacks the index ${index}`, `Make it again: ${statement};`);
  if (what.length > 0) throw edited(`The database ${what.join(', ')}`, [...then].join(' '));
}

const RESTORE = 'Restore a backup that Evident made, and then run `evident recovered`.';

const edited = (what: string, then: string) =>
  new SchemaRefused(`${what}: somebody has edited its schema. Nothing was changed. ${then}`);

const forgotten = (migration: string, what: string) =>
  edited(`The database has ${what}, but no record of ${migration}, which makes it`, RESTORE);

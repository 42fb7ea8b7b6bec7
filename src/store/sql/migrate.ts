import { createHash } from 'node:crypto';
import { readCatalogue, refuseAlreadyCreated, refuseEdited } from './catalogue.ts';
import type { DatabaseSession } from './dialect.ts';
import { type MigratedSchema, schemaOf } from './migrated-schema.ts';
import { MIGRATIONS } from './migrations/index.ts';
import type { Migration, Types } from './migrations/types.ts';
import { SchemaRefused } from './schema-refused.ts';

/**
 * Brings the schema up to date and checks that it is the one that the migrations create, inside a transaction
 * that the caller has opened and that excludes every other starter: a death half-way leaves the schema as it was (F15).
 * Forward only. Rejected: Kysely's own
 * migrator, which compares names but no contents, so it would run on top of a schema that somebody edited,
 * and it refuses a newer database only by accident of sorting.
 */
export async function migrate(
  session: DatabaseSession,
  types: Types,
  at: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  await session.run(
    `CREATE TABLE IF NOT EXISTS migrations (
      name ${types.text} NOT NULL, checksum ${types.text} NOT NULL, at ${types.int} NOT NULL, PRIMARY KEY (name)
    ) ${types.byKey}`,
    [],
  );
  const pending = await pendingOf(session, types, migrations);
  const before = await readCatalogue(session, types);
  for (const { name, schema, statements, checksum } of pending) {
    refuseAlreadyCreated(before, name, schema);
    for (const statement of statements) await session.run(statement, []);
    await session.run(
      `INSERT INTO migrations (name, checksum, at) VALUES ('${name}', '${checksum}', ${at})`,
      [],
    );
  }
  const after = pending.length === 0 ? before : await readCatalogue(session, types);
  refuseEdited(after, schemaOf(migrations, types));
  return pending.map(({ name }) => name);
}

/**
 * Refuses a schema that is not this version's own; reads only. For commands that must not change the
 * database.
 */
export async function refuseOtherSchema(
  session: DatabaseSession,
  types: Types,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const found = await readCatalogue(session, types);
  if (!found.columns.has('migrations'))
    throw new SchemaRefused(
      `${found.columns.size === 0 ? 'The database is empty' : 'The database has tables, and none of them is Evident’s'}. Nothing was changed. Is it the right one? --database or --data says which; a server makes its tables when it first starts.`,
    );
  const pending = await pendingOf(session, types, migrations);
  for (const { name, schema } of pending) refuseAlreadyCreated(found, name, schema);
  if (pending.length > 0)
    throw new SchemaRefused(
      `The database is older than this version of Evident: it lacks ${pending.map(({ name }) => name).join(', ')}. Nothing was changed. Start the server of this version once, which upgrades it, or use the version that made it.`,
    );
  refuseEdited(found, schemaOf(migrations, types));
}

interface Pending {
  readonly name: string;
  readonly schema: MigratedSchema;
  readonly statements: readonly string[];
  readonly checksum: string;
}

/** The migrations that the database does not have yet, in order. */
async function pendingOf(
  session: DatabaseSession,
  types: Types,
  migrations: readonly Migration[],
): Promise<readonly Pending[]> {
  const rows = await session.rows('SELECT name, checksum FROM migrations ORDER BY name', []);
  const done = new Map(rows.map(([name, checksum]) => [String(name), String(checksum)]));
  refuseNewer(done, migrations);
  const pending: Pending[] = [];
  for (const migration of migrations) {
    const { name } = migration;
    const statements = migration.statements(types);
    const checksum = createHash('sha256').update(statements.join(';\n')).digest('hex');
    const applied = done.get(name);
    if (applied === checksum) continue;
    if (applied !== undefined)
      throw new SchemaRefused(
        `The database was migrated by another edition of ${name}. Nothing was changed. Start the version of Evident that made it, or restore a backup that this version made.`,
      );
    pending.push({ name, schema: schemaOf([migration], types), statements, checksum });
  }
  return pending;
}

function refuseNewer(done: ReadonlyMap<string, string>, migrations: readonly Migration[]): void {
  const ours = new Set(migrations.map(({ name }) => name));
  const newer = [...done.keys()].filter((name) => !ours.has(name));
  if (newer.length === 0) return;
  throw new SchemaRefused(
    `The database is newer than this version of Evident: it has ${newer.join(', ')}, which this one does not know. Nothing was changed. Start the newer version, or point this one at another database.`,
  );
}

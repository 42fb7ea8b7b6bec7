import { createHash } from 'node:crypto';
import type { Session } from './dialect.ts';
import { MIGRATIONS } from './migrations/index.ts';
import type { Migration, Types } from './migrations/types.ts';

/** The database cannot be used by this version of Evident; the message says what to do. */
export class SchemaRefused extends Error {
  override readonly name = 'SchemaRefused';
}

/**
 * Brings the schema up to date, inside a transaction that the caller has opened and that excludes every other
 * starter. Forward only. Kysely's own migrator was rejected: it knows names but no contents, so it would run on
 * top of a schema that somebody edited, and it refuses a newer database only by accident of sorting.
 */
export async function migrate(
  session: Session,
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
  const rows = await session.rows('SELECT name, checksum FROM migrations ORDER BY name', []);
  const done = new Map(rows.map(([name, checksum]) => [String(name), String(checksum)]));
  refuseStrangers(done, migrations);
  const added: string[] = [];
  for (const migration of migrations) {
    const statements = migration.statements(types);
    const checksum = createHash('sha256').update(statements.join(';\n')).digest('hex');
    const known = done.get(migration.name);
    if (known === checksum) continue;
    if (known !== undefined)
      throw new SchemaRefused(
        `The database was migrated by another edition of ${migration.name}. Nothing was changed. Start the version of Evident that made it, or restore a backup that this version made.`,
      );
    for (const statement of statements) await session.run(statement, []);
    await session.run(
      `INSERT INTO migrations (name, checksum, at) VALUES ('${migration.name}', '${checksum}', ${at})`,
      [],
    );
    added.push(migration.name);
  }
  return added;
}

function refuseStrangers(done: ReadonlyMap<string, string>, migrations: readonly Migration[]): void {
  const ours = new Set(migrations.map(({ name }) => name));
  const strangers = [...done.keys()].filter((name) => !ours.has(name));
  if (strangers.length === 0) return;
  throw new SchemaRefused(
    `The database is newer than this version of Evident: it has ${strangers.join(', ')}, which this one does not know. Nothing was changed. Start the newer version, or point this one at another database.`,
  );
}

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { ClosableStore } from '../store/port.ts';

export interface StoreOptions {
  readonly data?: string;
  readonly database?: string;
}

/** Adds the two options that name the store. */
export function withStoreOptions(command: Command): Command {
  return command
    .option('--data <dir>', 'the data directory (EVIDENT_DATA, else ~/.evident)')
    .option('--database <url>', 'postgres://… (EVIDENT_DATABASE_URL, else SQLite in the data directory)');
}

export const isDirectoryNamed = (options: StoreOptions) =>
  (options.data ?? process.env.EVIDENT_DATA) !== undefined;

export const dataDirectory = (options: StoreOptions) =>
  resolve(options.data ?? process.env.EVIDENT_DATA ?? join(homedir(), '.evident'));

export const databaseUrl = (options: StoreOptions) => options.database ?? process.env.EVIDENT_DATABASE_URL;

/**
 * Opens SQLite in the data directory, or the named PostgreSQL, as it is: the schema is neither created nor
 * upgraded.
 */
export async function openAsIs(options: StoreOptions): Promise<ClosableStore> {
  const url = databaseUrl(options);
  if (url !== undefined) {
    const { PostgresStore } = await import('../store/postgres/store.ts');
    return PostgresStore.open(url, { asIs: true });
  }
  const { SqliteStore } = await import('../store/sqlite/store.ts');
  return SqliteStore.open(dataDirectory(options), { asIs: true });
}

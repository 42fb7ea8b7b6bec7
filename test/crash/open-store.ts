import type { Store } from '../../src/store/port.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';

/** The location of a store: a directory or a URL. */
export type StoreLocation = { readonly sqlite: string } | { readonly postgres: string };

export type OpenStore = Store & { close(): Promise<void> };

export function openStore(at: StoreLocation, clock?: () => number): Promise<OpenStore> {
  const options = clock === undefined ? {} : { clock };
  return 'sqlite' in at
    ? SqliteStore.open(at.sqlite, options)
    : PostgresStore.open(at.postgres, { ...options, connections: 4 });
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe } from 'vitest';
import type { Settings } from '../../src/projection/facts.ts';
import type { Store } from '../../src/store/port.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { describeWithPostgres } from '../lab.ts';
import { Platform } from '../verbs/driver.ts';
import { T0 } from '../verbs/names.ts';

export type NewPlatform = (settings?: Partial<Settings>) => Promise<Platform>;

/** Runs the same suite on both databases, each platform on an empty one with a clock that only the test moves. */
export function describeOnBoth(
  name: string,
  suite: (newPlatform: NewPlatform, database: 'sqlite' | 'postgres') => void,
): void {
  const opened: (() => Promise<void>)[] = [];
  const platformOn =
    (open: (clock: () => number) => Promise<{ store: Store; close(): Promise<void> }>): NewPlatform =>
    async (settings) => {
      const clock = { now: T0 };
      const { store, close } = await open(() => clock.now);
      opened.push(close);
      return new Platform(store, clock, settings);
    };
  const closeAll = async () => {
    for (const close of opened.splice(0)) await close();
  };

  describe(`${name}: SQLite`, () => {
    afterEach(closeAll);
    suite(
      platformOn(async (clock) => {
        const dir = mkdtempSync(join(tmpdir(), 'evident-both-'));
        const store = await SqliteStore.open(dir, { clock });
        const close = async () => {
          await store.close();
          rmSync(dir, { recursive: true, force: true });
        };
        return { store, close };
      }),
      'sqlite',
    );
  });

  describeWithPostgres(`${name}: PostgreSQL`, (newUrl) => {
    afterEach(closeAll);
    suite(
      platformOn(async (clock) => {
        const store = await PostgresStore.open(await newUrl(), { clock, connections: 4 });
        return { store, close: () => store.close() };
      }),
      'postgres',
    );
  });
}

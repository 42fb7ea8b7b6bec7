import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sqlName } from '../../src/store/columns.ts';
import { KEYS } from '../../src/store/schema.ts';
import { SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import type { RealStore } from './real-store.ts';

const LEFT_BEHIND = ['evident.db', 'evident.db-wal'];
/** The driver lets go of a closed file only when its statements are collected: a long run would run out of files. */
const LIVES_KEPT = 50;
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/**
 * SQLite in a directory that goes with it. Commits are not flushed: processes die here, machines do not. Nobody
 * may wait for the writer, because memory has already said whose turn it is.
 */
export async function openSqlite(): Promise<RealStore> {
  const root = mkdtempSync(join(tmpdir(), 'evident-sim-'));
  const tidy = () => rmSync(root, { recursive: true, force: true });
  process.once('exit', tidy);
  let lives = 0;
  let clock: () => number = Date.now;
  const data = () => join(root, String(lives));
  const open = () => SqliteStore.open(data(), { clock: () => clock(), waiting: 0, synchronous: 'OFF' });
  let store = await open();
  return {
    name: 'SQLite',
    serial: true,
    begin: () => store.begin(),
    read: (work) => store.read(work),
    /**
     * The next life begins with the files as the dead one left them, and recovers from their log. Closing and
     * opening again would be kinder: a process that closes tidies up first.
     */
    async drop() {
      const [before, dead] = [data(), store];
      lives++;
      mkdirSync(data());
      for (const file of LEFT_BEHIND)
        if (existsSync(join(before, file))) copyFileSync(join(before, file), join(data(), file));
      store = await open();
      await dead.close();
      rmSync(before, { recursive: true });
      if (lives % LIVES_KEPT !== 0) return;
      collect();
      // The driver closes collected files in a turn of the event loop, which a schedule never leaves time for.
      await setImmediate();
    },
    async reset(next) {
      clock = next;
      const side = new SqliteConnection(join(data(), 'evident.db'), 'OFF');
      for (const table of Object.keys(KEYS)) side.exec(`DELETE FROM ${sqlName(table)}`);
      side.close();
    },
    async close() {
      await store.close();
      tidy();
      process.removeListener('exit', tidy);
    },
  };
}

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlName } from '../../store/columns.ts';
import { KEYS } from '../../store/schema.ts';
import { Connection } from '../../store/sqlite/connection.ts';
import { SqliteStore } from '../../store/sqlite/store.ts';
import type { RealStore } from './real-store.ts';

const LEFT_BEHIND = ['evident.db', 'evident.db-wal'];

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
    },
    async reset(next) {
      clock = next;
      const side = new Connection(join(data(), 'evident.db'), 'OFF');
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

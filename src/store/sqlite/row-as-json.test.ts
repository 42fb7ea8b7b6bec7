import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { parseRow, rowAsJson } from './row-as-json.ts';
import { SqliteStore } from './store.ts';

it('a row is read as it is stored, whatever its text contains', () => {
  const db = new Database(':memory:');
  const texts = ['', 'é – 💥 \uFFFD', '{"a": "b\\"}\n\t', '0', null];
  const ints = [0, -1, 8.64e15, null, 7];
  db.exec('CREATE TABLE t (n INTEGER, text TEXT, int INTEGER)');
  for (const [n, text] of texts.entries())
    db.prepare('INSERT INTO t VALUES (?, ?, ?)').run([n, text, ints[n]]);
  const select = db.prepare(`SELECT ${rowAsJson(['text', 'int'])} FROM t ORDER BY n`).raw(true);
  const rows = select.all() as [Uint8Array][];
  expect(rows.map(([bytes]) => parseRow(bytes))).toEqual(texts.map((text, n) => [text, ints[n]]));
  db.close();
});

it('a value that is no text, or bytes in the wrong column, is lost alone', () => {
  const db = new Database(':memory:');
  const columns = [`'ä'`, `CAST(x'72e9' AS TEXT)`, `CAST(x'8072' AS TEXT)`, `x'00ff'`, '7', 'NULL'];
  const [bytes] = db
    .prepare(`SELECT ${rowAsJson(columns)}`)
    .raw(true)
    .get() as [Uint8Array];
  expect(parseRow(bytes)).toEqual(['ä', undefined, undefined, {}, 7, null]);
  db.close();
});

it('a flipped bit on the disk loses one value, and not the process (F56)', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'evident-torn-'));
  const worker = (name: string) =>
    ({
      org: 'a',
      worker: name,
      instance: `${name}-1`,
      kinds: ['build'],
      target: `target-of-${name}`,
    }) as const;
  const store = await SqliteStore.open(dir);
  await store.transact(async (tx) => {
    for (const name of ['first', 'second'])
      await tx.insert('workers', { ...worker(name), service: '*', spanFrom: 0, seenAt: 1 });
  });
  await store.close();
  const file = join(dir, 'evident.db');
  const db = new Database(file);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  const bytes = readFileSync(file);
  for (let at = -1; ; ) {
    at = bytes.indexOf('target-of-first', at + 1);
    if (at < 0) break;
    bytes[at] = (bytes[at] as number) ^ 0x80;
  }
  writeFileSync(file, bytes);

  const again = await SqliteStore.open(dir);
  const rows = await again.read((tx) => tx.select('workers', { org: 'a' }));
  await again.close();
  rmSync(dir, { recursive: true });
  expect(rows).toMatchObject([
    { table: 'workers', readable: { worker: 'first', kinds: ['build'] }, unreadable: ['target'] },
    { worker: 'second', target: 'target-of-second' },
  ]);
});

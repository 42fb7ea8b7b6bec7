import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'libsql';
import pg from 'pg';

/** The rows of a report: the name of each service, and what was said of it. */
type Save = (names: readonly string[], snapshots: readonly string[]) => Promise<void>;

const TABLE = 'CREATE TABLE snapshots (service text PRIMARY KEY, snapshot text NOT NULL, at bigint NOT NULL)';
const NEWEST = 'ON CONFLICT (service) DO UPDATE SET snapshot = excluded.snapshot, at = excluded.at';

/** Every commit reaches the disk, as with Evident. */
function onSqlite(directory: string): Save {
  mkdirSync(directory, { recursive: true });
  const db = new Database(join(directory, 'snapshots.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(TABLE);
  const put = db.prepare(`INSERT INTO snapshots VALUES (?, ?, ?) ${NEWEST}`);
  return async (names, snapshots) => {
    db.exec('BEGIN IMMEDIATE');
    for (const [i, name] of names.entries()) put.run([name, snapshots[i] ?? '', Date.now()]);
    db.exec('COMMIT');
  };
}

async function onPostgres(connectionString: string): Promise<Save> {
  const pool = new pg.Pool({ connectionString, max: 10 });
  await pool.query(TABLE);
  const text = `INSERT INTO snapshots SELECT *, $3::bigint FROM unnest($1::text[], $2::text[]) ${NEWEST}`;
  return async (names, snapshots) => {
    await pool.query({ name: 'put', text, values: [names, snapshots, Date.now()] });
  };
}

/** Never ends by itself: whoever started it kills it. */
export async function serveSnapshots([name, where = '']: readonly string[]): Promise<never> {
  const save = name === 'SQLite' ? onSqlite(where) : await onPostgres(where);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { instances } = JSON.parse(Buffer.concat(chunks).toString()) as {
        instances: { service: string }[];
      };
      await save(
        instances.map(({ service }) => service),
        instances.map((instance) => JSON.stringify(instance)),
      );
      response.writeHead(200, { 'content-length': 2 }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  return new Promise(() => {});
}

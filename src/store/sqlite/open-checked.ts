import { statSync } from 'node:fs';
import { SqliteConnection } from './connection.ts';
import { DirectoryRefused } from './directory.ts';

/**
 * Up to this size indexes are compared with their tables, in about a second; a larger database is only read
 * through.
 */
const COMPARED_BYTES = 256 * 2 ** 20;

interface CheckedOptions {
  readonly synchronous?: 'FULL' | 'OFF';
  /** Refuse instead of rebuilding indexes. */
  readonly asIs?: boolean;
  /** Called after indexes that did not agree with their tables were rebuilt. */
  readonly onRebuilt?: (found: string) => void;
}

/**
 * Opens a database whose integrity check passes; refuses another with a sentence that says what to do. A row
 * that an index lacks is never found by a read through that index: a command that is never offered. The table
 * is right, so the index is rebuilt.
 */
export function openChecked(
  file: string,
  { synchronous, asIs, onRebuilt }: CheckedOptions = {},
): SqliteConnection {
  let db: SqliteConnection | undefined;
  let found: string;
  try {
    db = new SqliteConnection(file, synchronous);
    found = check(db, statSync(file).size > COMPARED_BYTES ? 'quick_check' : 'integrity_check');
    if (found === 'ok') return db;
    if (check(db, 'quick_check') === 'ok') {
      if (asIs) throw indexesOf(file, found);
      db.exec('BEGIN IMMEDIATE; REINDEX');
      if (check(db, 'integrity_check') === 'ok') {
        db.exec('COMMIT');
        onRebuilt?.(found);
        return db;
      }
    }
    db.close();
  } catch (error) {
    db?.close();
    if (error instanceof DirectoryRefused) throw error;
    found = (error as Error).message;
  }
  throw new DirectoryRefused(
    `The database ${file} is damaged (${found}). Nothing was changed. Restore it from a backup and then run \`evident recovered\`.`,
  );
}

const indexesOf = (file: string, found: string) =>
  new DirectoryRefused(
    `Indexes of the database ${file} do not agree with its tables (${found}). Nothing was changed. Start a server on it: it makes them anew.`,
  );

const check = (db: SqliteConnection, how: 'quick_check' | 'integrity_check') =>
  String(db.all(`PRAGMA ${how}(1)`)[0]?.[0]);

import type pg from 'pg';
import { Unavailable } from '../port.ts';
import type { Identity } from '../schema.ts';
import { limited } from './connection.ts';

/**
 * The timeline is taken from where the server writes now: the control file follows a promotion only with its next
 * checkpoint, which may be minutes later.
 */
const IDENTITY = `SELECT system_identifier::text, CASE WHEN pg_is_in_recovery() THEN NULL
  ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END FROM pg_control_system()`;

/** Not allowed, not there, not supported: some hosted databases do not tell who they are. */
const UNTOLD = new Set(['42501', '42883', '0A000']);

/** Which cluster answers, and which of its histories. Null: it does not tell. */
export async function identityOf(client: pg.ClientBase, answerMs: number): Promise<Identity | null> {
  let row: unknown[] | undefined;
  try {
    const query = { ...limited(IDENTITY, answerMs), rowMode: 'array' } as const;
    row = (await client.query<unknown[]>(query)).rows[0];
  } catch (error) {
    if (UNTOLD.has(String((error as { code?: unknown }).code))) return null;
    throw error;
  }
  const [system, timeline] = row ?? [];
  // Status is never read from a copy that lags behind (F45), and nothing can be written to one.
  if (timeline == null) throw new Unavailable('The database is a standby; connect to the primary.');
  return { system: String(system), timeline: String(timeline) };
}

/** Where one of them is not told there is nothing to compare. */
export const isSame = (a: Identity | null, b: Identity | null) =>
  a === null || b === null || (a.system === b.system && a.timeline === b.timeline);

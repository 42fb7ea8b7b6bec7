import type pg from 'pg';
import { Unavailable } from '../port.ts';
import type { Identity } from '../schema.ts';
import { queryWithTimeLimit } from './connection.ts';

const SYSTEM = 'SELECT system_identifier::text FROM pg_control_system()';
/**
 * The timeline is read from the current write position: the control file follows a promotion only with its
 * next checkpoint, which may be minutes later.
 */
const TIMELINE = `SELECT CASE WHEN pg_is_in_recovery() THEN NULL
  ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END`;

/** Error codes of hosted databases that do not disclose their identity: not allowed, not there, not supported. */
const UNDISCLOSED = new Set(['42501', '42883', '0A000']);

/**
 * The cluster that answers and the timeline it follows, each as far as the database discloses it. Null: it
 * discloses neither.
 */
export async function clusterIdentityOf(client: pg.ClientBase, answerMs: number): Promise<Identity | null> {
  const system = await disclosed(client, SYSTEM, answerMs);
  const timeline = await disclosed(client, TIMELINE, answerMs);
  // Status is never read from a copy that lags behind (F45), and nothing can be written to one.
  if (timeline === null) throw new Unavailable('The database is a standby; connect to the primary.');
  if (system === undefined && timeline === undefined) return null;
  return { system: system ?? null, timeline: timeline ?? null };
}

/** Undefined: the database does not disclose it. */
async function disclosed(
  client: pg.ClientBase,
  sql: string,
  answerMs: number,
): Promise<string | null | undefined> {
  try {
    const query = { ...queryWithTimeLimit(sql, answerMs), rowMode: 'array' } as const;
    const [row] = (await client.query<(string | null)[]>(query)).rows;
    return row?.[0];
  } catch (error) {
    if (UNDISCLOSED.has(String((error as { code?: unknown }).code))) return undefined;
    throw error;
  }
}

/** True unless the two differ; a part that one of them does not disclose is not compared. */
export const isSame = (a: Identity | null, b: Identity | null) =>
  a === null || b === null || (agree(a.system, b.system) && agree(a.timeline, b.timeline));

const agree = (a: string | null, b: string | null) => a === null || b === null || a === b;

/**
 * A sentence about the failures that cannot be detected because the database does not disclose its identity,
 * with the remedy. Null: it discloses everything.
 */
export function undisclosedIn(identity: Identity | null): string | null {
  const lacks = [
    ...(identity?.system == null ? [UNDISCLOSED_SYSTEM] : []),
    ...(identity?.timeline == null ? [UNDISCLOSED_TIMELINE] : []),
  ];
  if (lacks.length === 0) return null;
  const grant = `GRANT EXECUTE ON FUNCTION ${lacks.map(({ by }) => by).join(', ')} TO …`;
  return `The database does not tell ${lacks.map(({ what }) => what).join(', nor ')}: ${lacks.map(({ undetected }) => undetected).join(', and ')} is found out by witness.json alone. A superuser mends that in this database, for the user of --database: ${grant}`;
}

const UNDISCLOSED_SYSTEM = {
  what: 'its system identifier',
  undetected: 'that it was exchanged for another cluster',
  by: 'pg_control_system()',
};
const UNDISCLOSED_TIMELINE = {
  what: 'its timeline',
  undetected: 'that it failed over or was put back',
  by: 'pg_is_in_recovery(), pg_current_wal_lsn(), pg_walfile_name(pg_lsn)',
};

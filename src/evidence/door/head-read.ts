import { type Digits, maxDigits, ZERO } from '../../contract/digits.ts';
import { isIntact, NAMELESS, readable, type Stored } from '../../store/broken-row.ts';
import { gt, type ReadTx, Unavailable } from '../../store/port.ts';
import type { HeadRow } from '../../store/schema.ts';

/**
 * The head of an org's ledger holds its newest position and instant: without it nothing more can be written
 * (F56).
 */
export function readableHead(head: Stored<'heads'>): HeadRow {
  if (isIntact(head)) return head;
  throw new Unavailable(
    `The row of ${head.readable.org ?? NAMELESS} in the table heads cannot be read, and without it nothing can be added to its ledger. Nothing was changed. Restore the database from a backup and then run \`evident recovered\`.`,
  );
}

/**
 * Throws if an org without a head has rows in its ledger: it has lost its head, and must not begin again from nothing.
 */
export async function refuseLostHead(tx: ReadTx, org: string): Promise<void> {
  if ((await newestOnRecord(tx, org)) !== null) throw headMissing(org);
}

export const headMissing = (org: string) =>
  new Unavailable(
    `The row of ${org} in the table heads is missing, though its ledger is there, and without it nothing can be added to it. Nothing was changed. Restore the database from a backup and then run \`evident recovered\`; without a backup that command alone makes the row anew.`,
  );

/** Orgs that have a ledger and no head, in order. */
export async function orgsWithoutHead(tx: ReadTx): Promise<string[]> {
  const heads = new Set((await tx.select('heads', {})).map((head) => readable(head).org));
  const found = new Set<string>();
  for (const table of POSITIONED)
    for (let after = ''; ; ) {
      const options = { order: ['org', 'position'], limit: 1 } as const;
      const [row] = await tx.select<'ledger' | 'transitions' | 'alarms'>(table, { org: gt(after) }, options);
      const { org } = readable<Stored<'ledger' | 'transitions' | 'alarms'>>(row);
      if (org === undefined) break;
      after = org;
      if (!heads.has(after)) found.add(after);
    }
  return [...found].sort();
}

/** Each position is in exactly one of these tables. */
const POSITIONED = ['ledger', 'transitions', 'alarms'] as const;

/** The highest position that is still there, and the youngest instant near it; null: the org has no rows. */
export async function newestOnRecord(
  tx: ReadTx,
  org: string,
): Promise<{ position: Digits; at: number } | null> {
  const newest = { order: 'position', descending: true, limit: ROWS_NEAR_HEAD } as const;
  const [evidence, transitions, alarms, retention] = [
    await tx.select('ledger', { org }, newest),
    await tx.select('transitions', { org }, newest),
    await tx.select('alarms', { org }, newest),
    await tx.select('retention', { org }),
  ];
  const found = [
    ...evidence.map(readable).map(({ position, receivedAt: at }) => ({ position, at })),
    ...transitions.map(readable).map(({ position, recordedAt: at }) => ({ position, at })),
    ...alarms.map(readable).map(({ position, at }) => ({ position, at })),
    ...retention.map(readable).map(({ position, keptFrom: at }) => ({ position, at })),
  ].filter(
    (row): row is { position: Digits; at: number } => row.position !== undefined && row.at !== undefined,
  );
  if (found.length === 0) return null;
  return {
    position: found.reduce((last, { position }) => maxDigits(last, position), ZERO),
    at: Math.max(...found.map(({ at }) => at)),
  };
}

/**
 * The number of rows of each table that are read to find the newest: the last of them may be unreadable
 * (F56).
 */
export const ROWS_NEAR_HEAD = 100;

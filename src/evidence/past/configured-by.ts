import { isIntact, readable, type Stored } from '../../store/broken-row.ts';
import { lt, type ReadTx } from '../../store/port.ts';
import type { RevisionRow } from '../../store/schema.ts';
import { attemptsOf } from './built.ts';

/** Bounds the revisions that are read at a time. Almost always the first one is the answer. */
const PAGES = [1, 8, 64, 512] as const;

/**
 * The revision below another that a service was configured by: the newest that was not cancelled. Null: there is none,
 * or it tore the service down, which forgets its configuration. One whose row cannot be read is passed over.
 */
export async function configuredBy(
  tx: ReadTx,
  org: string,
  service: string,
  below: number,
): Promise<RevisionRow | null> {
  let under = below;
  for (const limit of PAGES) {
    const rows = await tx.select(
      'revisions',
      { org, service, revision: lt(under) },
      { order: 'revision', descending: true, limit },
    );
    const attempts = await tx.readAll(
      rows.map((row) => attemptsOf(org, service, readable(row).revision ?? 0)),
    );
    for (const [i, row] of rows.entries())
      if (isIntact(row) && !isCancelled(attempts[i] ?? [])) return row.kind === 'teardown' ? null : row;
    const last = readable(rows.at(-1)).revision;
    if (rows.length < limit || last === undefined) return null;
    under = last;
  }
  return null;
}

/** Retrying what was cancelled takes the cancel back: the last attempt decides. */
const isCancelled = (attempts: readonly Stored<'attempts'>[]) =>
  readable(attempts.at(-1)).outcome === 'cancelled';

import { OPEN_COMMAND } from '../evidence/door/new-command.ts';
import { lastGood } from '../evidence/past/last-good.ts';
import { intact, NAMELESS, readable } from '../store/broken-row.ts';
import { gt, type ReadTx } from '../store/port.ts';
import type { RetainedRows } from './archive-retained.ts';
import type { MovedRow } from './moved-row.ts';

/**
 * The next old revision after `after`, with all its rows that move out: itself, its attempts, its commands
 * and their leases. No row moves out of the newest revisions, of one that was active or queued at the border
 * or since, of the one that a rollback would go back to, and of one with open work. Null: no more.
 */
export async function oldRevisions(
  tx: ReadTx,
  org: string,
  service: string,
  { proven }: RetainedRows,
  keep: number,
  before: number,
  after: number,
): Promise<{ readonly revision: number; readonly moved: readonly MovedRow[] } | null> {
  const newest = { order: 'revision', descending: true, limit: keep } as const;
  const newestRows = keep === 0 ? [] : await tx.select('revisions', { org, service }, newest);
  const bound = Math.min(readable(newestRows.at(-1)).revision ?? Number.POSITIVE_INFINITY, proven.from);
  const [row] = await tx.select(
    'revisions',
    { org, service, revision: gt(after) },
    { order: 'revision', limit: 1 },
  );
  const { revision, createdAt = Number.NEGATIVE_INFINITY } = readable(row);
  if (row === undefined || revision === undefined || revision >= bound || createdAt >= before) return null;
  const current = await tx.get('services', { org, service });
  const { active = 0 } = readable(current);
  const intent = intact(await tx.get('revisions', { org, service, revision: active }));
  const good = intent === undefined ? undefined : await lastGood(tx, org, service, intent);
  if (good?.revision === revision) return { revision, moved: [] };
  const moved: MovedRow[] = [];
  for (const command of await tx.select('commands', { org, service, revision })) {
    const { id = NAMELESS, state } = readable(command);
    if (state !== undefined && OPEN_COMMAND.values.includes(state)) return { revision, moved: [] };
    for (const lease of await tx.select('leases', { org, command: id })) {
      const { id: held = NAMELESS, endedAt } = readable(lease);
      if (endedAt === null || (endedAt !== undefined && endedAt >= before)) return { revision, moved: [] };
      for (const span of await tx.select('spans', { org, subject: `lease/${held}` }))
        moved.push({ table: 'spans', row: span });
      moved.push({ table: 'leases', row: lease });
    }
    moved.push({ table: 'commands', row: command });
  }
  for (const attempt of await tx.select('attempts', { org, service, revision }))
    moved.push({ table: 'attempts', row: attempt });
  return { revision, moved: [...moved, { table: 'revisions', row }] };
}

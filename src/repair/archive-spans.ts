import { NAMELESS, readable } from '../store/broken-row.ts';
import { gte, lt, lte, type ReadTx } from '../store/port.ts';
import type { MovedRow } from './moved-row.ts';

/** Spans that ended before the one that contains the border. */
export async function oldSpans(tx: ReadTx, org: string, before: number): Promise<readonly MovedRow[]> {
  const moved: MovedRow[] = [];
  const subjects = [
    ...(await tx.select('scopes', { org }))
      .map(readable)
      .map(({ target, scope }) => `scope/${target ?? NAMELESS}/${scope ?? NAMELESS}`),
    ...(await tx.select('workers', { org }))
      .map(readable)
      .map(({ worker, instance }) => `worker/${worker ?? NAMELESS}/${instance ?? NAMELESS}`),
  ];
  for (const subject of subjects) {
    const spans = await tx.select('spans', { org, subject, from: lte(before) }, { order: 'from' });
    for (const row of spans.slice(0, -1)) moved.push({ table: 'spans', row });
  }
  return moved;
}

/** Workers that were not online since the border, hold no lease, and are no target's agent. */
export async function oldWorkers(
  tx: ReadTx,
  org: string,
  before: number,
  freshForMs: number,
): Promise<readonly MovedRow[]> {
  const moved: MovedRow[] = [];
  const unseen = { org, seenAt: lt(before - freshForMs) };
  const agents = new Set((await tx.select('agents', { org })).map((row) => readable(row).instance));
  for (const row of await tx.select('workers', unseen, { order: 'seenAt' })) {
    const { worker = NAMELESS, instance = NAMELESS } = readable(row);
    if (agents.has(instance)) continue;
    const held = await tx.select('leases', { org, instance, endedAt: null }, { limit: 1 });
    const since = await tx.select('leases', { org, instance, endedAt: gte(before) }, { limit: 1 });
    if (held.length > 0 || since.length > 0) continue;
    for (const span of await tx.select('spans', { org, subject: `worker/${worker}/${instance}` }))
      moved.push({ table: 'spans', row: span });
    moved.push({ table: 'workers', row });
  }
  return moved;
}

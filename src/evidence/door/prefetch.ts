import { leaseId } from '../../contract/command-id.ts';
import { targetOf } from '../../contract/names.ts';
import { activeOf } from '../../projection/queue.ts';
import { isIntact, readable } from '../../store/broken-row.ts';
import type { Read, ReadTx } from '../../store/port.ts';
import type { Key, Table } from '../../store/schema.ts';
import { readFacts } from './facts-cache.ts';

/** Rows that a work will read. A hint: a row that is not named is read when the work reaches it. */
export type Prefetch = Exclude<Read, 'now'>;

/**
 * Merges prefetches by key into one read for each table, with the locks first: a row that a lock protects must be
 * read after the wait for it.
 */
export function mergePrefetches(prefetches: readonly Prefetch[]): Prefetch[] {
  const tables = new Map<string, { table: Table; keys: Key<Table>[]; lock: boolean }>();
  const byPredicate = prefetches.filter((read) => 'where' in read);
  for (const read of prefetches) {
    if ('where' in read) continue;
    const { table, keys, lock = false } = read;
    const name = `${table} ${lock}`;
    const all = tables.get(name) ?? { table, keys: [], lock };
    all.keys.push(...keys);
    tables.set(name, all);
  }
  const byKey = [...tables.values()].sort((a, b) => Number(b.lock) - Number(a.lock)) as Prefetch[];
  return [...byKey, ...byPredicate];
}

/** The reads of the scopes and agents of these services, once for each target. */
export function readsAround(org: string, services: readonly string[]): Read[] {
  return [...new Set(services.map(targetOf))].flatMap((target): Read[] => [
    { table: 'scopes', where: { org, target } },
    { table: 'agents', keys: [{ org, target }] },
  ]);
}

/**
 * Reads the rows of service files beside the service rows: two round trips, for any number. With `attempts`, those that may
 * end are read too: the write of each end then goes out with all others.
 */
export async function prefetchBehindServices(
  tx: ReadTx,
  org: string,
  services: readonly string[],
  { attempts: wantsAttempts }: { readonly attempts: boolean },
): Promise<void> {
  const commands: Key<'commands'>[] = [];
  const revisions: Key<'revisions'>[] = [];
  const attempts: Key<'attempts'>[] = [];
  for (const service of services) {
    const { command: id, proven } = readable(await tx.get('services', { org, service }));
    if (id != null) commands.push({ org, id });
    const facts = readFacts(proven);
    if (facts === null) continue;
    for (const { revision } of facts.revisions) revisions.push({ org, service, revision });
    const active = wantsAttempts ? activeOf(facts) : undefined;
    if (active === undefined || active.attempt.settled !== null) continue;
    attempts.push({ org, service, revision: active.revision, attempt: active.attempt.attempt });
  }
  const [found] = await tx.readAll([
    { table: 'commands', keys: commands },
    { table: 'revisions', keys: revisions },
    { table: 'attempts', keys: attempts },
  ]);
  const handed = found.filter(isIntact).filter((c) => c.state !== 'held' && c.state !== 'recorded');
  const leases = handed.map(({ id, fence }) => ({ org, id: leaseId(id, fence) }));
  await tx.readAll([{ table: 'leases', keys: leases }]);
}

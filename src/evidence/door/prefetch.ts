import { leaseId } from '../../contract/command-id.ts';
import { targetOf } from '../../contract/names.ts';
import { isReadable, readableOrNull } from '../../store/columns.ts';
import type { Ask, ReadTx } from '../../store/port.ts';
import type { Key, ServiceRow, Table } from '../../store/schema.ts';
import { readFacts } from './facts-cache.ts';

/** Rows that a work is known to read. A hint: what is not named is read when it is asked for. */
export type Need = Extract<Ask, { readonly keys: unknown }>;

/** One read for each table, with the locks first: who waits for one must read what it protects after it. */
export function together(needs: readonly Need[]): Need[] {
  const tables = new Map<string, { table: Table; keys: Key<Table>[]; lock: boolean }>();
  for (const { table, keys, lock = false } of needs) {
    const name = `${table} ${lock}`;
    const all = tables.get(name) ?? { table, keys: [], lock };
    all.keys.push(...keys);
    tables.set(name, all);
  }
  return [...tables.values()].sort((a, b) => Number(b.lock) - Number(a.lock)) as Need[];
}

/** What is alive around services, read once for each target. */
export function aroundAll(org: string, services: readonly string[]): Ask[] {
  return [...new Set(services.map(targetOf))].flatMap((target): Ask[] => [
    { table: 'scopes', where: { org, target } },
    { table: 'agents', keys: [{ org, target }] },
  ]);
}

/** What the files of services are made of beside their rows: two round trips, however many they are. */
export async function readRest(tx: ReadTx, org: string, services: readonly string[]): Promise<void> {
  const rows: ServiceRow[] = [];
  for (const service of services) {
    const row = await tx.get('services', { org, service });
    if (row !== undefined) rows.push(row);
  }
  const commands = rows.flatMap(({ command }) => {
    const id = readableOrNull(command);
    return id === null ? [] : [{ org, id }];
  });
  const revisions = rows.flatMap(({ service, proven }) =>
    (readFacts(proven)?.revisions ?? []).map(({ revision }) => ({ org, service, revision })),
  );
  const [found] = await tx.readAll([
    { table: 'commands', keys: commands },
    { table: 'revisions', keys: revisions },
  ]);
  const handed = found.filter((c) => c.state !== 'held' && c.state !== 'recorded' && isReadable(c));
  const leases = handed.map(({ id, fence }) => ({ org, id: leaseId(id, fence) }));
  await tx.readAll([{ table: 'leases', keys: leases }]);
}

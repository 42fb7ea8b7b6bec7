import type { Report } from '../../contract/report.ts';
import { isLost, isReadable } from '../../store/columns.ts';
import { type Expect, gt, type ReadTx } from '../../store/port.ts';
import type { ScopeRow, ServiceRow } from '../../store/schema.ts';
import { readFacts } from '../door/facts-cache.ts';
import type { Host } from '../door/host.ts';
import { isNews, type Sorted, seenBy } from './observation.ts';
import { hasUntold, stampedServices } from './unknown-services.ts';

/** A report, and where it belongs. */
export interface Given {
  readonly org: string;
  readonly target: string;
  readonly report: Report;
  readonly sorted: Sorted;
}

/** So many instances are read and compared at a time: what is stored of a service grows with them. */
const INSTANCES = 1_000;
const SERVICES = 1_000;

/** Whether a report shows anything that is not stored already, or a service that nobody has been told of. */
export async function hasNews(
  tx: ReadTx,
  { org, target, report, sorted }: Given,
  scope: ScopeRow,
  giveWay: Host['giveWay'],
): Promise<boolean> {
  const strangers = stampedServices(sorted);
  if (!mustCompareAll(report, sorted)) {
    let mayHaveMoved = false;
    for (const service of named(sorted)) {
      const row = await tx.get('services', { org, service });
      if (row !== undefined && showsNews(row, report, sorted, scope)) return true;
      if (row !== undefined) strangers.delete(service);
      // What is shown of a service that is on no record may have been another one's.
      else mayHaveMoved ||= sorted.instances.has(service);
      await giveWay?.();
    }
    if (!mayHaveMoved) return hasUntold(tx, org, strangers);
  }
  for await (const row of servicesOf(tx, { org, target, report, sorted }, giveWay)) {
    if (showsNews(row, report, sorted, scope)) return true;
    strangers.delete(row.service);
  }
  return hasUntold(tx, org, strangers);
}

/** The services of its target of which a report shows something new; each that there is is no stranger. */
export async function changedBy(
  tx: ReadTx,
  given: Given,
  scope: ScopeRow,
  giveWay: Host['giveWay'],
  strangers: Set<string>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const row of servicesOf(tx, given, giveWay)) {
    if (showsNews(row, given.report, given.sorted, scope)) found.push(row.service);
    strangers.delete(row.service);
  }
  return found;
}

/**
 * Every service of a target, or those that are so, in order of their names. In pages, the larger the smaller the
 * services of the report are: a small report costs one trip, and a large one keeps nobody waiting until all that is
 * stored has been read (F80).
 */
export async function* servicesOf(
  tx: ReadTx,
  { org, target, sorted }: Given,
  giveWay: Host['giveWay'],
  which: Expect<Pick<ServiceRow, 'awaitsReport' | 'createdAt'>> = {},
): AsyncGenerator<ServiceRow> {
  const limit = pageOf(sorted);
  for (let after: string | null = null; ; ) {
    const where = { org, target, ...which, ...(after === null ? {} : { service: gt(after) }) };
    const rows: ServiceRow[] = await tx.select('services', where, { order: 'service', limit });
    for (const row of rows) {
      if (!isLost(row.service)) yield row;
      await giveWay?.();
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = last.service;
  }
}

/** How many services are as much as may be handled at once. */
export function pageOf({ instances }: Sorted): number {
  let count = 0;
  for (const seen of instances.values()) count += seen.length;
  const each = Math.max(1, count / Math.max(1, instances.size));
  return Math.max(1, Math.min(SERVICES, Math.floor(INSTANCES / each)));
}

/** What is gone is named by uid alone, or not at all: then each service of the target has to be compared. */
export const mustCompareAll = (given: Report, sorted: Sorted) =>
  given.kind === 'full' || sorted.removedInstances.size > 0;

/** Whether an instance is new to its service: it may have been another one's, and each service has to be compared. */
export async function showsUnknown(tx: ReadTx, { org, report, sorted }: Given): Promise<boolean> {
  for (const [service, shown] of sorted.instances) {
    const row = await tx.get('services', { org, service });
    const observed = row !== undefined && isReadable(row) ? readFacts(row.proven)?.observed : undefined;
    const part = observed?.parts.find(({ scope }) => scope === report.scope);
    const known = new Set(part?.instances.map(({ uid }) => uid));
    if (shown.some(({ uid }) => !known.has(uid))) return true;
  }
  return false;
}

/** Every service that a report speaks of. */
export function named({ instances, entries, removedEntries, corrupt }: Sorted): ReadonlySet<string> {
  return new Set([...instances.keys(), ...entries.keys(), ...removedEntries, ...corrupt.services]);
}

function showsNews(row: ServiceRow, given: Report, sorted: Sorted, scope: ScopeRow): boolean {
  const observed = isReadable(row) ? readFacts(row.proven)?.observed : undefined;
  if (observed === undefined) return true;
  const seen = seenBy(given, sorted, row.service, observed, (scope.completeAt ?? 0) >= row.createdAt);
  return isNews(seen, observed) !== null;
}

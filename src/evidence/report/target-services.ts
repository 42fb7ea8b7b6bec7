import { readable, type Stored } from '../../store/broken-row.ts';
import { type Expect, gt, type ReadTx } from '../../store/port.ts';
import type { ServiceRow } from '../../store/schema.ts';
import type { Host } from '../door/host.ts';
import type { ItemsByService } from './items.ts';
import type { ReceivedReport } from './received-report.ts';

/** The stored services that a report is compared with, and the turns it gives to other work meanwhile. */
export interface ServiceReader {
  readonly tx: ReadTx;
  readonly yieldIfDue?: Host['yieldIfDue'];
  readonly received: ReceivedReport;
}

/** A service whose name can be read, and its row. */
export interface FoundService {
  readonly service: string;
  readonly row: Stored<'services'>;
}

/** Caps how many instances one page compares: the stored row of a service grows with its instances. */
const INSTANCES_PER_PAGE = 1_000;
const SERVICES_PER_PAGE = 1_000;

type ScopeExpectation = Expect<Pick<ServiceRow, 'scope'>>;

/**
 * The services that a scope may speak of, besides those that it names: those of any scope, and its own. Rejected: one
 * read for both, which no index gives in order.
 */
export const reachesOf = (scope: string): readonly ScopeExpectation[] =>
  scope === '*' ? [{}] : [{ scope: '*' }, { scope }];

/**
 * Every service of the target that the report's scope may speak of, or those that match. Read in pages, so that a small
 * report costs one round trip and a large one does not block others until everything stored has been read (F80).
 */
export async function* servicesOf(
  reader: ServiceReader,
  matching: Expect<Pick<ServiceRow, 'awaitsReport' | 'createdAt'>> = {},
): AsyncGenerator<FoundService> {
  for (const reach of reachesOf(reader.received.report.scope))
    yield* servicesWithin(reader, { ...reach, ...matching });
}

async function* servicesWithin(
  { tx, yieldIfDue, received: { caller, target, items } }: ServiceReader,
  matching: Expect<ServiceRow>,
): AsyncGenerator<FoundService> {
  const { org } = caller;
  const limit = servicesPerPage(items);
  for (let after: string | null = null; ; ) {
    const where = { org, target, ...matching, ...(after === null ? {} : { service: gt(after) }) };
    const rows: Stored<'services'>[] = await tx.select('services', where, { order: 'service', limit });
    for (const row of rows) {
      const { service } = readable(row);
      if (service !== undefined) yield { service, row };
      await yieldIfDue?.();
    }
    const { service: last } = readable(rows.at(-1));
    if (last === undefined || rows.length < limit) return;
    after = last;
  }
}

/** The larger the services of a report are, the fewer make a page. */
export function servicesPerPage({ instances }: ItemsByService): number {
  let count = 0;
  for (const ofService of instances.values()) count += ofService.length;
  const each = Math.max(1, count / Math.max(1, instances.size));
  return Math.max(1, Math.min(SERVICES_PER_PAGE, Math.floor(INSTANCES_PER_PAGE / each)));
}

import { targetOf } from '../../contract/names.ts';
import { readable } from '../../store/broken-row.ts';
import type { ReadTx } from '../../store/port.ts';
import type { Door } from '../door/door.ts';
import type { ItemsByService } from './items.ts';
import type { ReceivedReport } from './received-report.ts';

/**
 * Services that a report shows with a stamp and that the store does not have (F24, F54): forged, or deployed in a past
 * that a restore has lost. No claim can show them. An instance without a stamp was deployed by another tool and is none
 * of ours.
 */
export function unknownServices({ instances }: ItemsByService, stored: ReadonlySet<string>): Set<string> {
  const unknown = new Set<string>();
  for (const [service, ofService] of instances)
    if (!stored.has(service) && ofService.some(({ revision, fence }) => revision !== null && fence !== null))
      unknown.add(service);
  return unknown;
}

/** Caps how many unknown services one report records: more would add nothing to the alarm. */
const RECORDED_PER_REPORT = 100;
/** Each has a counter, so that it raises one alarm and not one per report. */
const COUNTER = 'not-on-record/';
const keyOf = (org: string, service: string) =>
  ({ org, source: `${COUNTER}${service}`, reason: 'unissued' }) as const;

export async function hasUnrecorded(tx: ReadTx, org: string, unknown: ReadonlySet<string>): Promise<boolean> {
  return unknown.size > 0 && (await unrecorded(tx, org, unknown)).length > 0;
}

async function unrecorded(tx: ReadTx, org: string, unknown: ReadonlySet<string>): Promise<readonly string[]> {
  const first = [...unknown].sort().slice(0, RECORDED_PER_REPORT);
  const keys = first.map((service) => keyOf(org, service));
  const [counters] = await tx.readAll([{ table: 'counters', keys }]);
  const recorded = new Set(counters.map((row) => readable(row).source));
  return first.filter((service) => !recorded.has(`${COUNTER}${service}`));
}

/** Raises an alarm for each new unknown service; forgets those that a complete report of everything no longer shows. */
export async function recordUnknownServices(
  door: Door,
  { target, report }: Pick<ReceivedReport, 'target' | 'report'>,
  unknown: ReadonlySet<string>,
): Promise<void> {
  const { org, tx } = door;
  for (const service of unknown.size === 0 ? [] : await unrecorded(tx, org, unknown)) {
    await tx.insert('counters', {
      ...keyOf(org, service),
      count: 1,
      since: null,
      kept: null,
      position: null,
    });
    await door.alarm('unissued', service);
  }
  if (report.kind !== 'full' || !report.complete || report.scope !== '*') return;
  for (const service of await recordedUnknownServices(tx, org))
    if (targetOf(service) === target && !unknown.has(service))
      await tx.remove('counters', keyOf(org, service), {});
}

/** The unknown services of an org that were reported, and not reported gone since. */
export async function recordedUnknownServices(tx: ReadTx, org: string): Promise<readonly string[]> {
  const counters = await tx.select('counters', { org, reason: 'unissued' });
  return counters
    .flatMap((row) => readable(row).source ?? [])
    .filter((source) => source.startsWith(COUNTER))
    .map((source) => source.slice(COUNTER.length))
    .sort();
}

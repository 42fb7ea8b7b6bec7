import { targetOf } from '../../contract/names.ts';
import type { Report } from '../../contract/report.ts';
import type { ReadTx } from '../../store/port.ts';
import type { Door } from '../door/door.ts';
import type { Sorted } from './observation.ts';

/**
 * Services that a report shows under numbers of ours and that there is no service for (F24, F54): forged, or deployed
 * in a past that a restore has lost. No claim can tell of them. What carries no stamp was deployed by another tool,
 * and is none of ours.
 */
export function stampedServices({ instances }: Sorted): Set<string> {
  const found = new Set<string>();
  for (const [service, shown] of instances)
    if (shown.some(({ revision, fence }) => revision !== null && fence !== null)) found.add(service);
  return found;
}

/** So many are looked at in one report: whoever shows more has been alarming enough. */
const AT_ONCE = 100;
/** One counter for each, so that it is an alarm once and not with every report. */
const COUNTED = 'not-on-record/';
const keyOf = (org: string, service: string) =>
  ({ org, source: `${COUNTED}${service}`, reason: 'unissued' }) as const;

export async function hasUntold(tx: ReadTx, org: string, strangers: ReadonlySet<string>): Promise<boolean> {
  return strangers.size > 0 && (await untold(tx, org, strangers)).length > 0;
}

async function untold(tx: ReadTx, org: string, strangers: ReadonlySet<string>): Promise<readonly string[]> {
  const looked = [...strangers].sort().slice(0, AT_ONCE);
  const keys = looked.map((service) => keyOf(org, service));
  const [counted] = await tx.readAll([{ table: 'counters', keys }]);
  const told = new Set(counted.map(({ source }) => source));
  return looked.filter((service) => !told.has(`${COUNTED}${service}`));
}

/** An alarm for each that is new. One that a complete report of everything no longer shows is forgotten. */
export async function recordUnknownServices(
  door: Door,
  target: string,
  given: Report,
  strangers: ReadonlySet<string>,
): Promise<void> {
  const { org, tx } = door;
  for (const service of strangers.size === 0 ? [] : await untold(tx, org, strangers)) {
    await tx.insert('counters', { ...keyOf(org, service), count: 1 });
    await door.alarm('unissued', service);
  }
  if (given.kind !== 'full' || !given.complete || given.scope !== '*') return;
  for (const service of await strangersTold(tx, org))
    if (targetOf(service) === target && !strangers.has(service))
      await tx.remove('counters', keyOf(org, service), {});
}

/** Those that were reported, and are not known to be gone. */
export async function strangersTold(tx: ReadTx, org: string): Promise<readonly string[]> {
  const counted = await tx.select('counters', { org, reason: 'unissued' });
  return counted
    .filter(({ source }) => source.startsWith(COUNTED))
    .map(({ source }) => source.slice(COUNTED.length))
    .sort();
}

import { groupOf } from './attention.ts';
import { downWords, isDown } from './down.ts';
import type { ServiceRowView } from './rows.ts';

/** How many services are served, and of how many the state is proven. */
interface HonestyWords {
  readonly lead: string;
  readonly rest: string;
  readonly proven: string;
}

/**
 * Counts what serves, whatever its newest revision does, beside what is down, what nobody knows, and the rest, which is
 * stopped or served nothing yet: the numbers add up to all, so that nobody looks for a service between them. Rejected: the age of the evidence as one number, since a failed build is proven by a record that does
 * not age; each row says its own.
 */
export function honestyOf(rows: readonly ServiceRowView[]): HonestyWords {
  const count = (is: (row: ServiceRowView) => boolean) => rows.filter(is).length;
  const serve = count(({ serving, isUpForNow }) => serving !== null && !isUpForNow);
  const down = downWords(rows);
  const unknown = count(({ serving, isNothingServing }) => serving === null && !isNothingServing);
  const rest = rows.filter((row) => row.serving === null && row.isNothingServing && !isDown(row));
  const isStopped = (row: ServiceRowView) => groupOf(row) === 'stopped' || row.claimView.state === 'stopping';
  const stopped = rest.filter(isStopped).length;
  const coming = rest.filter((row) => groupOf(row) === 'in progress' && !isStopped(row)).length;
  const proven = count(
    ({ claimView, isTargetSilent }) => claimView.isLive && claimView.state !== 'unknown' && !isTargetSilent,
  );
  const [all, known] = [rows.length, proven].map((n) => n.toLocaleString('en'));
  const parts = [
    ...(down === '' ? [] : [down]),
    ...(unknown === 0 ? [] : [`${unknown.toLocaleString('en')} not known`]),
    ...(stopped === 0 ? [] : [`${stopped.toLocaleString('en')} stopped`]),
    ...(coming === 0 ? [] : [`${coming.toLocaleString('en')} not up yet`]),
  ];
  return {
    lead: `${serve.toLocaleString('en')} of ${all} ${unknown > 0 ? 'known to serve' : serve === 1 ? 'serves' : 'serve'}`,
    rest: parts.map((part) => `, ${part}`).join(''),
    proven: `${known} of ${all} ${rows.length === 1 ? 'state' : 'states'} proven`,
  };
}

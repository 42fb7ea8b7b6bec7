import { headAt } from '../../evidence/head-at.ts';
import type { Host } from '../../evidence/host.ts';
import { fileAt } from '../../evidence/past.ts';
import { fileNow } from '../../evidence/service-file.ts';
import { partsAsOf } from '../../projection/freshness.ts';
import { rfc3339, rfc3339OrNull } from '../../projection/instant.ts';
import type { LeaseRow } from '../../store/schema.ts';
import { Refused } from '../problems.ts';
import { legible } from './legible.ts';

/** What the agents showed of a service last, or had shown at an instant. Messages of the runtime are for operators. */
export async function instancesOf(
  host: Host,
  org: string,
  service: string,
  at: number | null,
  detail: boolean,
) {
  const file = await host.store.read(async (tx) => {
    if (at === null) return (await fileNow(tx, host.settings, org, service))?.file ?? null;
    const past = await fileAt(tx, host.settings, org, service, { at, head: await headAt(tx, org, at) });
    if (past === null) throw new Refused('not_found', 'There was no such service then.');
    return past;
  });
  const parts = file === null ? [] : partsAsOf(file.proven.observed, file.facts.vitals);
  return parts.flatMap(([{ instances }, asOf]) =>
    instances.map(({ steady: _steady, message, node, ...seen }) => ({
      ...seen,
      ...(detail ? { message: message ?? null, node: node ?? null } : {}),
      asOf: rfc3339(asOf),
    })),
  );
}

/** Every lease of a service's commands, the earliest first. */
export async function leasesOf(host: Host, org: string, service: string) {
  const rows = await host.store.read(async (tx) => {
    const found: LeaseRow[] = [];
    for (const { id } of await tx.select('commands', { org, service }))
      found.push(...(await tx.select('leases', { org, command: id })));
    return found;
  });
  rows.sort((a, b) => a.grantedAt - b.grantedAt);
  return legible(rows, ({ id }) => id, leaseView);
}

function leaseView(row: LeaseRow) {
  const { id, command, kind, fence, worker, instance, grantedAt, acknowledgedAt, endedAt, end } = row;
  return {
    lease: id,
    command,
    kind,
    fence,
    holder: { worker, instance },
    grantedAt: rfc3339(grantedAt),
    acknowledgedAt: rfc3339OrNull(acknowledgedAt),
    endedAt: rfc3339OrNull(endedAt),
    end,
  };
}

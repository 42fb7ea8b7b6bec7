import { compareDigits, type Digits } from '../../contract/digits.ts';
import { type Caller, isBoundTo, isUnbound } from '../../evidence/caller.ts';
import type { Host } from '../../evidence/host.ts';
import { type Gap, gapsAfter } from '../../evidence/recoveries.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { gt } from '../../store/port.ts';
import type { AnyLedgerRow, TransitionRow } from '../../store/schema.ts';

/** The reason that only what was refused has is what its indexes go by. */
const REFUSED = { verdict: 'rejected', reason: { op: 'ne', value: null } } as const;

/** In ledger order, from a position on. */
export function transitionsPage(
  host: Host,
  org: string,
  service: string,
  after: Digits,
  limit: number,
): Promise<TransitionRow[]> {
  return host.store.read((tx) =>
    tx.select('transitions', { org, service, position: gt(after) }, { order: 'position', limit }),
  );
}

/** What was restored or failed over in the stretch of a page: up to its last row, or to the end on the last page. */
export async function recoveriesIn(
  host: Host,
  org: string,
  after: Digits,
  last: Digits | null,
): Promise<Gap[]> {
  const gaps = await host.store.read((tx) => gapsAfter(tx, org, after));
  return last === null ? gaps : gaps.filter(({ to }) => compareDigits(to, last) < 0);
}

export function evidencePage(
  host: Host,
  org: string,
  service: string,
  after: Digits,
  limit: number,
  verdict: 'admitted' | 'rejected' | undefined,
): Promise<AnyLedgerRow[]> {
  const where = { org, service, position: gt(after) };
  const only = { ...where, ...(verdict === 'rejected' ? REFUSED : { verdict }) } as typeof where;
  return host.store.read((tx) =>
    tx.select('ledger', verdict === undefined ? where : only, { order: 'position', limit }),
  );
}

/** What was refused in an org, as far as the caller is bound to it; what names no service only who is bound to none sees. */
export function refusedPage(
  host: Host,
  caller: Caller,
  after: Digits,
  limit: number,
): Promise<AnyLedgerRow[]> {
  const maySee = ({ service }: AnyLedgerRow) =>
    service === null ? isUnbound(caller) : isBoundTo(caller, service);
  return host.store.read(async (tx) => {
    const found: AnyLedgerRow[] = [];
    for (let from = after; ; ) {
      const where = { org: caller.org, position: gt(from), ...REFUSED };
      const rows = await tx.select('ledger', where as { org: string }, { order: 'position', limit });
      found.push(...rows.filter(maySee));
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit || found.length >= limit) return found.slice(0, limit);
      from = last.position;
    }
  });
}

export function evidenceItem(row: AnyLedgerRow) {
  const {
    id,
    position,
    kind,
    service,
    revision,
    attempt,
    command,
    fence,
    source,
    receivedAt,
    observedAt,
    verdict,
    body,
  } = row;
  const reason = verdict === 'rejected' ? row.reason : null;
  return {
    id,
    position,
    kind,
    service,
    revision,
    attempt,
    command,
    fence,
    source,
    receivedAt: rfc3339(receivedAt),
    observedAt,
    verdict,
    reason,
    body,
  };
}

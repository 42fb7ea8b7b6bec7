import type { Digits } from '../../contract/digits.ts';
import type { Host } from '../../evidence/host.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { gt } from '../../store/port.ts';
import type { AnyLedgerRow, TransitionRow } from '../../store/schema.ts';

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

export function evidencePage(
  host: Host,
  org: string,
  service: string,
  after: Digits,
  limit: number,
  verdict: 'admitted' | 'rejected' | undefined,
): Promise<AnyLedgerRow[]> {
  const where = { org, service, position: gt(after) };
  // The reason that only what was refused has is what its index goes by.
  const reason = { op: 'ne', value: null } as const;
  const only = { ...where, verdict, ...(verdict === 'rejected' ? { reason } : {}) } as typeof where;
  return host.store.read((tx) =>
    tx.select('ledger', verdict === undefined ? where : only, { order: 'position', limit }),
  );
}

export function evidenceItem(row: AnyLedgerRow) {
  const {
    id,
    position,
    kind,
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

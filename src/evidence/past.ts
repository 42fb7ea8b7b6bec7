import { leaseId } from '../contract/command-id.ts';
import type { Evidence } from '../contract/evidence.ts';
import { targetOf } from '../contract/intent.ts';
import type { AgentVitals, LeaseVitals, ScopeVitals, Settings, Vitals } from '../projection/facts.ts';
import { fold } from '../projection/fold.ts';
import { lte, type ReadTx } from '../store/port.ts';
import type { AnyLedgerRow, ScopeRow, SpanRow } from '../store/schema.ts';
import { loadIntent, ServiceFile } from './service-file.ts';

/**
 * A service as it was at an instant: the ledger is a prefix, and a span says of every instant inside it that the
 * subject was alive, although not to the millisecond how long ago it had last been heard.
 */
export async function fileAt(
  tx: ReadTx,
  settings: Settings,
  org: string,
  service: string,
  at: number,
): Promise<ServiceFile | null> {
  const rows = await tx.select('ledger', { org, service, receivedAt: lte(at) }, { order: 'position' });
  const admitted = rows.filter(isAdmitted);
  if (admitted.length === 0) return null;
  const file = new ServiceFile(
    null,
    { org, service, at },
    await vitalsAt(tx, settings, org, service, at, admitted),
  );
  for (const row of admitted) file.proven = fold(file.proven, row);
  await loadIntent(tx, file);
  const [last] = await tx.select(
    'transitions',
    { org, service, at: lte(at) },
    { order: 'position', descending: true, limit: 1 },
  );
  if (last !== undefined) {
    const { to, revision, attempt, position } = last;
    file.recorded = { state: to, revision, attempt, since: last.at, position };
  }
  return file;
}

export function isAdmitted(row: AnyLedgerRow): row is Evidence & { verdict: 'admitted' } {
  return row.verdict === 'admitted';
}

async function vitalsAt(
  tx: ReadTx,
  settings: Settings,
  org: string,
  service: string,
  at: number,
  admitted: readonly Evidence[],
): Promise<Vitals> {
  const target = targetOf(service);
  const blind = (await tx.select('blinds', { org })).filter((b) => b.from < at);
  const asleep = blind.find((b) => at < b.to);
  const [recovery] = await tx.select(
    'recoveries',
    { org, at: lte(at) },
    { order: 'at', descending: true, limit: 1 },
  );
  return {
    settings,
    scopes: await scopesAt(tx, org, target, at),
    agent: await agentAt(tx, org, target, at),
    lease: await leaseAt(tx, org, at, admitted),
    workers: [],
    blind: blind.filter((b) => b.to <= at).map(({ from, to }) => ({ from, to })),
    awakeUntil: asleep === undefined ? at : asleep.from,
    recoveredAt: recovery?.at ?? null,
  };
}

async function scopesAt(tx: ReadTx, org: string, target: string, at: number): Promise<ScopeVitals[]> {
  const found: ScopeVitals[] = [];
  for (const row of await tx.select('scopes', { org, target })) {
    const span = row.spanFrom <= at ? row : await closedSpan(tx, org, `scope/${target}/${row.scope}`, at);
    if (span === undefined) continue;
    found.push({
      scope: row.scope,
      epoch: span.epoch ?? row.epoch,
      asOf: Math.min(until(span), at),
      receivedAt: Math.min(span.receivedAt, at),
      completeAt: span.completeAt === null ? null : Math.min(span.completeAt, at),
      unavailable: span === row ? row.unavailable : null,
    });
  }
  return found;
}

const until = (span: ScopeRow | SpanRow) => ('until' in span ? span.until : span.asOf);

async function closedSpan(
  tx: ReadTx,
  org: string,
  subject: string,
  at: number,
): Promise<SpanRow | undefined> {
  const [span] = await tx.select(
    'spans',
    { org, subject, from: lte(at) },
    { order: 'from', descending: true, limit: 1 },
  );
  return span;
}

/** Registrations are in the ledger: which epoch and which identity spoke for the target then. */
async function agentAt(tx: ReadTx, org: string, target: string, at: number): Promise<AgentVitals | null> {
  const rows = await tx.select(
    'ledger',
    { org, target, service: null, receivedAt: lte(at) },
    { order: 'position' },
  );
  let agent: AgentVitals | null = null as AgentVitals | null;
  for (const row of rows) {
    if (!isAdmitted(row) || row.kind !== 'agent.heartbeat') continue;
    const { epoch, changed } = row.body;
    const before: AgentVitals | null = changed ? null : agent;
    agent = {
      epoch,
      registeredAt: row.receivedAt,
      evidence: row.id,
      identityEpoch: before?.identityEpoch ?? epoch,
      identitySince: before?.identitySince ?? row.receivedAt,
      identityChanged: changed || (before?.identityChanged ?? false),
    };
  }
  return agent;
}

async function leaseAt(
  tx: ReadTx,
  org: string,
  at: number,
  admitted: readonly Evidence[],
): Promise<LeaseVitals | null> {
  const named = admitted.findLast((e) => e.command !== null && e.fence !== null);
  if (named === undefined || named.command === null || named.fence === null) return null;
  const lease = await tx.get('leases', { org, id: leaseId(named.command, named.fence) });
  if (lease === undefined) return null;
  const closed = await tx.select('spans', { org, subject: `lease/${lease.id}` }, { order: 'from' });
  // A closed span counts until the lease was heard of again.
  const silence = closed.find((span) => at < span.receivedAt);
  return {
    command: lease.command,
    fence: lease.fence,
    holder: lease.worker,
    grantedAt: lease.grantedAt,
    acknowledged: lease.acknowledgedAt !== null && lease.acknowledgedAt <= at,
    until: silence?.until ?? lease.until,
    ended: lease.endedAt !== null && lease.endedAt <= at,
  };
}

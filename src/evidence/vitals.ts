import { leaseId } from '../contract/command-id.ts';
import { targetOf } from '../contract/names.ts';
import type { CommandKind } from '../contract/vocabulary.ts';
import type { AgentVitals, LeaseVitals, ScopeVitals, Vitals, WorkerVitals } from '../projection/facts.ts';
import type { Interval } from '../projection/intervals.ts';
import { isReadable } from '../store/columns.ts';
import type { ReadTx } from '../store/port.ts';
import type { AgentRow, CommandRow, HeadRow, LeaseRow, ScopeRow } from '../store/schema.ts';
import { covers } from './caller.ts';

/** What is alive around every service of an org, and around every service of a target. */
export type PlatformVitals = Pick<Vitals, 'blind' | 'awakeUntil' | 'recoveredAt'>;
export type TargetVitals = Pick<Vitals, 'scopes' | 'agent'>;

export async function platformVitals(tx: ReadTx, { org, recoveredAt }: Pick<HeadRow, 'org' | 'recoveredAt'>) {
  const platform: PlatformVitals = {
    blind: await blindness(tx, org),
    awakeUntil: await lastBeat(tx),
    recoveredAt,
  };
  return platform;
}

export function targetVitals(scopes: readonly ScopeRow[], agent: AgentRow | undefined): TargetVitals {
  return { scopes: scopes.map(scopeVitals), agent: agentVitals(agent) };
}

/** The newest lease of the command that an attempt waits for. */
export async function commandLease(
  tx: ReadTx,
  org: string,
  command: string | null,
): Promise<LeaseVitals | null> {
  const row = command === null ? undefined : await tx.get('commands', { org, id: command });
  return row === undefined ? null : newestLease(tx, row);
}

export function scopeVitals(row: ScopeRow): ScopeVitals {
  const { scope, epoch, asOf, receivedAt, completeAt, unavailable } = row;
  return { scope, epoch, asOf, receivedAt, completeAt, unavailable };
}

export function agentVitals(row: AgentRow | undefined): AgentVitals | null {
  if (row === undefined) return null;
  const { epoch, registeredAt, evidence, identityEpoch, identitySince, identityChanged } = row;
  return { epoch, registeredAt, evidence, identityEpoch, identitySince, identityChanged };
}

/** What was not handed over yet was never leased. */
async function newestLease(tx: ReadTx, command: CommandRow): Promise<LeaseVitals | null> {
  if (command.state === 'held' || command.state === 'recorded') return null;
  const lease = await tx.get('leases', { org: command.org, id: leaseId(command.id, command.fence) });
  return lease === undefined ? null : leaseVitals(lease);
}

export function leaseVitals(lease: LeaseRow): LeaseVitals {
  return {
    command: lease.command,
    fence: lease.fence,
    holder: lease.worker,
    grantedAt: lease.grantedAt,
    acknowledged: lease.acknowledgedAt !== null,
    until: lease.until,
    ended: lease.endedAt !== null,
  };
}

export async function blindness(tx: ReadTx, org: string): Promise<readonly Interval[]> {
  const rows = await tx.select('blinds', { org });
  return rows.map(({ from, to }) => ({ from, to }));
}

/** The platform is awake up to the newest beat of any server. */
export async function lastBeat(tx: ReadTx): Promise<number> {
  const beats = await tx.select('beats', {});
  return beats.reduce((latest, beat) => Math.max(latest, beat.at), 0);
}

/** Who could take a command of this kind: its kinds and its token's binding cover it. */
export async function workersFor(
  tx: ReadTx,
  org: string,
  kind: CommandKind,
  service: string,
): Promise<WorkerVitals[]> {
  const target = targetOf(service);
  const found: WorkerVitals[] = [];
  for (const worker of await tx.select('workers', { org })) {
    if (!isReadable(worker)) continue;
    if (!worker.kinds.includes(kind) || !covers(worker.target, target) || !covers(worker.service, service))
      continue;
    const held = await tx.select('leases', { org, instance: worker.instance, endedAt: null });
    const busyUntil = held.length === 0 ? null : Math.max(...held.map(({ until }) => until));
    found.push({ worker: worker.worker, seenAt: worker.seenAt, busyUntil });
  }
  return found;
}

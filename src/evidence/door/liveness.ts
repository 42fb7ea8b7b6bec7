import { leaseId } from '../../contract/command-id.ts';
import { targetOf } from '../../contract/names.ts';
import type { CommandKind } from '../../contract/vocabulary.ts';
import type {
  AgentLiveness,
  LeaseLiveness,
  Liveness,
  ScopeLiveness,
  Settings,
  WorkerLiveness,
} from '../../projection/facts.ts';
import { isReadable, readableOrNull } from '../../store/columns.ts';
import { gt, type ReadTx } from '../../store/port.ts';
import type {
  AgentRow,
  BeatRow,
  BlindRow,
  CommandRow,
  LeaseRow,
  ScopeRow,
  ServiceRow,
} from '../../store/schema.ts';
import { isSound } from '../report/sound-scope.ts';
import { covers } from './caller.ts';
import { lastContactUnder } from './worker-seen.ts';

/** The part of the liveness that every service of an org shares, and the part that every service of a target shares. */
export type PlatformLiveness = Pick<Liveness, 'blind' | 'awakeUntil' | 'recoveredAt' | 'lost'>;
export type TargetLiveness = Pick<Liveness, 'scopes' | 'unread' | 'agent'>;

export function platformLiveness(
  blinds: readonly BlindRow[],
  beats: readonly BeatRow[],
  recoveredAt: number | null,
): PlatformLiveness {
  const blind = blinds.map(({ from, to }) => ({ from, to })).filter(isReadable);
  return { blind, awakeUntil: newestBeat(beats), recoveredAt, lost: null };
}

export function targetLiveness(
  scopes: readonly ScopeRow[],
  agent: AgentRow | undefined,
  now: number,
): TargetLiveness {
  return readableLiveness(scopes.map(scopeLiveness), agentLiveness(agent), now);
}

/**
 * Leaves out rows that cannot be read: they vouch for nothing (F56). Without the agent nobody can tell whether what the
 * scopes showed is the cluster that the target has now.
 */
export function readableLiveness(
  scopes: readonly ScopeLiveness[],
  agent: AgentLiveness | null,
  now: number,
): TargetLiveness {
  if (agent !== null && !isReadable(agent)) return { scopes: [], unread: scopes.map(nameOf), agent: null };
  const read = scopes.filter((scope) => isSound(scope, now));
  const unread = read.length === scopes.length ? NONE : scopes.filter((s) => !read.includes(s)).map(nameOf);
  return { scopes: read, unread, agent };
}

const NONE: readonly string[] = [];
const nameOf = ({ scope }: ScopeLiveness) => scope;

/** The newest lease of the command that an attempt waits for. */
export async function commandLease(
  tx: ReadTx,
  org: string,
  command: string | null,
): Promise<LeaseLiveness | null> {
  const row = command === null ? undefined : await tx.get('commands', { org, id: command });
  return row === undefined ? null : newestLease(tx, row);
}

export function scopeLiveness(row: ScopeRow): ScopeLiveness {
  const { scope, epoch, asOf, receivedAt, completeAt, unavailable } = row;
  // mutant: scope-as-of
  return { scope, epoch, asOf, receivedAt, completeAt, unavailable };
}

export function agentLiveness(row: AgentRow | undefined): AgentLiveness | null {
  if (row === undefined) return null;
  const { epoch, registeredAt, evidence, identityEpoch, identitySince, identityChanged } = row;
  return { epoch, registeredAt, evidence, identityEpoch, identitySince, identityChanged };
}

/** The newest lease of a command. A command that was not published yet was never leased. */
export async function newestLease(tx: ReadTx, command: CommandRow): Promise<LeaseLiveness | null> {
  if (command.state === 'held' || command.state === 'recorded' || !isReadable(command)) return null;
  const lease = await tx.get('leases', { org: command.org, id: leaseId(command.id, command.fence) });
  const liveness = lease === undefined ? null : leaseLiveness(lease);
  return liveness !== null && isReadable(liveness) ? liveness : null;
}

export function leaseLiveness(lease: LeaseRow): LeaseLiveness {
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

/** The platform is awake up to the newest beat of any server. */
export async function lastBeat(tx: ReadTx): Promise<number> {
  return newestBeat(await tx.select('beats', {}));
}

const newestBeat = (beats: readonly BeatRow[]) =>
  beats.reduce((latest, { at }) => (at > latest ? at : latest), 0);

/**
 * The workers that could take a command of this kind: their kinds and their token's binding cover it. Reads only those
 * with a recent contact or an open lease, and the agent of the target: all others are neither free nor busy. A call
 * under a lease is a contact like a request for work, and so is a report.
 */
export async function workersFor(
  tx: ReadTx,
  { org, service }: Pick<ServiceRow, 'org' | 'service'>,
  kind: CommandKind,
  now: number,
  { freshForMs, leaseTtlMs }: Pick<Settings, 'freshForMs' | 'leaseTtlMs'>,
): Promise<WorkerLiveness[]> {
  const target = targetOf(service);
  const heardOfLate = Math.min(now, now - freshForMs + leaseTtlMs);
  const [online, leases, [agent]] = await tx.readAll([
    { table: 'workers', where: { org, seenAt: gt(now - freshForMs) } },
    { table: 'leases', where: { org, endedAt: null, until: gt(heardOfLate) } },
    { table: 'agents', keys: [{ org, target }] },
  ]);
  const speaks = agent === undefined ? [] : [{ org, worker: agent.agent, instance: agent.instance }];
  const [others] = await tx.readAll([{ table: 'workers', keys: [...leases, ...speaks] }]);
  const rows = new Map([...online, ...others].map((row) => [`${row.worker} ${row.instance}`, row]));
  const held = heldBy(leases.filter(isReadable), now, leaseTtlMs);
  const reportedAt = readableOrNull(agent?.seenAt) ?? 0;
  return [...rows.values()]
    .filter(isReadable)
    .filter((w) => w.kinds.includes(kind) && covers(w.target, target) && covers(w.service, service))
    .map(({ worker, instance, seenAt }) => {
      const { heardAt = 0, busyUntil = null } = held.get(instance) ?? {};
      // mutant: report-is-call
      const reported = instance === agent?.instance ? reportedAt : 0;
      return { worker, seenAt: Math.max(seenAt, heardAt, reported), busyUntil };
    });
}

/** The last contact of each instance that holds a lease, and until when it is busy, by its open leases. */
function heldBy(leases: readonly LeaseRow[], now: number, leaseTtlMs: number) {
  const held = new Map<string, { readonly heardAt: number; readonly busyUntil: number | null }>();
  for (const lease of leases) {
    const { instance, until } = lease;
    const { heardAt = 0, busyUntil = null } = held.get(instance) ?? {};
    held.set(instance, {
      heardAt: Math.max(heardAt, lastContactUnder(lease, leaseTtlMs)),
      // mutant: busy-until
      busyUntil: now < until ? Math.max(busyUntil ?? 0, until) : busyUntil,
    });
  }
  return held;
}

import { covers } from '../../access/binding.ts';
import { leaseId } from '../../contract/command-id.ts';
import { ZERO } from '../../contract/digits.ts';
import { targetOf } from '../../contract/names.ts';
import type { Places } from '../../contract/places.ts';
import type { CommandKind } from '../../contract/vocabulary.ts';
import type {
  AgentLiveness,
  LeaseLiveness,
  Liveness,
  ScopeLiveness,
  Settings,
  WorkerLiveness,
} from '../../projection/facts.ts';
import { isIntact, NAMELESS, pick, readable, type Stored } from '../../store/broken-row.ts';
import { gt, gte, type ReadTx } from '../../store/port.ts';
import type { AgentRow, Key, LeaseRow, ScopeRow, ServiceRow, WorkerRow } from '../../store/schema.ts';
import { isSound } from '../report/sound-scope.ts';
import { lastContactUnder } from './worker-contact.ts';

/** The part of the liveness that every service of an org shares, and the part that every service of a target shares. */
export type PlatformLiveness = Pick<Liveness, 'blind' | 'awakeUntil' | 'recoveredAt' | 'lost'>;
export type TargetLiveness = Pick<Liveness, 'scopes' | 'unread' | 'agent'>;

export function platformLiveness(
  blinds: readonly Stored<'blinds'>[],
  beats: readonly Stored<'beats'>[],
  recoveredAt: number | null,
): PlatformLiveness {
  const blind = blinds.flatMap((row) => pick(row, 'from', 'to') ?? []);
  return { blind, awakeUntil: newestBeat(beats), recoveredAt, lost: null };
}

/** A scope as it is read; its liveness is undefined if that cannot be read. */
export interface ReadScope {
  readonly scope: string;
  readonly liveness: ScopeLiveness | undefined;
}

/** The agent of a target as it is read; null: there is none. */
type ReadAgent = AgentLiveness | null | 'broken';

export function targetLiveness(
  scopes: readonly Stored<'scopes'>[],
  agent: Stored<'agents'> | undefined,
  now: number,
): TargetLiveness {
  const read = scopes.map((row) => ({
    scope: readable(row).scope ?? NAMELESS,
    liveness: scopeLiveness(row),
  }));
  return readableLiveness(read, agentLiveness(agent, now), now);
}

/**
 * Leaves out rows that cannot be read: they prove no liveness (F56). Without the agent nobody can tell if the
 * scopes describe the cluster that the target has now.
 */
export function readableLiveness(
  scopes: readonly ReadScope[],
  agent: ReadAgent,
  now: number,
): TargetLiveness {
  if (agent === 'broken') return { scopes: [], unread: scopes.map(({ scope }) => scope), agent: null };
  const sound: ScopeLiveness[] = [];
  const unread: string[] = [];
  for (const { scope, liveness } of scopes) {
    if (liveness !== undefined && isSound(liveness, now)) sound.push(liveness);
    else unread.push(scope);
  }
  return { scopes: sound, unread, agent };
}

/** The newest lease of the command that an attempt waits for. */
export async function commandLease(
  tx: ReadTx,
  org: string,
  command: string | null,
): Promise<LeaseLiveness | null> {
  const row = command === null ? undefined : await tx.get('commands', { org, id: command });
  return row === undefined ? null : newestLease(tx, row);
}

/** Undefined if a part of it cannot be read. */
export function scopeLiveness(row: ScopeRow): ScopeLiveness;
export function scopeLiveness(row: Stored<'scopes'>): ScopeLiveness | undefined;
export function scopeLiveness(row: Stored<'scopes'>): ScopeLiveness | undefined {
  const read = pick(row, 'scope', 'epoch', 'asOf', 'receivedAt', 'completeAt', 'unavailable');
  // mutant: scope-as-of
  return read;
}

/** `at` is the instant of which the liveness is asked: what was retired later was not retired then. */
export function agentLiveness(row: AgentRow, at: number): AgentLiveness;
export function agentLiveness(row: Stored<'agents' | 'registrations'> | undefined, at: number): ReadAgent;
export function agentLiveness(row: Stored<'agents' | 'registrations'> | undefined, at: number): ReadAgent {
  if (row === undefined) return null;
  const read = pick(row, ...AGENT_LIVENESS);
  if (read === undefined) return 'broken';
  const { runs, retired } = placesOf(read);
  return { ...read, places: { runs, retired: retired.filter((place) => place.at <= at) } };
}

/** A row from before places were kept names none: what it says of identities is judged by epochs alone. */
export function placesOf({
  places,
  ...row
}: Pick<AgentRow, 'places' | 'identityEpoch' | 'identitySince'> & { readonly identity?: string }): Places {
  if (places !== null) return places;
  const { identity = '', identityEpoch: epoch, identitySince: at } = row;
  return { runs: [{ identity, epoch, position: ZERO, at }], retired: [] };
}

const AGENT_LIVENESS = [
  'epoch',
  'registeredAt',
  'evidence',
  'identityEpoch',
  'identitySince',
  'identityChanged',
  'places',
] as const;

/** The key of a command's newest lease. A command that is not published yet was never leased. */
export function newestLeaseKey(command: Stored<'commands'>): Key<'leases'> | null {
  if (!isIntact(command) || command.state === 'held' || command.state === 'recorded') return null;
  return { org: command.org, id: leaseId(command.id, command.fence) };
}

async function newestLease(tx: ReadTx, command: Stored<'commands'>): Promise<LeaseLiveness | null> {
  const key = newestLeaseKey(command);
  return key === null ? null : readLease(await tx.get('leases', key));
}

/** Null if there is none, or if it cannot be read. */
export function readLease(lease: Stored<'leases'> | undefined): LeaseLiveness | null {
  const read = pick(lease, ...LEASE_LIVENESS);
  return read === undefined ? null : leaseLiveness(read);
}

const LEASE_LIVENESS = [
  'command',
  'fence',
  'worker',
  'grantedAt',
  'acknowledgedAt',
  'until',
  'endedAt',
] as const satisfies readonly (keyof LeaseRow)[];

export function leaseLiveness(lease: Pick<LeaseRow, (typeof LEASE_LIVENESS)[number]>): LeaseLiveness {
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

const newestBeat = (beats: readonly Stored<'beats'>[]) =>
  beats.reduce((latest, row) => Math.max(latest, readable(row).at ?? 0), 0);

/** The workers that could acquire a command of this kind: their kinds and their token's binding cover it. */
export async function workersFor(
  tx: ReadTx,
  { org, service }: Pick<ServiceRow, 'org' | 'service'>,
  kind: CommandKind,
  now: number,
  settings: Pick<Settings, 'freshForMs' | 'leaseTtlMs'>,
): Promise<WorkerLiveness[]> {
  return workersAmong(await readWorkers(tx, org, targetOf(service), now, settings), service, kind);
}

/** The workers that could take commands for a target, whatever their kinds and bindings. */
export interface TargetWorkers {
  readonly target: string;
  readonly rows: readonly WorkerRow[];
  readonly held: ReturnType<typeof heldBy>;
  /** The process that speaks for the target, and when it last reported. */
  readonly speaking: string | undefined;
  readonly reportedAt: number;
}

/**
 * Reads only those with a recent contact or an open lease, and the agent of the target: all others are
 * neither free nor busy. A call under a lease is a contact like a request for work, and so is a report.
 */
export async function readWorkers(
  tx: ReadTx,
  org: string,
  target: string,
  now: number,
  { freshForMs, leaseTtlMs }: Pick<Settings, 'freshForMs' | 'leaseTtlMs'>,
): Promise<TargetWorkers> {
  const contactSince = Math.min(now, now - freshForMs + leaseTtlMs);
  const [online, leases, [agent]] = await tx.readAll([
    { table: 'workers', where: { org, seenAt: gt(now - freshForMs) } },
    // Every open lease has such an instant: naming it lets the index of open leases be used.
    { table: 'leases', where: { org, endedAt: null, sweepAt: gte(0), until: gt(contactSince) } },
    { table: 'agents', keys: [{ org, target }] },
  ]);
  const { agent: worker, instance: speaking, seenAt: reportedAt = 0 } = readable(agent);
  const speaks = worker === undefined || speaking === undefined ? [] : [{ org, worker, instance: speaking }];
  const holders = leases.flatMap((lease) => pick(lease, 'org', 'worker', 'instance') ?? []);
  const [others] = await tx.readAll([{ table: 'workers', keys: [...holders, ...speaks] }]);
  const workers = [...online, ...others].filter(isIntact);
  const rows = new Map(workers.map((row) => [`${row.worker} ${row.instance}`, row]));
  return {
    target,
    rows: [...rows.values()],
    held: heldBy(leases.filter(isIntact), now, leaseTtlMs),
    speaking,
    reportedAt,
  };
}

export function workersAmong(
  { target, rows, held, speaking, reportedAt }: TargetWorkers,
  service: string,
  kind: CommandKind,
): WorkerLiveness[] {
  return rows
    .filter((w) => w.kinds.includes(kind) && covers(w.target, target) && covers(w.service, service))
    .map(({ worker, instance, seenAt }) => {
      const { contactAt = 0, busyUntil = null } = held.get(instance) ?? {};
      // mutant: report-is-call
      const reported = instance === speaking ? reportedAt : 0;
      return { worker, seenAt: Math.max(seenAt, contactAt, reported), busyUntil };
    });
}

/**
 * The last contact of each instance that holds a lease, and the instant until which it is busy, by its open
 * leases.
 */
function heldBy(leases: readonly LeaseRow[], now: number, leaseTtlMs: number) {
  const held = new Map<string, { readonly contactAt: number; readonly busyUntil: number | null }>();
  for (const lease of leases) {
    const { instance, until } = lease;
    const { contactAt = 0, busyUntil = null } = held.get(instance) ?? {};
    held.set(instance, {
      contactAt: Math.max(contactAt, lastContactUnder(lease, leaseTtlMs)),
      // mutant: busy-until
      busyUntil: now < until ? Math.max(busyUntil ?? 0, until) : busyUntil,
    });
  }
  return held;
}

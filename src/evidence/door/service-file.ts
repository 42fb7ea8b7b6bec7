import { type Digits, ZERO } from '../../contract/digits.ts';
import type { Intent } from '../../contract/intent.ts';
import { targetOf } from '../../contract/names.ts';
import { STATES } from '../../contract/vocabulary.ts';
import {
  type Facts,
  type Liveness,
  NOTHING_PROVEN,
  type Proven,
  type Recorded,
  type RevisionFacts,
  type Settings,
} from '../../projection/facts.ts';
import { judge } from '../../projection/judge.ts';
import { activeOf } from '../../projection/queue.ts';
import type { Standing } from '../../projection/standing.ts';
import { intact, isIntact, pick, readable, type Stored } from '../../store/broken-row.ts';
import { oneOf, type Read, type ReadTx } from '../../store/port.ts';
import type { RevisionRow } from '../../store/schema.ts';
import { readFacts } from './facts-cache.ts';
import {
  commandLease,
  newestLeaseKey,
  type PlatformLiveness,
  platformLiveness,
  readLease,
  type TargetLiveness,
  targetLiveness,
} from './liveness.ts';

/** Everything about one service that a transaction works on: its intent, its proven facts, its liveness. */
export class ServiceFile {
  readonly org: string;
  readonly service: string;
  createdAt: number;
  /** The row as it was read; null for a service that is being created. */
  readonly stored: Stored<'services'> | null;
  revisions: readonly RevisionRow[];
  /** The stored facts cannot be read: nothing is proven until they are folded again from the ledger. */
  unreadable: boolean;
  proven: Proven;
  liveness: Liveness;
  /** The claim that the last recorded transition led to; null before the first. */
  recorded: Recorded | null;
  /** The id of the command that the active attempt waits for. */
  command: string | null;
  /** The highest revision issued. */
  newest: number;
  /** The number of rejected pieces of evidence about the service. */
  rejected: number;
  /** The service is stopped and left out of lists, until it is deployed again. */
  hidden: boolean;
  /** The instant up to which changes by time alone are recorded as transitions. */
  settledTo: number;
  /** The number of ledger rows since the newest checkpoint, admitted and rejected. */
  sinceCheckpoint: number;

  constructor(
    stored: Stored<'services'> | null,
    fresh: { org: string; service: string; at: number },
    liveness: Liveness,
  ) {
    this.stored = stored;
    this.org = fresh.org;
    this.service = fresh.service;
    const row = readable(stored ?? undefined);
    this.createdAt = row.createdAt ?? fresh.at;
    this.revisions = [];
    const proven = stored === null ? NOTHING_PROVEN : isIntact(stored) ? readFacts(stored.proven) : null;
    this.proven = proven ?? NOTHING_PROVEN;
    this.unreadable = proven === null;
    this.liveness = liveness;
    this.recorded = stored === null ? null : recordedOf(stored);
    this.command = row.command ?? null;
    this.newest = row.newest ?? 0;
    this.rejected = row.rejected ?? 0;
    this.hidden = row.hidden ?? false;
    this.settledTo = row.settledTo ?? fresh.at;
    this.sinceCheckpoint = row.sinceCheckpoint ?? 0;
  }

  get intent(): Intent {
    return { service: this.service, revisions: this.revisions };
  }

  get facts(): Facts {
    return { proven: this.proven, liveness: this.liveness, recorded: this.recorded };
  }

  /** The active revision. A service has one from its first intent on. */
  get active(): RevisionFacts | undefined {
    return activeOf(this.proven);
  }

  get activeIntent(): RevisionRow | undefined {
    return this.revisions.find((r) => r.revision === this.active?.revision);
  }

  #judged: { readonly now: number; readonly of: readonly unknown[]; readonly standing: Standing } | null =
    null;

  /** The standing at an instant; judged once for the same facts and instant, however often a transaction reads it. */
  standing(now: number): Standing {
    const last = this.#judged;
    const { proven, liveness, revisions } = this;
    if (
      last !== null &&
      last.now === now &&
      last.of[0] === proven &&
      last.of[1] === liveness &&
      last.of[2] === revisions
    ) {
      return last.standing;
    }
    const standing = judge(this.intent, this.facts, now);
    this.#judged = { now, of: [proven, liveness, revisions], standing };
    return standing;
  }
}

function recordedOf(row: Stored<'services'>): Recorded | null {
  const read = pick(row, 'position', 'state', 'active', 'attempt', 'since');
  if (read === undefined || read.position === '0') return null;
  const { active: revision, attempt, since, position } = read;
  // A text that is no state counts as `unknown`.
  const state = STATES.includes(read.state) ? read.state : 'unknown';
  return { state, revision, attempt, since, position };
}

/** The settings and the liveness around a service, as the transaction has read them. */
export interface Surroundings {
  readonly settings: Settings;
  readonly platform: PlatformLiveness;
  readonly target: TargetLiveness;
}

export async function openFile(
  tx: ReadTx,
  { settings, platform, target }: Surroundings,
  { org, service, at }: { org: string; service: string; at: number },
  stored: Stored<'services'> | undefined,
): Promise<ServiceFile> {
  const lease = await commandLease(tx, org, readable(stored).command ?? null);
  const liveness: Liveness = { settings, ...platform, ...target, lease, workers: [] };
  const file = new ServiceFile(stored ?? null, { org, service, at }, liveness);
  await loadIntent(tx, file);
  return file;
}

interface CurrentFile {
  readonly file: ServiceFile;
  /** The instant of the snapshot, never before what is recorded. */
  readonly now: number;
  readonly position: Digits;
}

/** A service as it is now, with its surroundings read for it alone. */
export async function fileNow(
  tx: ReadTx,
  settings: Settings,
  org: string,
  service: string,
): Promise<CurrentFile | null> {
  const services = { table: 'services', keys: [{ org, service }] } as const;
  const { files, now, position } = await filesNow(tx, settings, org, { services, target: targetOf(service) });
  const [file] = files;
  return file === undefined ? null : { file, now, position };
}

/** Names the services to open. */
export interface FilesQuery {
  readonly services: Extract<Read, { readonly table: 'services' }>;
  /** The target of all of them; null: of several targets. */
  readonly target: string | null;
  /** Decides by its row whether a service is opened; without it all are. */
  readonly isWanted?: (row: Stored<'services'>) => boolean;
}

interface CurrentFiles extends Omit<CurrentFile, 'file'> {
  readonly files: readonly ServiceFile[];
  /** The rows that were found, wanted or not, in the order of the read. */
  readonly rows: readonly Stored<'services'>[];
}

/**
 * Services as they are now. Viewers wait for this after every change: for any number of services, rows found by
 * the names are one round trip, rows found by the services' rows another, and the leases a third.
 */
export async function filesNow(
  tx: ReadTx,
  settings: Settings,
  org: string,
  { services, target, isWanted = () => true }: FilesQuery,
): Promise<CurrentFiles> {
  const named = target !== null ? [target] : 'keys' in services ? targetsOf(services.keys) : null;
  const [rows, [head], clock, blinds, beats, ...aroundNamed] = await tx.readAll([
    services,
    { table: 'heads', keys: [{ org }] },
    'now',
    { table: 'blinds', where: { org } },
    { table: 'beats', where: {} },
    ...(named === null ? [] : readsAroundTargets(org, named)),
  ]);
  // Reads scopes and agents of the services that were found, and not of the whole org: a page has few of its targets.
  const [scopes = [], agents = []] =
    named === null ? await tx.readAll(readsAroundTargets(org, targetsOf(rows.map(readable)))) : aroundNamed;
  const { at = 0, recoveredAt = null, position = ZERO } = readable(head);
  const now = Math.max(clock, at);
  const platform = platformLiveness(blinds, beats, recoveredAt);
  const around = new Map<string, TargetLiveness>();
  const livenessOf = (name: string): TargetLiveness => {
    const read =
      around.get(name) ??
      targetLiveness(
        // A scope whose target cannot be read may be of any of them.
        scopes.filter((row) => (readable(row).target ?? name) === name),
        agents.find((row) => (readable(row).target ?? target) === name),
        now,
      );
    around.set(name, read);
    return read;
  };
  const files = rows.flatMap((row) => {
    const { service } = readable(row);
    if (service === undefined || !isWanted(row)) return [];
    const ofService = livenessOf(targetOf(service));
    const liveness: Liveness = { settings, ...platform, ...ofService, lease: null, workers: [] };
    const file = new ServiceFile(row, { org, service, at: now }, liveness);
    // Without a readable head, a recovery since then cannot be excluded either.
    if (intact(head) === undefined) file.proven = NOTHING_PROVEN;
    return [file];
  });
  await loadIntentsAndLeases(tx, org, files);
  return { files, rows, now, position };
}

const targetsOf = (named: readonly { readonly service?: string | undefined }[]): readonly string[] => [
  ...new Set(named.flatMap(({ service }) => (service === undefined ? [] : targetOf(service)))),
];

function readsAroundTargets(org: string, targets: readonly string[]) {
  if (targets.length === 0) return [];
  // As many as a power of two, the last one repeated: a statement is prepared for each number of them.
  const padded = [...targets];
  while ((padded.length & (padded.length - 1)) !== 0) padded.push(targets.at(-1) ?? '');
  const [only = '', ...others] = padded;
  return [
    { table: 'scopes', where: { org, target: others.length === 0 ? only : oneOf(...padded) } },
    { table: 'agents', keys: targets.map((target) => ({ org, target })) },
  ] as const;
}

/** Reads the rows that the services' own rows name. */
async function loadIntentsAndLeases(tx: ReadTx, org: string, files: readonly ServiceFile[]): Promise<void> {
  const [commands, revisions] = await tx.readAll([
    { table: 'commands', keys: files.flatMap(({ command: id }) => (id === null ? [] : [{ org, id }])) },
    {
      table: 'revisions',
      keys: files.flatMap(({ service, proven }) =>
        proven.revisions.map(({ revision }) => ({ org, service, revision })),
      ),
    },
  ]);
  const intents = new Map<string | undefined, Stored<'revisions'>[]>();
  for (const row of revisions) {
    const { service } = readable(row);
    intents.set(service, [...(intents.get(service) ?? []), row]);
  }
  for (const file of files) file.revisions = intentRowsOf(file.proven, intents.get(file.service) ?? []);
  const keys = new Map(commands.map((row) => [readable(row).id, newestLeaseKey(row)]));
  const wanted = [...keys.values()].filter((key) => key !== null);
  if (wanted.length === 0) return;
  const [leases] = await tx.readAll([{ table: 'leases', keys: wanted }]);
  const found = new Map(leases.map((row) => [readable(row).id, row]));
  for (const file of files) {
    const key = file.command === null ? null : (keys.get(file.command) ?? null);
    if (key !== null) file.liveness = { ...file.liveness, lease: readLease(found.get(key.id)) };
  }
}

/** The immutable intents of the revisions in the facts. */
export async function loadIntent(
  tx: ReadTx,
  file: Pick<ServiceFile, 'org' | 'service' | 'proven' | 'revisions'>,
): Promise<void> {
  const { org, service, proven, revisions: have } = file;
  const wanted = proven.revisions;
  if (wanted.length === have.length && wanted.every((r, i) => r.revision === have[i]?.revision)) return;
  const missing = wanted.filter(({ revision }) => !have.some((r) => r.revision === revision));
  const [found] = await tx.readAll([
    { table: 'revisions', keys: missing.map(({ revision }) => ({ org, service, revision })) },
  ]);
  file.revisions = intentRowsOf(proven, [...have, ...found]);
}

/** In the order of the facts; unreadable rows are left out. */
export function intentRowsOf({ revisions }: Proven, rows: readonly Stored<'revisions'>[]): RevisionRow[] {
  const read = rows.filter(isIntact);
  return revisions.flatMap(({ revision }) => read.find((row) => row.revision === revision) ?? []);
}

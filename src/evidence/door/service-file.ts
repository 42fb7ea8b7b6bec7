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
import type { ReadTx } from '../../store/port.ts';
import type { RevisionRow } from '../../store/schema.ts';
import { readFacts } from './facts-cache.ts';
import {
  commandLease,
  newestLease,
  type PlatformLiveness,
  platformLiveness,
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
  recorded: Recorded | null;
  command: string | null;
  newest: number;
  rejected: number;
  hidden: boolean;
  settledTo: number;
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

/**
 * A service as it is now, with its surroundings read for it alone. A viewer waits for this after every
 * change: rows found by the name are one round trip, rows found by the service's row another, and the lease a
 * third.
 */
export async function fileNow(
  tx: ReadTx,
  settings: Settings,
  org: string,
  service: string,
): Promise<CurrentFile | null> {
  const of = { org, target: targetOf(service) };
  const [[stored], [head], clock, scopes, [agent], blinds, beats] = await tx.readAll([
    { table: 'services', keys: [{ org, service }] },
    { table: 'heads', keys: [{ org }] },
    'now',
    { table: 'scopes', where: of },
    { table: 'agents', keys: [of] },
    { table: 'blinds', where: { org } },
    { table: 'beats', where: {} },
  ]);
  if (stored === undefined) return null;
  const { at = 0, recoveredAt = null, position = ZERO } = readable(head);
  const now = Math.max(clock, at);
  const platform = platformLiveness(blinds, beats, recoveredAt);
  const liveness: Liveness = {
    settings,
    ...platform,
    ...targetLiveness(scopes, agent, now),
    lease: null,
    workers: [],
  };
  const file = new ServiceFile(stored, { org, service, at: now }, liveness);
  // Without a readable head, a recovery since then cannot be excluded either.
  if (intact(head) === undefined) file.proven = NOTHING_PROVEN;
  const [[command], revisions] = await tx.readAll([
    { table: 'commands', keys: file.command === null ? [] : [{ org, id: file.command }] },
    { table: 'revisions', keys: file.proven.revisions.map(({ revision }) => ({ org, service, revision })) },
  ]);
  file.revisions = intentRowsOf(file.proven, revisions);
  if (command !== undefined) file.liveness = { ...liveness, lease: await newestLease(tx, command) };
  return { file, now, position };
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
function intentRowsOf({ revisions }: Proven, rows: readonly Stored<'revisions'>[]): RevisionRow[] {
  const read = rows.filter(isIntact);
  return revisions.flatMap(({ revision }) => read.find((row) => row.revision === revision) ?? []);
}

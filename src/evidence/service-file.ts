import type { Intent } from '../contract/intent.ts';
import { STATES } from '../contract/vocabulary.ts';
import {
  type Facts,
  NOTHING_PROVEN,
  type Proven,
  type Recorded,
  type RevisionFacts,
  type Settings,
  type Vitals,
} from '../projection/facts.ts';
import { judge } from '../projection/judge.ts';
import { activeOf } from '../projection/queue.ts';
import type { Standing } from '../projection/standing.ts';
import { isReadable } from '../store/columns.ts';
import type { ReadTx } from '../store/port.ts';
import type { HeadRow, RevisionRow, ServiceRow } from '../store/schema.ts';
import { readFacts } from './facts-cache.ts';
import {
  commandLease,
  type PlatformVitals,
  platformVitals,
  type TargetVitals,
  targetVitals,
} from './vitals.ts';

/** Everything about one service that a transaction works on: what is asked, what is proven, what is alive. */
export class ServiceFile {
  readonly org: string;
  readonly service: string;
  readonly createdAt: number;
  /** As it was read; null for a service that is being created. */
  readonly stored: ServiceRow | null;
  revisions: readonly RevisionRow[];
  /** The facts cannot be read: nothing is known, and nothing may be put in their place but what the ledger gives. */
  unreadable: boolean;
  proven: Proven;
  vitals: Vitals;
  recorded: Recorded | null;
  command: string | null;
  newest: number;
  rejected: number;
  hidden: boolean;
  settledTo: number;
  sinceCheckpoint: number;

  constructor(
    stored: ServiceRow | null,
    fresh: { org: string; service: string; at: number },
    vitals: Vitals,
  ) {
    this.stored = stored;
    this.org = fresh.org;
    this.service = fresh.service;
    this.createdAt = stored?.createdAt ?? fresh.at;
    this.revisions = [];
    const kept = stored === null ? NOTHING_PROVEN : readFacts(stored.proven);
    this.proven = kept ?? NOTHING_PROVEN;
    this.unreadable = kept === null;
    this.vitals = vitals;
    this.recorded = stored === null ? null : recordedOf(stored);
    this.command = stored?.command ?? null;
    this.newest = stored?.newest ?? 0;
    this.rejected = stored?.rejected ?? 0;
    this.hidden = stored?.hidden ?? false;
    this.settledTo = stored?.settledTo ?? fresh.at;
    this.sinceCheckpoint = stored?.sinceCheckpoint ?? 0;
  }

  get intent(): Intent {
    return { service: this.service, revisions: this.revisions };
  }

  get facts(): Facts {
    return { proven: this.proven, vitals: this.vitals, recorded: this.recorded };
  }

  /** The active revision. A service has one from its first intent on. */
  get active(): RevisionFacts | undefined {
    return activeOf(this.proven);
  }

  get asked(): RevisionRow | undefined {
    return this.revisions.find((r) => r.revision === this.active?.revision);
  }

  #judged: { readonly now: number; readonly of: readonly unknown[]; readonly standing: Standing } | null =
    null;

  /** Where it stands; judged once for the same facts and instant, however often a transaction asks. */
  standing(now: number): Standing {
    const last = this.#judged;
    const { proven, vitals, revisions } = this;
    if (
      last !== null &&
      last.now === now &&
      last.of[0] === proven &&
      last.of[1] === vitals &&
      last.of[2] === revisions
    ) {
      return last.standing;
    }
    const standing = judge(this.intent, this.facts, now);
    this.#judged = { now, of: [proven, vitals, revisions], standing };
    return standing;
  }
}

export function recordedOf(row: ServiceRow): Recorded | null {
  if (row.position === '0') return null;
  return {
    // A word that nobody knows says as much as nothing.
    state: STATES.includes(row.state) ? row.state : 'unknown',
    revision: row.active,
    attempt: row.attempt,
    since: row.since,
    position: row.position,
  };
}

/** What was already read about the surroundings of a service. */
export interface Around {
  readonly settings: Settings;
  readonly platform: PlatformVitals;
  readonly target: TargetVitals;
}

export async function openFile(
  tx: ReadTx,
  { settings, platform, target }: Around,
  { org, service, at }: { org: string; service: string; at: number },
  stored: ServiceRow | undefined,
): Promise<ServiceFile> {
  const lease = await commandLease(tx, org, stored?.command ?? null);
  const vitals: Vitals = { settings, ...platform, ...target, lease, workers: [] };
  const file = new ServiceFile(stored ?? null, { org, service, at }, vitals);
  await loadIntent(tx, file);
  return file;
}

/** A service as it is now, with its surroundings read for it alone. */
export async function fileNow(
  tx: ReadTx,
  settings: Settings,
  head: Pick<HeadRow, 'org' | 'recoveredAt'>,
  stored: ServiceRow,
  at: number,
): Promise<ServiceFile> {
  const { org, service, target } = stored;
  const scopes = await tx.select('scopes', { org, target });
  const around = {
    settings,
    platform: await platformVitals(tx, head),
    target: targetVitals(scopes, await tx.get('agents', { org, target })),
  };
  return openFile(tx, around, { org, service, at }, stored);
}

/** The immutable intents of the revisions that facts still speak about. */
export async function loadIntent(
  tx: ReadTx,
  file: Pick<ServiceFile, 'org' | 'service' | 'proven' | 'revisions'>,
): Promise<void> {
  const wanted = file.proven.revisions;
  const have = file.revisions;
  if (wanted.length === have.length && wanted.every((r, i) => r.revision === have[i]?.revision)) return;
  const rows: RevisionRow[] = [];
  for (const { revision } of wanted) {
    const row =
      have.find((r) => r.revision === revision) ??
      (await tx.get('revisions', { org: file.org, service: file.service, revision }));
    if (row !== undefined && isReadable(row)) rows.push(row);
  }
  file.revisions = rows;
}

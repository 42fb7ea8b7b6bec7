import type { Source } from '../../contract/evidence.ts';
import type { RevisionIntent } from '../../contract/intent.ts';
import { emptyAttempt, type RevisionFacts } from '../../projection/facts.ts';
import { highestInUse } from '../../projection/recovery.ts';
import { neededCommand } from '../../projection/workload.ts';
import type { Door } from './door.ts';
import { newAttempt, provenAtOnce } from './new-attempt.ts';
import { newCommand } from './new-command.ts';
import type { ServiceFile } from './service-file.ts';

/**
 * Records one immutable desired state: its row, its first attempt, its command and its evidence, in one
 * transaction (S5, S6, F02).
 */
export async function recordRevision(
  door: Door,
  file: ServiceFile,
  intent: Omit<RevisionIntent, 'revision' | 'createdAt'>,
  source: Source,
  how: {
    readonly queued: boolean;
    /**
     * The revision was observed and not requested: it is judged together with the observation that showed it.
     */
    readonly observed?: boolean;
    readonly teardown?: { absent: boolean; force: boolean; reason: string | null };
  },
): Promise<number> {
  const { org, tx } = door;
  const before = file.newest;
  const revision = Math.max(before, door.head.floor, highestInUse(file.proven)) + 1;
  const above = revision === before + 1 ? {} : { above: before };
  file.newest = revision;
  // A forced teardown hid the service from the lists; a new intent shows it again.
  if (intent.kind !== 'teardown') file.hidden = false;
  const { correlation = null, contentOf = null, derivesFrom = null, declared = null } = intent;
  const derived = { contentOf, derivesFrom, declared };
  const row = {
    ...intent,
    ...derived,
    correlation,
    revision,
    createdAt: door.at,
    org,
    service: file.service,
  };
  await tx.append('revisions', row);
  const started = { org, service: file.service, revision, attempt: 1, kind: intent.kind, startedAt: door.at };
  // If the ledger alone proves that nothing runs, a teardown is over as soon as it is requested.
  const over = how.teardown?.absent ? provenAtOnce(door.at) : {};
  await tx.append('attempts', { ...newAttempt(started), ...over });
  if (how.queued) await hold(door, file, row);
  const about = { source, revision, attempt: 1 };
  if (how.teardown !== undefined) {
    await door.admit(file, {
      kind: 'teardown.requested',
      ...about,
      body: { actor: intent.actor, ...above, ...how.teardown },
    });
  } else {
    const behind = how.queued ? file.proven.revisions.at(-1)?.revision : undefined;
    const waits = behind === undefined ? {} : { behind };
    const body = { kind: intent.kind, queued: how.queued, ...waits, ...above, actor: intent.actor };
    const draft = { kind: 'intent.recorded', ...about, body } as const;
    if (how.observed) await door.admitUnjudged(file, draft);
    else await door.admit(file, draft);
  }
  return revision;
}

/** The command of a queued revision is created with it, and held. */
async function hold(door: Door, file: ServiceFile, intent: RevisionIntent): Promise<void> {
  const unproven: RevisionFacts = {
    revision: intent.revision,
    recorded: null,
    activatedAt: 0,
    artifact: null,
    attempt: emptyAttempt(1),
  };
  const kind = neededCommand(intent, unproven);
  if (kind === null) return;
  const about = { service: file.service, revision: intent.revision, attempt: 1 };
  await door.tx.append('commands', newCommand(door, about, kind, 'held'));
}

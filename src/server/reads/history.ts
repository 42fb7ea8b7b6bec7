import type { Caller } from '../../access/caller.ts';
import { seesDetail } from '../../access/roles.ts';
import type { VisibleService } from '../../access/visible-service.ts';
import type { Host } from '../../evidence/door/host.ts';
import { buildSteps } from '../../evidence/past/build-steps.ts';
import { configuredBy } from '../../evidence/past/configured-by.ts';
import type { Gap } from '../../evidence/past/recoveries.ts';
import { type AttemptEntry, type BrokenEntry, history, type RevisionEntry } from '../../evidence/read.ts';
import { changesBetween } from '../../intent/configuration.ts';
import { rfc3339, rfc3339OrNull } from '../../projection/instant.ts';
import { readable } from '../../store/broken-row.ts';
import { specView } from './spec-view.ts';
import { provenanceView } from './workload-view.ts';

/** Revisions below `before` (0: from the newest on), newest first. */
export function revisionsPage(host: Host, { org, service }: VisibleService, before: number, limit: number) {
  return history(host, org, service, limit, before);
}

export async function revisionOf(
  host: Host,
  { org, service }: VisibleService,
  revision: number,
): Promise<RevisionEntry | BrokenEntry | undefined> {
  const [found] = await history(host, org, service, 1, revision + 1);
  return found !== undefined && numberOf(found) === revision ? found : undefined;
}

/** The entry's row and the rows of all its attempts can be read. */
export const isIntactEntry = (entry: RevisionEntry | BrokenEntry): entry is RevisionEntry =>
  'intent' in entry;

export const numberOf = (entry: RevisionEntry | BrokenEntry) =>
  isIntactEntry(entry) ? entry.intent.revision : entry.revision;

export const hasAttempt = (entry: RevisionEntry | BrokenEntry, attempt: number) =>
  isIntactEntry(entry) ? attemptOf(entry, attempt) !== undefined : entry.tried.includes(attempt);

export const attemptOf = ({ attempts }: RevisionEntry, attempt: number) =>
  attempts.find((row) => row.attempt === attempt);

export function revisionView(entry: RevisionEntry) {
  const { intent, attempts } = entry;
  const { revision, kind, actor, git, replicas, createdAt } = intent;
  return {
    revision,
    kind,
    actor,
    git,
    artifact: artifactOf(entry),
    replicas,
    provenance: provenanceOf(entry),
    createdAt: rfc3339(createdAt),
    attempts: attempts.map(attemptView),
    recoveries: entry.recoveries.map(recoveryView),
  };
}

/** A commit that was named later is the revision's too: the tool says it only when it is done. */
function provenanceOf({ intent: { origin }, commit }: RevisionEntry) {
  const workload = origin.kind === 'observe' ? origin.workload : undefined;
  if (workload === undefined) return null;
  return provenanceView({ ...workload, commit: workload.commit ?? commit });
}

export function recoveryView({ at, lostSince, from, to, evidence }: Gap) {
  return { at: rfc3339(at), lostSince: rfc3339OrNull(lostSince), void: { from, to }, evidence };
}

function artifactOf({ intent: { origin }, attempts }: RevisionEntry): string | null {
  const named = origin.kind === 'artifact' ? origin.digest : origin.kind === 'image' ? origin.image : null;
  return attempts.findLast((attempt) => attempt.artifact !== null)?.artifact ?? named;
}

/** The view of one revision, with the size of its artifact and, for operators, the steps of its builds. */
async function detailedRevision(host: Host, caller: Caller, entry: RevisionEntry) {
  const view = revisionView(entry);
  const { org } = entry.intent;
  const digest = artifactOf(entry);
  const stored =
    digest === null ? undefined : await host.store.read((tx) => tx.get('artifacts', { org, digest }));
  const withSize = { ...view, artifactSize: readable(stored).size ?? null };
  const attempts = await Promise.all(entry.attempts.map((attempt) => detailedAttempt(host, caller, attempt)));
  return { ...withSize, attempts };
}

/**
 * One revision whole: with its spec, and with what it changes against another, or else against the newest before it
 * that was not cancelled.
 */
export async function wholeRevision(
  host: Host,
  caller: Caller,
  entry: RevisionEntry,
  other: RevisionEntry | null,
) {
  const { org, service, revision, origin, spec, derivesFrom = null } = entry.intent;
  const base = other?.intent ?? (await host.store.read((tx) => configuredBy(tx, org, service, revision)));
  return {
    ...(await detailedRevision(host, caller, entry)),
    origin,
    spec: specView(spec),
    derivesFrom,
    against: base?.revision ?? null,
    changes: changesBetween(base?.spec ?? null, spec),
  };
}

/** The view of one attempt, for operators with the steps of its build. */
export async function detailedAttempt(host: Host, caller: Caller, attempt: AttemptEntry) {
  const view = attemptView(attempt);
  return seesDetail(caller.role) ? { ...view, build: await buildSteps(host, attempt) } : view;
}

function attemptView({ attempt, outcome, startedAt, endedAt, stages }: AttemptEntry) {
  return { attempt, outcome, startedAt: rfc3339(startedAt), endedAt: rfc3339OrNull(endedAt), stages };
}

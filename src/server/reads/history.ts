import type { Host } from '../../evidence/door/host.ts';
import { buildSteps } from '../../evidence/past/build-steps.ts';
import type { Gap } from '../../evidence/past/recoveries.ts';
import { type AttemptEntry, type BrokenEntry, history, type RevisionEntry } from '../../evidence/read.ts';
import { rfc3339, rfc3339OrNull } from '../../projection/instant.ts';
import { readable } from '../../store/broken-row.ts';

/** Revisions below `before` (0: from the newest on), newest first. */
export function revisionsPage(host: Host, org: string, service: string, before: number, limit: number) {
  return history(host, org, service, limit, before);
}

export async function revisionOf(
  host: Host,
  org: string,
  service: string,
  revision: number,
): Promise<RevisionEntry | BrokenEntry | undefined> {
  const [found] = await history(host, org, service, 1, revision + 1);
  return found !== undefined && numberOf(found) === revision ? found : undefined;
}

/** Its row and those of all its attempts can be read. */
export const isWholeEntry = (entry: RevisionEntry | BrokenEntry): entry is RevisionEntry => 'intent' in entry;

export const numberOf = (entry: RevisionEntry | BrokenEntry) =>
  isWholeEntry(entry) ? entry.intent.revision : entry.revision;

export const hasAttempt = (entry: RevisionEntry | BrokenEntry, attempt: number) =>
  isWholeEntry(entry) ? attemptOf(entry, attempt) !== undefined : entry.tried.includes(attempt);

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
    createdAt: rfc3339(createdAt),
    attempts: attempts.map(attemptView),
    recoveries: entry.recoveries.map(recoveryView),
  };
}

export function recoveryView({ at, lostSince, from, to, evidence }: Gap) {
  return { at: rfc3339(at), lostSince: rfc3339OrNull(lostSince), void: { from, to }, evidence };
}

function artifactOf({ intent: { origin }, attempts }: RevisionEntry): string | null {
  const named = origin.kind === 'artifact' ? origin.digest : origin.kind === 'image' ? origin.image : null;
  return attempts.findLast((attempt) => attempt.artifact !== null)?.artifact ?? named;
}

/** A revision by itself also says how large its artifact is and, to those who see detail, what its builders did. */
export async function wholeRevision(host: Host, entry: RevisionEntry, detail: boolean) {
  const view = revisionView(entry);
  const { org } = entry.intent;
  const digest = artifactOf(entry);
  const stored =
    digest === null ? undefined : await host.store.read((tx) => tx.get('artifacts', { org, digest }));
  const whole = { ...view, artifactSize: readable(stored).size ?? null };
  const attempts = await Promise.all(entry.attempts.map((attempt) => wholeAttempt(host, attempt, detail)));
  return { ...whole, attempts };
}

/** With what its builder did, for those who see detail. */
export async function wholeAttempt(host: Host, attempt: AttemptEntry, detail: boolean) {
  const view = attemptView(attempt);
  return detail ? { ...view, build: await buildSteps(host, attempt) } : view;
}

function attemptView({ attempt, outcome, startedAt, endedAt, stages }: AttemptEntry) {
  return { attempt, outcome, startedAt: rfc3339(startedAt), endedAt: rfc3339OrNull(endedAt), stages };
}

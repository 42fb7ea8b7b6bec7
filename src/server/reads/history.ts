import type { Host } from '../../evidence/host.ts';
import { type AttemptEntry, history, type RevisionEntry } from '../../evidence/read.ts';
import { rfc3339, rfc3339OrNull } from '../../projection/instant.ts';

/** Revisions below `before` (0: from the newest on), newest first. */
export function revisionsPage(host: Host, org: string, service: string, before: number, limit: number) {
  return history(host, org, service, limit, before);
}

export async function revisionOf(
  host: Host,
  org: string,
  service: string,
  revision: number,
): Promise<RevisionEntry | undefined> {
  const [found] = await history(host, org, service, 1, revision + 1);
  return found?.intent.revision === revision ? found : undefined;
}

export const attemptOf = ({ attempts }: RevisionEntry, attempt: number) =>
  attempts.find((row) => row.attempt === attempt);

export function revisionView({ intent, attempts }: RevisionEntry) {
  const { revision, kind, actor, git, origin, replicas, createdAt } = intent;
  const named = origin.kind === 'artifact' ? origin.digest : origin.kind === 'image' ? origin.image : null;
  const artifact = attempts.findLast((attempt) => attempt.artifact !== null)?.artifact ?? named;
  return {
    revision,
    kind,
    actor,
    git,
    artifact,
    replicas,
    createdAt: rfc3339(createdAt),
    attempts: attempts.map(attemptView),
  };
}

export function attemptView({ attempt, outcome, startedAt, endedAt, stages }: AttemptEntry) {
  return { attempt, outcome, startedAt: rfc3339(startedAt), endedAt: rfc3339OrNull(endedAt), stages };
}

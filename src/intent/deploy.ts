import {
  type Git,
  gitSchema,
  type Origin,
  originSchema,
  type RevisionIntent,
  type Spec,
  specSchema,
} from '../contract/intent.ts';
import { type Answer, problem } from '../contract/problem.ts';
import { issues } from '../contract/report.ts';
import type { Caller } from '../evidence/caller.ts';
import type { Host } from '../evidence/host.ts';
import { recordRevision } from '../evidence/record-revision.ts';
import type { ServiceFile } from '../evidence/service-file.ts';
import { withDefaults } from '../projection/deadlines.ts';
import { queueOf } from '../projection/queue.ts';
import { type Acted, act, actorOf, type Idempotency, inProgress } from './acted.ts';
import { derived } from './derive.ts';

export interface Deployment {
  readonly service: string;
  /** Absent: a `config` revision with the artifact that the active one has. */
  readonly origin?: Origin;
  readonly spec?: Spec;
  readonly git?: Git | null;
}

const STABILITY_MS = 3_000;

/**
 * Records an intent and its command. Whether it supersedes, queues or is refused is decided here, in the
 * transaction that records it: there is no moment between check and create.
 */
export function deploy(
  host: Host,
  caller: Caller,
  given: Deployment,
  key: Idempotency | null = null,
): Promise<Answer<Acted>> {
  return act(host, caller, given.service, key, async (door, found, service) => {
    const spec = specSchema.safeParse(given.spec ?? {});
    if (!spec.success) return problem('invalid_request', issues(spec.error).join('; '));
    const git = gitSchema.nullable().safeParse(given.git ?? null);
    if (!git.success) return problem('invalid_request', issues(git.error).join('; '));
    const origin = given.origin === undefined ? null : originSchema.safeParse(given.origin);
    if (origin?.success === false) return problem('invalid_request', issues(origin.error).join('; '));
    const base = origin === null ? (found === null ? noArtifact() : await derived(door, found)) : null;
    if (base !== null && !base.ok) return base;
    const from = base?.intent.origin ?? origin?.data;
    if (from === undefined || from.kind === 'none')
      return problem('invalid_request', 'Nothing to deploy was named.');
    if (
      from.kind === 'artifact' &&
      (await door.tx.get('artifacts', { org: door.org, digest: from.digest })) === undefined
    ) {
      return problem('artifact_missing', 'The store does not hold this artifact; upload it first.', {
        artifact: from.digest,
      });
    }
    const policy = spec.data.concurrency ?? 'newest';
    const busy = found !== null && (inProgress(found) || waiting(found));
    if (busy && policy === 'refuse') return refused(found);
    const file = found ?? (await door.newFile(service));
    const { actor, source } = actorOf(caller);
    const intent = intentOf(spec.data, from, git.data, actor, base === null ? 'deploy' : 'config');
    // What another tool deploys cannot wait: observing it begins at once.
    const queued = busy && policy === 'queue' && from.kind !== 'observe';
    const revision = await recordRevision(door, file, intent, source, { queued });
    return { ok: true, revision, attempt: 1 };
  });
}

function intentOf(spec: Spec, origin: Origin, git: Git | null, actor: string, kind: 'deploy' | 'config') {
  const intent: Omit<RevisionIntent, 'revision' | 'createdAt'> = {
    kind,
    origin,
    replicas: spec.replicas ?? 1,
    port: spec.port ?? (origin.kind === 'source' ? 'auto' : null),
    stabilityMs: spec.stabilityMs ?? STABILITY_MS,
    deadlines: withDefaults(spec.deadlines),
    accepts: [],
    template: null,
    spec,
    git,
    actor,
  };
  return intent;
}

const waiting = (file: ServiceFile) => queueOf(file.proven).waiting.some((r) => r.attempt.settled === null);

function refused(file: ServiceFile): Answer<never> {
  const { active, asked } = file;
  return problem(
    'deployment_in_progress',
    'Another revision is in progress; wait for it, cancel it, or deploy with newest or queue.',
    {
      revision: active?.revision ?? 0,
      attempt: active?.attempt.attempt ?? 0,
      since: active?.activatedAt ?? 0,
      actor: asked?.actor ?? '',
    },
  );
}

export const noArtifact = () =>
  problem('no_artifact', 'There is no artifact yet to run again; deploy first.');

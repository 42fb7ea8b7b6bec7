import type { Caller } from '../access/caller.ts';
import {
  type Git,
  gitSchema,
  type Origin,
  originSchema,
  type RevisionIntent,
  type Spec,
} from '../contract/intent.ts';
import { nameOf, SERVICE_NAME } from '../contract/names.ts';
import { type Answer, invalid, noService, problem } from '../contract/problem.ts';
import { issues } from '../contract/report.ts';
import { type ConfigurationChange, configurationChangeSchema } from '../contract/spec-fields.ts';
import type { Host } from '../evidence/door/host.ts';
import { recordRevision } from '../evidence/door/record-revision.ts';
import type { ServiceFile } from '../evidence/door/service-file.ts';
import { withDefaults } from '../projection/deadlines.ts';
import { rfc3339 } from '../projection/instant.ts';
import { queueOf } from '../projection/queue.ts';
import { isInProgress, observeOnlyRefusal, takeOverRefusal } from '../projection/refusals.ts';
import { type Acted, act, actorOf, type InProgress, type RequestKey } from './acted.ts';
import { changedSpec, changesBetween } from './configuration.ts';
import { configurationOf } from './configuration-of.ts';
import { configurable, type DetectedPlan, detectedPlan } from './derive.ts';

/** A request to deploy, with the change of its configuration; fields that it does not name stay as they are. */
export interface Deployment extends ConfigurationChange {
  readonly service: string;
  /** Absent: a `config` revision with the artifact that the active one has, or its source if that was never built. */
  readonly origin?: Origin;
  readonly git?: Git | null;
  /** The agent of its target only observes. */
  readonly isObserveOnly?: boolean;
  /** Bytes that came with the request: held from this transaction on, so that a refused deploy holds none. */
  readonly brings?: { readonly digest: string; readonly size: number };
}

const STABILITY_MS = 3_000;

/**
 * Records an intent and its command. The transaction that records it also decides if it supersedes, queues or
 * is refused: there is no moment between check and create.
 */
export function deploy(
  host: Host,
  caller: Caller,
  deployment: Deployment,
  key: RequestKey | null = null,
): Promise<Answer<Acted>> {
  return act(host, caller, deployment.service, key, async (door, found, service) => {
    const change = configurationChangeSchema.safeParse(pickChange(deployment));
    if (!change.success) return invalid(issues(change.error));
    const git = gitSchema.nullable().safeParse(deployment.git ?? null);
    if (!git.success) return invalid(issues(git.error));
    const origin = deployment.origin === undefined ? null : originSchema.safeParse(deployment.origin);
    if (origin?.success === false) return invalid(issues(origin.error));
    const elsewhere =
      found?.activeIntent === undefined ? null : takeOverRefusal(found.activeIntent, found.proven.observed);
    if (elsewhere !== null) return elsewhere;
    if (deployment.isObserveOnly && origin?.data?.kind !== 'observe') return observeOnlyRefusal(service);
    const base = origin === null ? (found === null ? noService() : await configurable(door, found)) : null;
    if (base !== null && !base.ok) return base;
    const from = base?.intent.origin ?? origin?.data;
    if (from === undefined || from.kind === 'none')
      return problem('invalid_request', 'Say what to deploy: a source, an image or an artifact.');
    // Longer names, and names with dots, are those of workloads that other tools deploy.
    if (from.kind !== 'observe' && !SERVICE_NAME.test(nameOf(service)))
      return invalid(['service: must be name@target, each up to 40 characters of a-z, 0-9 and -']);
    const isStored = from.kind === 'artifact' || (from.kind === 'source' && base !== null);
    if (isStored && (await door.tx.get('artifacts', { org: door.org, digest: from.digest })) === undefined) {
      return problem('artifact_missing', 'The store does not hold this artifact; upload it first.', {
        artifact: from.digest,
      });
    }
    const former = from.kind === 'observe' || found === null ? null : await configurationOf(door, found);
    const spec = changedSpec(former, change.data);
    const policy = spec.concurrency ?? 'newest';
    const busy = found !== null && (isBusy(found) || waiting(found));
    // mutant: policy-refuse
    if (busy && policy === 'refuse') return refused(found);
    if (deployment.brings !== undefined)
      await door.tx.insert('artifacts', { org: door.org, ...deployment.brings });
    const file = found ?? (await door.newFile(service));
    const { actor, source, correlation } = actorOf(caller);
    const plan =
      from.kind === 'artifact' ? await detectedPlan(door, file, from.digest, base?.intent) : NOTHING_FOUND;
    const kind = base === null ? 'deploy' : 'config';
    const intent = intentOf(spec, from, plan, {
      ...{ kind, actor, correlation },
      git: git.data ?? base?.intent.git ?? null,
      declared: change.data.declared ?? former?.declared ?? null,
    });
    // A revision that another tool deploys cannot wait in the queue: its observation begins at once.
    // mutant: policy-queue
    const queued = busy && policy === 'queue' && from.kind !== 'observe';
    const superseded = queued ? null : inProgress(file);
    const revision = await recordRevision(door, file, intent, source, { queued });
    return {
      ...{ ok: true, revision, attempt: 1 },
      changes: changesBetween(former?.spec ?? null, spec),
      ...(superseded === null ? {} : { supersedes: superseded }),
    };
  });
}

const pickChange = ({ spec, unset, declared }: Deployment) => ({ spec, unset, declared });

const NOTHING_FOUND: DetectedPlan = { port: null, command: null };

/**
 * The port that the spec names, or else the one that the build of these bytes found. Without it, a
 * configuration change would need no route any more and be called running before anything answers (S1).
 */
function portOf({ port }: Spec, origin: Origin, plan: DetectedPlan) {
  if (port !== undefined && port !== 'auto') return port;
  if (origin.kind === 'source') return 'auto';
  // mutant: port-from-build
  return origin.kind === 'artifact' ? plan.port : (port ?? null);
}

function intentOf(
  spec: Spec,
  origin: Origin,
  plan: DetectedPlan,
  request: Pick<RevisionIntent, 'kind' | 'git' | 'actor' | 'correlation' | 'declared'>,
): Omit<RevisionIntent, 'revision' | 'createdAt'> {
  return {
    ...request,
    origin,
    replicas: spec.replicas ?? 1,
    port: portOf(spec, origin, plan),
    // mutant: command-from-build
    command: spec.command ?? plan.command,
    stabilityMs: spec.stabilityMs ?? STABILITY_MS,
    deadlines: withDefaults(spec.deadlines),
    accepts: [],
    template: null,
    spec,
  };
}

const isBusy = ({ active }: ServiceFile) => active !== undefined && isInProgress(active);
const waiting = (file: ServiceFile) => queueOf(file.proven).waiting.some((r) => r.attempt.settled === null);

function refused(file: ServiceFile): Answer<never> {
  return problem(
    'deployment_in_progress',
    'Another revision is in progress; wait for it, cancel it, or deploy with newest or queue.',
    { holder: holderOf(file) },
  );
}

/** The active revision while it is in progress: the one that a new revision supersedes. */
const inProgress = (file: ServiceFile) => (isBusy(file) ? holderOf(file) : null);

const holderOf = ({ active, activeIntent }: ServiceFile): InProgress => ({
  revision: active?.revision ?? 0,
  attempt: active?.attempt.attempt ?? 0,
  since: rfc3339(active?.activatedAt ?? 0),
  actor: activeIntent?.actor ?? '',
});

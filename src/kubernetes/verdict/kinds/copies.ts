import { countAt, fieldsAt, isFields, listAt, type ObjectFields, own, textAt } from '../fields.ts';
import { type ObjectIdentity, objectIdentity } from '../identity.ts';
import { VAGUE_REASONS } from '../reasons/vague.ts';
import { type Ruling, ruling } from '../verdict.ts';
import type { LadderContext } from './ladder-context.ts';
import { stillServes } from './still-serves.ts';

interface Copy {
  readonly name: string;
  readonly ruling: Ruling;
}

/** Verdicts on a copy that say more than "not yet", the gravest first. */
const GRAVE = ['failed', 'degraded', 'unknown'] as const;

/**
 * Joins what a workload says of itself with what its pods in the same input say. The workload's own counts may be
 * stale, so pods may weaken its verdict, and never strengthen it; where it is not ready, they say why.
 */
export function joinedWithCopies(
  ruled: Ruling,
  object: ObjectFields,
  context: LadderContext,
  wanted: number,
): Ruling {
  if (ruled.verdict === 'stopped') return stoppedOver(ruled, context);
  if (!['ready', 'progressing', 'degraded', 'failed'].includes(ruled.verdict)) return ruled;
  const copies = copiesOf(object, context);
  if (ruled.verdict === 'ready' && context.around.hasAllPods && copies.length < wanted) {
    const count = { have: copies.length, want: wanted };
    const facts = `${ruled.facts}, by its own count; ${copies.length} of its pods are there`;
    return ruling('progressing', 'not_available', facts, count);
  }
  if (ruled.verdict === 'ready') {
    const weakened = weakenedBySet(ruled, object, context);
    if (weakened !== null) return weakened;
  }
  if (copies.length === 0) return explainedBySet(ruled, object, context, wanted);
  const readyCount = copies.filter(({ ruling }) => stillServes(ruling)).length;
  const worst = worstOf(copies.filter(({ ruling }) => !stillServes(ruling)));
  if (ruled.verdict === 'ready') {
    // Fewer pods than wanted in the input may be a part of them only, which proves nothing.
    if (worst === null || copies.length < wanted || readyCount >= wanted) return ruled;
    const isUp = copies.some(({ ruling }) => ruling.isUp);
    // Up for now and all of them in a loop is no part that works; no numbers, since the workload counts them as ready.
    const isPart = worst.ruling.verdict === 'failed' && !(worst.ruling.isUp && readyCount === 0);
    const verdict = isPart ? 'degraded' : worst.ruling.verdict;
    return blamed({ ...ruled, verdict }, worst, isUp ? undefined : { have: readyCount, want: wanted });
  }
  if (!isVague(ruled)) return ruled;
  if (worst === null) return explainedBySet(ruled, object, context, wanted);
  const isWorse = ruled.verdict === 'progressing' && worst.ruling.verdict !== 'progressing';
  if (!isWorse) return blamed(ruled, worst, ruled.count);
  const older = servingOlder(object, context, ruled, readyCount, wanted);
  const verdict = verdictOver(worst.ruling.verdict, readyCount + older);
  const isAll = wanted > 0 && readyCount + older >= wanted && ruled.count !== undefined;
  return blamed({ ...ruled, verdict }, worst, isAll && ruled.count ? serving(ruled.count) : ruled.count);
}

/** Nothing has stopped while pods of it are there, of whatever version: its own count is older than they are. */
function stoppedOver(ruled: Ruling, context: LadderContext): Ruling {
  const { identity, around } = context;
  const owned = around.controlledBy(identity);
  const ofSets = owned.flatMap((set) => {
    const its = objectIdentity(set);
    return its?.kind === 'ReplicaSet' ? around.controlledBy(its) : [];
  });
  const copies = podsAmong([...owned, ...ofSets], context);
  return copies.length === 0
    ? ruled
    : ruling(
        'progressing',
        'scaling',
        `${ruled.facts}, by its own count; ${copies.length} of its pods are there`,
      );
}

/** The numbers of what serves although what is wanted of it failed. */
export const serving = ({ have, want }: NonNullable<Ruling['count']>) =>
  ({ have, want, serves: true }) as const;

/**
 * The copies of older versions that serve while the newest does not, where they are all that is wanted; 0 otherwise. The
 * pods of the input are counted; the workload's own number counts only where none of the older ones is among them.
 */
function servingOlder(
  object: ObjectFields,
  context: LadderContext,
  { count }: Ruling,
  readyCount: number,
  wanted: number,
): number {
  const { identity, around } = context;
  if (identity.kind !== 'Deployment' || wanted === 0) return 0;
  const newest = newestSet(object, around.controlledBy(identity)).map(({ uid }) => uid);
  const older = around
    .controlledBy(identity)
    .flatMap((set) => objectIdentity(set) ?? [])
    .filter(({ kind, uid }) => kind === 'ReplicaSet' && !newest.includes(uid))
    .flatMap((set) => podsAmong(around.controlledBy(set), context));
  const seen = older.filter(({ ruling }) => stillServes(ruling)).length;
  const serves = older.length > 0 ? seen : Math.max(0, (count?.have ?? 0) - readyCount);
  return readyCount + serves >= wanted ? serves : 0;
}

/** A Deployment counts what its newest ReplicaSet counts: where that one says less, its own word is older. */
function weakenedBySet(ruled: Ruling, object: ObjectFields, context: LadderContext): Ruling | null {
  const { identity, around, rulingOn } = context;
  if (identity.kind !== 'Deployment') return null;
  for (const set of around.controlledBy(identity)) {
    const [its] = newestSet(object, [set]);
    const cause = its === undefined ? null : rulingOn(set, its);
    if (its === undefined || cause === null || !WEAKER.has(cause.verdict)) continue;
    const verdict = cause.verdict === 'failed' ? 'degraded' : cause.verdict;
    const facts = `${ruled.facts}, by its own count; ReplicaSet ${its.name}: ${cause.facts}`;
    return { ...cause, verdict, facts };
  }
  return null;
}

const WEAKER: ReadonlySet<Ruling['verdict']> = new Set(['progressing', 'degraded', 'failed', 'unknown']);

/** The ReplicaSet of the newest version knows why it makes no pods. */
function explainedBySet(ruled: Ruling, object: ObjectFields, context: LadderContext, wanted: number): Ruling {
  const { identity, around, rulingOn } = context;
  if (identity.kind !== 'Deployment' || !isVague(ruled)) return ruled;
  for (const set of around.controlledBy(identity)) {
    const [its] = newestSet(object, [set]);
    const cause = its === undefined ? null : rulingOn(set, its);
    if (
      its === undefined ||
      cause === null ||
      cause.verdict === 'ready' ||
      isVague(cause) ||
      cause.reason === null
    )
      continue;
    const isGrave = cause.verdict === 'failed' || cause.verdict === 'degraded';
    if (!isGrave && cause.verdict !== 'progressing') continue;
    const isServed = (ruled.count?.have ?? 0) >= wanted;
    const verdict = ruled.verdict === 'progressing' && isGrave && !isServed ? cause.verdict : ruled.verdict;
    return {
      ...ruled,
      verdict,
      reason: cause.reason,
      facts: `${ruled.facts}; ReplicaSet ${its.name}: ${cause.facts}`,
    };
  }
  return ruled;
}

/** Copies that are ready make a failure of others a degradation; copies of a silent node are unknown, never degraded. */
function verdictOver(worst: Ruling['verdict'], readyCount: number): Ruling['verdict'] {
  if (readyCount === 0) return worst;
  return worst === 'unknown' ? 'progressing' : 'degraded';
}

function blamed(ruled: Ruling, { name, ruling }: Copy, count: Ruling['count']): Ruling {
  const facts = `${ruled.facts}; pod ${name}: ${ruling.facts}`;
  return { ...ruled, reason: ruling.reason, facts, ...(count === undefined ? {} : { count }) };
}

const isVague = ({ reason }: Ruling) => typeof reason === 'string' && VAGUE_REASONS.has(reason);

/** The copy that says most about why the workload is not ready; null where none does. */
function worstOf(copies: readonly Copy[]): Copy | null {
  for (const verdict of GRAVE) {
    const found = copies.find(({ ruling }) => ruling.verdict === verdict);
    if (found !== undefined) return found;
  }
  const waiting = copies.filter(({ ruling }) => ruling.verdict === 'progressing');
  return waiting.find(({ ruling }) => !isVague(ruling)) ?? waiting[0] ?? null;
}

/** The pods of the newest version, without those that are being deleted. */
function copiesOf(object: ObjectFields, context: LadderContext): Copy[] {
  const { identity, around } = context;
  if (identity.kind !== 'Deployment') return podsAmong(around.controlledBy(identity), context);
  const sets = around.controlledBy(identity);
  const pods =
    sets.length === 0
      ? podsWithoutSet(object, context)
      : newestSet(object, sets).flatMap((its) => around.controlledBy(its));
  return podsAmong(pods, context);
}

const TEMPLATE_HASH = 'pod-template-hash';

/**
 * Pods of a Deployment whose ReplicaSets are not in the input: those that it selects and whose controller is named after
 * it and their template. Of several templates the one that was last made a pod of is the newest.
 */
function podsWithoutSet(object: ObjectFields, { identity, around }: LadderContext): readonly ObjectFields[] {
  const selector = fieldsAt(object, 'spec.selector.matchLabels');
  if (Object.keys(selector).length === 0) return [];
  const pods = around.podsWith(identity.namespace, selector).flatMap((pod) => {
    const hash = own(fieldsAt(pod, 'metadata.labels'), TEMPLATE_HASH);
    const isIts = listAt(pod, 'metadata.ownerReferences').some(
      (owner) =>
        own(owner, 'kind') === 'ReplicaSet' &&
        typeof hash === 'string' &&
        own(owner, 'name') === `${identity.name}-${hash}`,
    );
    return isIts ? [{ pod, hash, at: textAt(pod, 'metadata.creationTimestamp') ?? '' }] : [];
  });
  const [last] = pods.toSorted((a, b) => b.at.localeCompare(a.at));
  return pods.filter(({ hash }) => hash === last?.hash).map(({ pod }) => pod);
}

function podsAmong(objects: readonly ObjectFields[], { identity, rulingOn }: LadderContext): Copy[] {
  return objects.flatMap((pod) => {
    const its = objectIdentity(pod);
    if (its === null || its.kind !== 'Pod') return [];
    // A pod that has ended was replaced already, except under a job, which it counts against.
    if (identity.kind !== 'Job' && hasEnded(pod)) return [];
    return isBeingDeleted(pod) ? [] : [{ name: its.name, ruling: rulingOn(pod, its) }];
  });
}

function isBeingDeleted(pod: ObjectFields): boolean {
  const metadata = own(pod, 'metadata');
  return isFields(metadata) && (own(metadata, 'deletionTimestamp') ?? null) !== null;
}

function hasEnded(pod: ObjectFields): boolean {
  const status = own(pod, 'status');
  const phase = isFields(status) ? own(status, 'phase') : null;
  return phase === 'Failed' || phase === 'Succeeded';
}

const REVISION = 'deployment.kubernetes.io/revision';

/** ReplicaSets that carry the Deployment's own revision; without revisions, those that want pods. */
function newestSet(object: ObjectFields, sets: readonly ObjectFields[]): ObjectIdentity[] {
  const revision = annotation(object);
  const isNewest = (set: ObjectFields) =>
    revision === null ? (countAt(set, 'spec.replicas') ?? 1) > 0 : annotation(set) === revision;
  return sets.filter(isNewest).flatMap((set) => {
    const identity = objectIdentity(set);
    return identity === null || identity.kind !== 'ReplicaSet' ? [] : [identity];
  });
}

/** The key has dots, so that it is no path. */
function annotation(object: ObjectFields): string | null {
  const metadata = own(object, 'metadata');
  const annotations = isFields(metadata) ? own(metadata, 'annotations') : null;
  const revision = isFields(annotations) ? own(annotations, REVISION) : null;
  return typeof revision === 'string' ? revision : null;
}

import { createHash } from 'node:crypto';
import { type ClusterWarning, WARNINGS, type Workload } from '../../contract/observation.ts';
import type { Instance, ServiceEntry } from '../../contract/report.ts';
import { EXIT_MEMORY_MS } from '../../contract/stability.ts';
import type { RuntimeReason } from '../../contract/vocabulary.ts';
import { isRuntimeReason } from '../../projection/runtime-reasons.ts';
import type { PodRecord } from '../cache/pod.ts';
import type { CronJobRecord } from '../cache/workloads.ts';
import { type AskVantage, type PodAnswer, portOf } from '../observe/asked-pods.ts';
import { type Disagreement, hasEnoughReady } from '../observe/disagreement.ts';
import type { PodInstance } from '../observe/instance.ts';
import { hasPodEnded } from '../observe/left-behind.ts';
import type { ClusterRecords } from '../observe/records.ts';
import {
  missingReason,
  type Trouble,
  type Warnings,
  warnedClaim,
  warnedKill,
  warnedPull,
  warnedReadiness,
  warnedReason,
  warningsOf,
} from '../observe/warnings.ts';
import type { ObservedWorkload } from '../observe/workload.ts';
import { withoutCommands } from './event-text.ts';
import { detailsOf } from './instance-details.ts';
import { podReason, runtimeReason } from './pod-reason.ts';
import { isRestless } from './restless-pod.ts';
import { runTrouble } from './run-trouble.ts';
import { activeRuns, runsOf } from './runs-of.ts';
import { waitingReason } from './waiting-rollout.ts';

/** A workload as a report has it. */
interface ReportedWorkload {
  /** Null: the API no longer has it, and its pods are not proven gone. */
  readonly entry: ServiceEntry | null;
  readonly instances: readonly Instance[];
}

/** The sources of a report beside the workload itself. */
export interface ReportSources {
  readonly records: ClusterRecords;
  readonly warnings: Warnings;
  /** Wall clock: events carry times of the cluster. */
  readonly now: number;
  /** The answers of the apps themselves, where the rule allows to ask them. */
  readonly answers?: AppAnswers | null;
}

/** The answers of apps that were asked, and from where. */
export interface AppAnswers {
  readonly vantage: AskVantage;
  of(pod: PodRecord): PodAnswer;
}

/** Signs that have lasted for a while: moments of them mean nothing. */
interface LastingSigns {
  readonly disagreement: Disagreement | null;
  readonly isUnreplaced: boolean;
}

/** Typed facts alone: no environment, command, annotation or raw object leaves the cluster (S15). Pure. */
export function reportItems(
  service: string,
  workload: ObservedWorkload,
  sources: ReportSources,
  { disagreement, isUnreplaced }: LastingSigns = { disagreement: null, isUnreplaced: false },
): ReportedWorkload {
  const { records, warnings, now, answers = null } = sources;
  const warned = warningsOf(workload, records, warnings).slice(0, WARNINGS).map(warningOf);
  const missing =
    heldBackReason(workload, sources) ??
    waitingReason(workload, records) ??
    runtimeReason(missingReason(workload, records, warnings, now)) ??
    (isUnreplaced ? 'not_replaced' : null) ??
    (fitsNoNode(workload) ? 'no_matching_node' : null) ??
    lastingCause(workload, sources);
  const contradiction = hasStoppedAnswering(workload, records, answers)
    ? 'silent_port'
    : workload.isLeftBehind
      ? 'left_behind'
      : workload.heldBack.isUnknown
        ? 'controller'
        : disagreement;
  const entry: ServiceEntry = {
    service,
    workload: workloadOf(workload),
    template: templateOf(workload),
    // Somebody has requested its end: nothing of it is wanted any more.
    replicas: workload.isDeleting && !workload.isLeftBehind ? 0 : workload.desired,
    // A request to delete is a new generation, and not one that its controller acts on.
    ...(workload.generation !== null &&
      !workload.isDeleting && { generation: generationOf(workload.generation) }),
    ...(warned.length === 0 ? {} : { warnings: warned }),
    ...(missing !== null && { reason: missing }),
    ...(isOverForGood(workload, records) && { isOver: true }),
    ...heldBackIn(workload),
    ...(hasWaitingChange(workload, records) && { changeWaits: true }),
    ...(contradiction !== null && { contradiction }),
  };
  // One that is being deleted runs nothing new: the pods that are left count, and how its runs ended does not.
  if (workload.kind === 'CronJob' && workload.isDeleting && !workload.isGone) {
    const left = workload.instances.filter(({ uid }) => !hasEndedBy(uid, records));
    return { entry, instances: left.map((one) => instanceOf(service, workload, one, sources, false)) };
  }
  const cron = workload.kind === 'CronJob' ? records.record('CronJob', workload.uid) : null;
  // Its pods end when they are done: they are no instances, and their exits no crashes.
  if (cron !== null) {
    const runs = runsOf(cron, records);
    const trouble = runTroubleOf(workload, cron, runs, sources);
    const reason = trouble === null ? {} : { reason: trouble };
    return { entry: { ...entry, replicas: 1, ...runs, ...reason }, instances: [] };
  }
  const resting = restingAs(workload, records);
  if (resting === 'succeeded') return { entry: { ...entry, replicas: 0, job: resting }, instances: [] };
  if (resting === 'suspended') return { entry: { ...entry, job: resting }, instances: [] };
  const isEnough = hasEnoughReady(workload);
  const own = workload.instances.filter(({ uid }) => !isLeftAndOver(workload, uid, records));
  const instances = own.map((one) => instanceOf(service, workload, one, sources, isEnough));
  const isThere = !workload.isGone || (workload.isLeftBehind && (workload.desired ?? 0) > 0);
  return { entry: isThere ? entry : null, instances };
}

/** While no run of the newest images was, an older one that does not get on may keep it from beginning. */
function runTroubleOf(
  workload: ObservedWorkload,
  cron: CronJobRecord,
  { job }: Pick<ServiceEntry, 'job'>,
  sources: ReportSources,
): RuntimeReason | null {
  if (job !== 'active' && !(job === 'none' && cron.runsAlone)) return null;
  const trouble = runTrouble(workload, activeRuns(cron, sources.records), sources);
  return trouble !== null && job === 'none' ? 'older_run_in_the_way' : trouble;
}

function workloadOf(workload: ObservedWorkload): Workload {
  const { kind, namespace, name, uid, managedBy, fieldManager, release, commit, images } = workload;
  return {
    // A Job without an owner is no service: `observed` leaves it out.
    kind: kind as Workload['kind'],
    namespace,
    name,
    uid,
    managedBy: managedBy === null ? null : cut(TOOLS[managedBy.tool](managedBy.name), 200),
    ...(fieldManager === null ? {} : { fieldManager: cut(fieldManager, 200) }),
    ...(release === null ? {} : { release: cut(release, 200) }),
    ...(commit === null ? {} : { commit: cut(commit, 200) }),
    images: Object.entries(images)
      .slice(0, 20)
      .map(([container, image]) => ({ container: cut(container, 253), image: cut(image, 512) })),
  };
}

const cut = (text: string, length: number) => text.slice(0, length);

function warningOf({ newest, objects }: Trouble): ClusterWarning {
  const { about, reason, message, lastAt, createdAt } = newest;
  const at = Date.parse(lastAt ?? createdAt ?? '');
  return {
    about: cut(`${about?.kind ?? ''}/${about?.name ?? ''}`, 300),
    reason: cut(reason ?? '', 100),
    message: message === null ? null : cut(withoutCommands(message), 300),
    at: Number.isNaN(at) ? null : new Date(at).toISOString(),
    ...(objects > 1 && { objects }),
  };
}

const TOOLS = {
  argocd: (name: string) => `Argo CD (${name})`,
  flux: (name: string) => `Flux (${name})`,
  helm: (name: string) => `Helm (${name})`,
  other: (name: string) => name,
} as const;

/** A pod by itself is its own template; a CronJob has no hash, so that its images take its place. */
function templateOf(workload: ObservedWorkload): string | null {
  const { kind, uid, template, images } = workload;
  if (kind === 'Pod') return `pod-${uid}`;
  if (kind === 'CronJob')
    return createHash('sha256').update(JSON.stringify(images)).digest('hex').slice(0, 16);
  return template === 'unsettled' ? null : template.template;
}

const generationOf = ({ desired, observed }: { desired: number; observed: number | null }) => ({
  desired: String(desired),
  observed: String(observed ?? 0),
});

/** Nothing of it runs, and nothing should: its work is done, or it waits for a person. A deadline would blame nobody. */
function restingAs(workload: ObservedWorkload, records: ClusterRecords): 'succeeded' | 'suspended' | null {
  if (workload.kind === 'Pod') return hasSucceeded(workload, records) ? 'succeeded' : null;
  return workload.kind === 'Deployment' && isNeverRolledOut(workload, records) ? 'suspended' : null;
}

function heldBackIn({ heldBack, declared }: ObservedWorkload): Pick<ServiceEntry, 'heldBack'> {
  if (heldBack.count === 0 || declared === null) return {};
  return { heldBack: { declared, kept: heldBack.count, ready: heldBack.ready } };
}

/** Paused, and its controller finds no ReplicaSet of the template that it declares: that one waits. */
function hasWaitingChange({ kind, uid, isGone }: ObservedWorkload, records: ClusterRecords): boolean {
  const deployment = kind === 'Deployment' && !isGone ? records.record('Deployment', uid) : null;
  if (!deployment?.isPaused || (deployment.observedGeneration ?? -1) < deployment.generation) return false;
  return deployment.counts.total > 0 && deployment.counts.updated === 0;
}

/** A pod that was left behind by its workload, and has ended since: it is nothing that runs. */
function isLeftAndOver({ isLeftBehind }: ObservedWorkload, uid: string, records: ClusterRecords): boolean {
  return isLeftBehind && hasEndedBy(uid, records);
}

function hasEndedBy(uid: string, records: ClusterRecords): boolean {
  const pod = records.record('Pod', uid);
  return pod !== null && hasPodEnded(pod);
}

const hasSucceeded = (workload: ObservedWorkload, records: ClusterRecords): boolean =>
  lastPhase(workload, records) === 'Succeeded';

/** A pod by itself that failed: its node does not start it again, and nothing replaces it. */
const isOverForGood = (workload: ObservedWorkload, records: ClusterRecords): boolean =>
  workload.kind === 'Pod' && lastPhase(workload, records) === 'Failed';

/** The last phases are written once and for all by a kubelet; of a restored cluster they are of another time. */
function lastPhase({ uid, instances: [only] }: ObservedWorkload, records: ClusterRecords): string | null {
  if (only?.standing.kind === 'unknown' && only.standing.why === 'store_recovered') return null;
  return records.record('Pod', uid)?.phase ?? null;
}

/** Paused before its first rollout: its controller has looked, and makes nothing until somebody resumes it. */
function isNeverRolledOut({ uid, namespace, template }: ObservedWorkload, records: ClusterRecords): boolean {
  const deployment = records.record('Deployment', uid);
  if (!deployment?.isPaused || template !== 'unsettled') return false;
  if ((deployment.observedGeneration ?? -1) < deployment.generation) return false;
  for (const { controller } of records.records('ReplicaSet', namespace))
    if (controller?.uid === uid) return false;
  return true;
}

/** An app that answered and no longer does, while its node says that it is ready: both cannot be all there is (rule 7). */
function hasStoppedAnswering(
  { instances }: ObservedWorkload,
  records: ClusterRecords,
  answers: AppAnswers | null,
): boolean {
  if (answers === null) return false;
  return instances.some(({ uid, revision, isTerminating }) => {
    const pod = revision === 'superseded' || isTerminating ? null : records.record('Pod', uid);
    return pod !== null && answers.of(pod) === 'stopped_answering';
  });
}

function instanceOf(
  service: string,
  workload: ObservedWorkload,
  instance: PodInstance,
  { records, warnings, now, answers = null }: ReportSources,
  isEnough: boolean,
): Instance {
  const { uid, name, node, standing, restarts, startedAt } = instance;
  const pod = records.record('Pod', uid);
  const own = shownAs(instance, pod, isEnough);
  // It is ready, and only waits to count: what went wrong before explains nothing.
  const isUnexplained = own.reason === null && !isKnownReady(instance) && instance.countsFrom === null;
  const shown = isUnexplained || isVague(own.reason) ? explained(own, pod, { records, warnings, now }) : own;
  // A pod without a running container that names a port is sent no request.
  const answer = pod === null || portOf(pod) === null ? null : (answers?.of(pod) ?? null);
  const ready = isKnownReady(instance) && !instance.isTerminating;
  const [artifact] = Object.values(instance.digests);
  return {
    uid,
    name,
    service,
    revision: null,
    attempt: null,
    fence: null,
    template: workload.kind === 'Pod' ? `pod-${uid}` : instance.template,
    artifact: artifact ?? null,
    phase: shown.phase,
    ready,
    restarts,
    containers: instance.containers.map(({ name, kind, ready, restarts, reason }) => ({
      name,
      kind,
      // An init container that is done is as it should be.
      ready: ready || (kind === 'init' && reason === 'Completed'),
      restarts,
      reason,
      ...(instance.digests[name] !== undefined && { digest: instance.digests[name] }),
    })),
    reason: shown.reason,
    ...(pod !== null && detailsOf(pod, shown.reason, warnings)),
    message: doubtWords(instance, answer, answers?.vantage ?? null),
    node,
    ...(standing.kind === 'known' ? { saidBy: answer === 'answers' ? 'request' : standing.by } : {}),
    ...(ready && pod !== null && isProbed(pod) && { probed: true }),
    ...(shown.phase === 'running' &&
      pod !== null &&
      isRestless(pod, now) && { restlessSince: pod.createdAt }),
    ...(instance.countsFrom !== null && { countsFrom: new Date(instance.countsFrom).toISOString() }),
    startedAt,
  };
}

/** The reason of a copy that is held back at an older template and is not ready: those of the newest cannot say it. */
function heldBackReason(
  { heldBack }: ObservedWorkload,
  { records, warnings, now }: ReportSources,
): RuntimeReason | null {
  const pod = heldBack.broken === null ? null : records.record('Pod', heldBack.broken.uid);
  if (pod === null) return null;
  const own = podReason(pod);
  if (own !== null && isRuntimeReason(own)) return own;
  return runtimeReason(warnedReason(pod.uid, warnings, now)) ?? (isProbed(pod) ? 'probe_failed' : null);
}

const isKnownReady = ({ standing }: PodInstance) => standing.kind === 'known' && standing.ready;

/**
 * A warning gives the cause where the pod's own status has none, or none but that the app ended; it changes nothing else
 * (F72). A probe that fails has not yet ended anything: many a start that goes well begins so.
 */
function explained(
  own: Pick<Instance, 'phase' | 'reason'>,
  pod: PodRecord | null,
  { records, warnings, now }: ReportSources,
): Pick<Instance, 'phase' | 'reason'> {
  if (pod !== null && own.reason === 'image_pull_failed')
    return { ...own, reason: runtimeReason(warnedPull(pod.uid, warnings, now)) ?? own.reason };
  if (pod !== null && own.reason === 'volume_pending')
    return { ...own, reason: runtimeReason(warnedClaim(pod, records, warnings, now)) ?? own.reason };
  // A readiness probe fails beside it, and more often: that ends no copy.
  const killed = pod !== null && wasKilled(pod) ? runtimeReason(warnedKill(pod.uid, warnings, now)) : null;
  if (killed !== null) return { ...own, reason: killed };
  // Its warning grows old, and the pod has not been ready since.
  const isUnready = pod !== null && own.reason === null && awaitsReadiness(pod);
  if (isUnready && warnedReadiness(pod, warnings) !== null) return { ...own, reason: 'probe_failed' };
  const reason = pod === null ? null : runtimeReason(warnedReason(pod.uid, warnings, now));
  if (pod === null || reason === null) return own;
  const isOfProbe = reason === 'startup_failed' || reason === 'liveness_failed';
  return !isOfProbe && own.reason === null ? { ...own, reason } : own;
}

/** Its controller has looked, and no node fits it; of another kind, somebody wants none. */
const fitsNoNode = ({ kind, desired, generation, isDeleting, isGone }: ObservedWorkload): boolean =>
  kind === 'DaemonSet' &&
  desired === 0 &&
  !isDeleting &&
  !isGone &&
  generation?.observed === generation?.desired;

/**
 * Why a copy ended not long ago: it is up again, and says nothing itself. The probe for which its node ended it, or that it
 * ran out of memory the last time.
 */
function lastingCause(
  { instances, desired }: ObservedWorkload,
  { records, warnings, now }: ReportSources,
): RuntimeReason | null {
  // A copy that ended once is not why others are missing: its node starts it again in its place.
  const isEach = instances.filter(({ isTerminating }) => !isTerminating).length >= (desired ?? 0);
  for (const { uid, restarts, revision, isTerminating } of instances) {
    const pod = restarts === 0 || revision !== 'current' || isTerminating ? null : records.record('Pod', uid);
    if (pod === null || (restarts < 3 && !(isEach && hasEndedLately(pod, now)))) continue;
    if (mainOf(pod).some(({ lastEnd }) => isOutOfMemory(lastEnd))) return 'oom_killed';
    const reason = explained(UNEXPLAINED, pod, { records, warnings, now }).reason;
    if (reason === 'startup_failed' || reason === 'liveness_failed') return reason;
  }
  return null;
}

/** Exits count for so long; one of before explains nothing that is missing now. */
const hasEndedLately = (pod: PodRecord, now: number): boolean =>
  mainOf(pod).some(({ lastEnd }) => now - Date.parse(lastEnd?.finishedAt ?? '') < EXIT_MEMORY_MS);

const isOutOfMemory = (end: PodRecord['containers'][number]['lastEnd']) => end?.reason === 'OOMKilled';

const UNEXPLAINED = { phase: 'running', reason: null } as const;

const isVague = (reason: Instance['reason']): boolean =>
  reason === 'crash_loop' ||
  reason === 'exited' ||
  reason === 'signalled' ||
  reason === 'image_pull_failed' ||
  reason === 'volume_pending';

const awaitsReadiness = (pod: PodRecord): boolean =>
  mainOf(pod).some(
    ({ state, ready, hasReadinessProbe }) => state.kind === 'running' && !ready && hasReadinessProbe,
  );

/**
 * By a signal, or by itself when it got one: an app that ends with another code was not ended by its node. Of one that was
 * started again its node may have forgotten the end for a moment.
 */
const wasKilled = (pod: PodRecord): boolean =>
  mainOf(pod).some(({ state, lastEnd, restarts }) => {
    const end = state.kind === 'terminated' ? state : lastEnd;
    if (end === null) return restarts > 0;
    return (end.signal ?? 0) > 0 || KILLED.has(end.exitCode ?? -1);
  });
const KILLED: ReadonlySet<number> = new Set([0, 137, 143]);

/** A probe of its node asks the app itself; without one its node only says that it runs (rule 7). */
const isProbed = (pod: PodRecord) => mainOf(pod).every(({ hasReadinessProbe }) => hasReadinessProbe);

function shownAs(
  { standing, isTerminating }: PodInstance,
  pod: PodRecord | null,
  isEnough: boolean,
): Pick<Instance, 'phase' | 'reason'> {
  if (standing.kind === 'unknown' || pod === null) {
    const isLeaving = isTerminating || pod === null;
    if (isEnough && isLeaving) return { phase: 'unknown', reason: 'terminating' };
    return { phase: 'unknown', reason: doubtReason(standing) };
  }
  if (isTerminating) return { phase: 'stopping', reason: 'terminating' };
  const reason = podReason(pod);
  switch (pod.phase) {
    case 'Pending':
      return { phase: beginning(pod.node, reason), reason };
    case 'Running':
      if (standing.ready) return { phase: 'running', reason: null };
      return {
        phase: isMainRunning(pod) ? 'running' : hasEnded(pod) ? 'exited' : beginning(pod.node, reason),
        reason,
      };
    case 'Succeeded':
      return { phase: 'exited', reason: reason ?? 'exited' };
    case 'Failed':
      return { phase: 'failed', reason: reason ?? 'exited' };
    default:
      return { phase: 'unknown', reason: 'node_lost' };
  }
}

function doubtReason(standing: PodInstance['standing']): RuntimeReason | 'store_recovered' {
  if (standing.kind !== 'unknown') return 'node_lost';
  if (standing.why === 'store_recovered') return 'store_recovered';
  return standing.why === 'vanished' && !standing.isNodeSilent ? 'vanished' : 'node_lost';
}

/** A pod that a node has is past scheduling; its image is fetched before anything starts. */
const beginning = (node: string | null, reason: string | null): Instance['phase'] =>
  node === null || reason?.startsWith('image_') ? 'pending' : 'starting';

const mainOf = ({ containers }: PodRecord) => containers.filter(({ kind }) => kind === 'main');

/** A helper beside the app may have ended, and the app runs on. */
const isMainRunning = (pod: PodRecord) => mainOf(pod).every(({ state }) => state.kind === 'running');

const hasEnded = (pod: PodRecord) =>
  mainOf(pod).some(
    ({ state, lastEnd }) => state.kind === 'terminated' || (state.kind === 'waiting' && lastEnd !== null),
  );

const DOUBTS = {
  node_silent: 'its node is silent',
  node_back: 'its node was silent, and is heard again only since a moment',
  node_not_heard: 'its node has not been heard since the agent came',
  no_lease: 'no lease of its node can be read',
  not_by_kubelet: 'its node is not heard, and the cluster marked it so',
  store_recovered: 'the cluster was restored, and its node has not spoken since',
  vanished: 'it is gone from the API, and its node has not been heard since',
} as const;

/** The source of the word that it rests on, for operators. */
function doubtWords(
  { standing, countsFrom }: PodInstance,
  answer: PodAnswer | null,
  vantage: AskVantage | null,
): string | null {
  if (standing.kind === 'unknown') return DOUBTS[standing.why];
  if (countsFrom !== null)
    return `it is ready, and counts from ${new Date(countsFrom).toISOString()} on (minReadySeconds)`;
  if (standing.by !== 'kubelet') return null;
  const from = vantage === 'inside' ? 'from inside the cluster' : 'through the API server';
  switch (answer) {
    case 'answers':
      return `it answers requests ${from}`;
    case 'stopped_answering':
      return `it answered requests ${from}, and does not any more; its node says that it runs`;
    case 'unproven':
      return `its node says so and is alive; no request ${from} has reached it, which proves nothing`;
    case null:
      return 'its node says so and is alive';
  }
}

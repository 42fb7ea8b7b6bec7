import type { Instance, ServiceEntry } from '../../contract/report.ts';
import type { FencedStamp } from '../../runtime/stamp.ts';
import { portOf } from '../observe/asked-pods.ts';
import type { PodInstance } from '../observe/instance.ts';
import type { DeployedWorkload } from '../observe/known-place.ts';
import type { ClusterRecords } from '../observe/records.ts';
import type { ObservedWorkload } from '../observe/workload.ts';
import { type AppAnswers, type ReportSources, reportItems } from './report-items.ts';

/** A service that Evident deployed, as a report has it. */
interface DeployedReport {
  /** Null: the API no longer has it, and its pods are not proven gone. */
  readonly entry: ServiceEntry | null;
  readonly instances: readonly Instance[];
}

/**
 * The items of a workload that Evident applied: its copies are judged as those of any other, and then counted for the
 * attempt whose template their own controller has (rule 3). Labels of a pod prove nothing. Pure.
 */
export function deployedItems(
  workload: ObservedWorkload,
  deployed: DeployedWorkload,
  sources: ReportSources,
): DeployedReport {
  const { service } = deployed;
  const { records, answers = null } = sources;
  const { entry, instances } = reportItems(service, workload, sources);
  const rollouts = rolloutsOf(workload, records);
  const reported = instances.map((instance) => {
    const observed = workload.instances.find(({ uid }) => uid === instance.uid);
    // It belongs to the newest order, and is not counted for it.
    if (isChanged(deployed, observed))
      return { ...instance, template: null, ...deployed.stamp, reason: 'drifted' };
    const { revision, attempt, fence } = rollouts.get(instance.template ?? '') ?? UNSTAMPED;
    const stamped = { ...instance, template: null, revision, attempt, fence };
    return isSilent(instance, records, answers)
      ? { ...stamped, ready: false, reason: 'not_answering' }
      : stamped;
  });
  if (entry === null || workload.isGone) return { entry: null, instances: reported };
  const { generation, reason, warnings } = entry;
  const route = routeOf(workload, deployed, rollouts, sources);
  return {
    entry: {
      service,
      ...(route !== null && { route }),
      ...(generation != null && { generation }),
      ...(reason != null && { reason }),
      ...(warnings != null && { warnings }),
    },
    instances: reported,
  };
}

const UNSTAMPED = { revision: null, attempt: null, fence: null } as const;

const isChanged = ({ changedBy }: DeployedWorkload, observed: PodInstance | undefined): boolean =>
  changedBy.length > 0 && observed?.revision === 'current';

/** Its node says that it is ready, and it has answered us before and does not any more (rule 7). */
function isSilent({ uid, ready }: Instance, records: ClusterRecords, answers: AppAnswers | null): boolean {
  const pod = ready ? records.record('Pod', uid) : null;
  return pod !== null && portOf(pod) !== null && answers?.of(pod) === 'stopped_answering';
}

/**
 * The attempt of each template, by its hash. A change by somebody else copies our mark into a template of its own: of two
 * that have the same, the one that was there first is ours.
 */
function rolloutsOf(
  { uid, namespace }: ObservedWorkload,
  records: ClusterRecords,
): ReadonlyMap<string, FencedStamp> {
  const sets = [...records.records('ReplicaSet', namespace)]
    .filter(({ controller }) => controller?.uid === uid)
    .toSorted((a, b) => ((a.createdAt ?? '') < (b.createdAt ?? '') ? -1 : 1));
  const found = new Map<string, FencedStamp>();
  const taken = new Set<string>();
  for (const { templateHash, rollout } of sets) {
    if (templateHash === null || rollout === null) continue;
    const attempt = `${rollout.revision}.${rollout.attempt}`;
    if (!taken.has(attempt)) found.set(templateHash, rollout);
    taken.add(attempt);
  }
  return found;
}

/**
 * The way from a Service to the app (rule 9): every endpoint that serves must be a copy of one and the same attempt, one of
 * them has answered a request, and none has stopped to. It is that of the newest order where its copies are of the template
 * in force. Null: it has no port.
 */
function routeOf(
  { name, namespace, instances }: ObservedWorkload,
  { stamp, changedBy }: DeployedWorkload,
  rollouts: ReadonlyMap<string, FencedStamp>,
  { records, answers = null }: ReportSources,
): NonNullable<ServiceEntry['route']> | null {
  const services = [...records.records('Service', namespace)];
  if (!services.some((one) => one.name === name)) return null;
  const slices = [...records.records('EndpointSlice', namespace)].filter(({ service }) => service === name);
  const serving = slices.flatMap(({ endpoints }) => endpoints).filter((one) => one.serving);
  const copies = serving.map(({ pod }) => instances.find(({ uid }) => uid === pod) ?? null);
  const said = serving.map(({ pod }) => {
    const record = pod === null ? null : records.record('Pod', pod);
    return record === null ? 'unproven' : (answers?.of(record) ?? 'unproven');
  });
  const isAnswered = said.includes('answers') && !said.includes('stopped_answering');
  const templates = new Set(copies.map((one) => one?.template ?? null));
  const [template = null] = templates;
  const isCurrent = changedBy.length === 0 && copies.every((one) => one?.revision === 'current');
  const of = template === null || templates.size > 1 ? null : isCurrent ? stamp : rollouts.get(template);
  return {
    answers: isAnswered,
    revision: (isAnswered && of?.revision) || null,
    attempt: (isAnswered && of?.attempt) || null,
  };
}

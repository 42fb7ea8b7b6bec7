import {
  countAt,
  fieldsAt,
  flagAt,
  isThere,
  listAt,
  type ObjectFields,
  own,
  textAt,
} from '../verdict/fields.ts';
import type { ReasonName } from '../verdict/reasons/index.ts';
import { reasonOfMessage, reasonOfPull } from '../verdict/reasons/message-words.ts';
import {
  cutText,
  keeper,
  labelsIn,
  type RecordCondition,
  type RecordHead,
  recordConditions,
} from './head.ts';
import { interned } from './intern.ts';

/** Everything that is kept of a pod: no environment, command, argument, annotation or volume but the names of claims. */
export interface PodRecord extends RecordHead {
  readonly phase: string | null;
  readonly reason: string | null;
  readonly node: string | null;
  readonly address: string | null;
  /** Names its ReplicaSet's template; anyone may copy the label, so that it only finds candidates (rule 3). */
  readonly templateHash: string | null;
  /** Names the revision of its StatefulSet or DaemonSet. */
  readonly revisionHash: string | null;
  readonly conditions: readonly RecordCondition[];
  readonly readinessGates: readonly string[];
  readonly restartPolicy: string;
  readonly containers: readonly PodContainer[];
  /** The API server's time of the kubelet's last write: when it changes, the kubelet has spoken (rule 1). */
  readonly kubeletWroteAt: string | null;
  /** The labels that its node must have; only while it has none. */
  readonly nodeSelector: Readonly<Record<string, string>> | null;
  /** The claims of volumes that it waits for; only while no node has it. */
  readonly claims: readonly string[];
  /** Only of a pod that nothing controls: others are found by their workload. */
  readonly labels: Readonly<Record<string, string>> | null;
}

interface PodContainer {
  readonly name: string;
  readonly kind: 'main' | 'init' | 'sidecar' | 'ephemeral';
  readonly image: string | null;
  /** As the node names what it runs: with the digest in it (rule 15). Empty until it was pulled. */
  readonly imageId: string | null;
  readonly ready: boolean;
  /** Null: the kubelet has not said whether it has started. */
  readonly started: boolean | null;
  readonly restarts: number;
  readonly state: ContainerState;
  readonly lastEnd: ContainerEnd | null;
  readonly hasReadinessProbe: boolean;
  readonly ports: readonly number[];
}

type ContainerState =
  | {
      readonly kind: 'waiting';
      readonly reason: string | null;
      readonly message: string | null;
      /** The reasons that the whole message names, before it is cut: about a pull, and about anything else. */
      readonly pull: ReasonName | null;
      readonly said: ReasonName | null;
    }
  | { readonly kind: 'running'; readonly startedAt: string | null }
  | ({ readonly kind: 'terminated' } & ContainerEnd)
  /** The kubelet has said nothing of it. */
  | { readonly kind: 'unreported' };

/** The end of a container. Its termination message is the app's own text and stays in the cluster. */
interface ContainerEnd {
  readonly reason: string | null;
  readonly exitCode: number | null;
  readonly signal: number | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

export const keepPod: (object: unknown) => PodRecord | null = keeper((pod, head) => ({
  phase: interned(textAt(pod, 'status.phase')),
  reason: textAt(pod, 'status.reason'),
  node: interned(textAt(pod, 'spec.nodeName')),
  address: textAt(pod, 'status.podIP'),
  templateHash: labelOf(pod, 'pod-template-hash'),
  revisionHash: labelOf(pod, 'controller-revision-hash'),
  conditions: recordConditions(pod),
  readinessGates: listAt(pod, 'spec.readinessGates').map((gate) => textAt(gate, 'conditionType') ?? ''),
  restartPolicy: textAt(pod, 'spec.restartPolicy') ?? 'Always',
  containers: containersIn(pod),
  kubeletWroteAt: kubeletWroteAt(pod),
  nodeSelector: textAt(pod, 'spec.nodeName') === null ? labelsIn(pod, 'spec.nodeSelector') : null,
  claims: textAt(pod, 'spec.nodeName') === null ? claimsIn(pod) : NO_CLAIMS,
  labels: head.controller === null ? labelsIn(pod) : null,
}));

const NO_CLAIMS: readonly string[] = [];

/** A volume that a pod brings along has a claim of its name and the volume's. */
const claimsIn = (pod: ObjectFields): readonly string[] =>
  listAt(pod, 'spec.volumes').flatMap((volume) => {
    if (isThere(volume, 'ephemeral')) return `${textAt(pod, 'metadata.name')}-${textAt(volume, 'name')}`;
    return textAt(volume, 'persistentVolumeClaim.claimName') ?? [];
  });

function labelOf(pod: ObjectFields, name: string): string | null {
  const value = own(fieldsAt(pod, 'metadata.labels'), name);
  return typeof value === 'string' ? interned(value) : null;
}

/** The spec says which containers there are, the status what became of them: one without a status is not forgotten. */
function containersIn(pod: ObjectFields): PodContainer[] {
  const lists = [
    ['spec.initContainers', 'status.initContainerStatuses', 'init'],
    ['spec.containers', 'status.containerStatuses', 'main'],
    ['spec.ephemeralContainers', 'status.ephemeralContainerStatuses', 'ephemeral'],
  ] as const;
  return lists.flatMap(([specs, statuses, kind]) => {
    const reported = new Map(listAt(pod, statuses).map((status) => [textAt(status, 'name'), status]));
    return listAt(pod, specs).map((spec) =>
      containerIn(spec, reported.get(textAt(spec, 'name')) ?? {}, kind),
    );
  });
}

function containerIn(
  spec: ObjectFields,
  status: ObjectFields,
  kind: 'init' | 'main' | 'ephemeral',
): PodContainer {
  const isSidecar = kind === 'init' && textAt(spec, 'restartPolicy') === 'Always';
  return {
    name: interned(textAt(spec, 'name') ?? ''),
    kind: isSidecar ? 'sidecar' : kind,
    image: interned(textAt(spec, 'image')),
    imageId: interned(textAt(status, 'imageID') || null),
    ready: flagAt(status, 'ready'),
    started: isThere(status, 'started') ? flagAt(status, 'started') : null,
    restarts: countAt(status, 'restartCount') ?? 0,
    state: stateOf(status),
    lastEnd: isThere(status, 'lastState.terminated') ? endAt(status, 'lastState.terminated') : null,
    hasReadinessProbe: isThere(spec, 'readinessProbe'),
    ports: listAt(spec, 'ports').flatMap((port) => countAt(port, 'containerPort') ?? []),
  };
}

function stateOf(status: ObjectFields): ContainerState {
  if (isThere(status, 'state.running'))
    return { kind: 'running', startedAt: interned(textAt(status, 'state.running.startedAt')) };
  if (isThere(status, 'state.terminated'))
    return { kind: 'terminated', ...endAt(status, 'state.terminated') };
  if (!isThere(status, 'state.waiting')) return { kind: 'unreported' };
  const reason = textAt(status, 'state.waiting.reason');
  const message = textAt(status, 'state.waiting.message');
  return {
    kind: 'waiting',
    reason,
    message: cutText(message),
    pull: reasonOfPull(message),
    said: reasonOfMessage(message),
  };
}

function endAt(status: ObjectFields, path: string): ContainerEnd {
  return {
    reason: interned(textAt(status, `${path}.reason`)),
    exitCode: countAt(status, `${path}.exitCode`),
    signal: countAt(status, `${path}.signal`),
    startedAt: interned(textAt(status, `${path}.startedAt`)),
    finishedAt: interned(textAt(status, `${path}.finishedAt`)),
  };
}

function kubeletWroteAt(pod: ObjectFields): string | null {
  const entry = listAt(pod, 'metadata.managedFields').find(
    (one) => own(one, 'manager') === 'kubelet' && own(one, 'subresource') === 'status',
  );
  return entry === undefined ? null : interned(textAt(entry, 'time'));
}

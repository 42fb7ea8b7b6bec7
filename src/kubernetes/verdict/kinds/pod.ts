import { conditionFacts, conditionsOf, type ObjectCondition } from '../conditions.ts';
import { fieldsAt, isFields, isThere, listAt, type ObjectFields, own, textAt } from '../fields.ts';
import { statedGenerationUnmet } from '../generation.ts';
import { climb } from '../ladder.ts';
import { entryOf, POD_WORDS } from '../reasons/container-words.ts';
import { reasonOfMessage } from '../reasons/message-words.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import {
  type ContainerFacts,
  containersOf,
  endedUnmet,
  endOf,
  unreportedContainers,
  waitingUnmet,
} from './containers.ts';
import type { KindLadder, LadderContext } from './ladder-context.ts';
import { silentNode } from './node-of.ts';
import { loopUnmet, notHeld } from './restarts.ts';

const PHASES_OF_PODS: ReadonlySet<string | null> = new Set(['Pending', 'Running', 'Failed', 'Succeeded']);

export const judgePod: KindLadder = (pod, context) => {
  const phase = textAt(pod, 'status.phase');
  const conditions = conditionsOf(pod);
  const isReady = conditions.get('Ready');
  const scheduled = conditions.get('PodScheduled');
  const containers = containersOf(pod);
  const policy = textAt(pod, 'spec.restartPolicy') ?? 'Always';
  if (phase === 'Succeeded') return succeeded(containers);
  return climb(
    [
      () =>
        phase === null || phase === ''
          ? ruling('progressing', 'not_observed', 'status.phase is missing')
          : null,
      () => (phase === 'Unknown' ? ruling('unknown', 'node_lost', 'phase Unknown') : null),
      () => (PHASES_OF_PODS.has(phase) ? null : ruling('unknown', { word: phase ?? '' }, `phase ${phase}`)),
      () => (phase === 'Failed' ? failed(pod, containers, conditions.get('DisruptionTarget')) : null),
      () =>
        isReady?.twofold === undefined ? null : ruling('unknown', 'contradictory', conditionFacts(isReady)),
      () => nodeUnmet(pod, isReady, conditions.get('ContainersReady'), context),
      () => first(containers, waitingUnmet),
      () => first(containers, (container) => loopUnmet(container, policy)),
      () => first(containers, (container) => endedUnmet(container, policy === 'Always')),
      () => (scheduled?.status === 'False' ? unscheduled(scheduled) : null),
      () => (phase === 'Pending' ? pending(containers, scheduled) : null),
      () => gatesUnmet(pod, conditions),
      () => (isReady?.status === 'True' ? null : notReady(isReady, containers)),
      () => inconsistent(pod, containers, conditions),
      () => statedGenerationUnmet(pod),
      () => first(containers, (container) => notHeld(container, pod, context.now)),
      () => first(containers, deviceUnmet),
      () => changeUnmet(pod, conditions),
      () => (policy === 'Always' ? null : ruling('progressing', 'running_to_end', `restartPolicy ${policy}`)),
    ],
    ready(`phase Running, Ready=True${restartFacts(containers)}`),
  );
};

function first(
  containers: readonly ContainerFacts[],
  unmet: (container: ContainerFacts) => Ruling | null,
): Ruling | null {
  for (const container of containers) {
    const found = unmet(container);
    if (found !== null) return found;
  }
  return null;
}

/** A pod succeeds only if every app container ended with code 0; sidecars are stopped by signal and do not count. */
function succeeded(containers: readonly ContainerFacts[]): Ruling {
  const other = containers.find(
    ({ part, status }) =>
      part === 'app' && isThere(status, 'state') && endOf(status, 'state.terminated').code !== 0,
  );
  return other === undefined
    ? ready('phase Succeeded', 'ended')
    : ruling(
        'unknown',
        'contradictory',
        `phase Succeeded, and container ${other.name} did not end with code 0`,
      );
}

/** The pod's own word first, then the reason of its disruption, then the first container that ended badly. */
function failed(
  pod: ObjectFields,
  containers: readonly ContainerFacts[],
  disruption: ObjectCondition | undefined,
): Ruling {
  const word = textAt(pod, 'status.reason');
  const message = textAt(pod, 'status.message');
  const facts = `phase Failed${word ? `, ${word}` : ''}${message ? `: ${message}` : ''}`;
  const reason = entryOf(POD_WORDS, word);
  if (reason !== null) return ruling('failed', reason, facts);
  if (word) return ruling('failed', { word }, facts);
  const disrupted = disruption?.status === 'True' ? entryOf(POD_WORDS, disruption.reason) : null;
  if (disrupted !== null && disruption !== undefined)
    return ruling('failed', disrupted, `${facts}; ${conditionFacts(disruption)}`);
  const bad = containers.find(
    ({ status }) => isThere(status, 'state.terminated') && endOf(status, 'state.terminated').code !== 0,
  );
  if (bad === undefined) return ruling('failed', 'exited', facts);
  const end = endOf(bad.status, 'state.terminated');
  const why = bad.part === 'init' ? 'init_failed' : end.reason;
  return ruling('failed', why, `${facts}; container ${bad.name}: ${end.facts}`);
}

/**
 * Rule 5 of Kubernetes as it behaves: a silent node's pods get Ready=False without a reason while their containers are
 * still said to be ready. Nobody knows then (F73).
 */
function nodeUnmet(
  pod: ObjectFields,
  isReady: ObjectCondition | undefined,
  containersReady: ObjectCondition | undefined,
  context: LadderContext,
): Ruling | null {
  if (textAt(pod, 'status.reason') === 'NodeLost') return ruling('unknown', 'node_lost', 'reason NodeLost');
  if (isReady?.status === 'Unknown') return ruling('unknown', 'node_lost', conditionFacts(isReady));
  const isSilent = isReady?.status === 'False' && !isReady.reason && containersReady?.status === 'True';
  if (isSilent && listAt(pod, 'spec.readinessGates').length === 0)
    return ruling('unknown', 'node_lost', 'Ready=False without a reason, ContainersReady=True');
  const silent = silentNode(pod, context.around);
  return silent === null ? null : ruling('unknown', 'node_lost', silent);
}

/** It serves, and the cluster changes its size or moves it away. */
function changeUnmet(pod: ObjectFields, conditions: ReadonlyMap<string, ObjectCondition>): Ruling | null {
  const [pending, underWay, disruption] = ['PodResizePending', 'PodResizeInProgress', 'DisruptionTarget'].map(
    (type) => {
      const condition = conditions.get(type);
      return condition?.status === 'True' ? condition : undefined;
    },
  );
  if (disruption !== undefined) return ruling('progressing', 'disrupted', conditionFacts(disruption));
  const resize = pending ?? underWay;
  if (resize === undefined) return oldResizeUnmet(pod);
  const isRefused = resize.reason === 'Infeasible' || resize.reason === 'Error';
  return isRefused
    ? ruling('degraded', 'resize_refused', conditionFacts(resize))
    : ruling('progressing', 'resize_pending', conditionFacts(resize));
}

/** Before 1.33 a word of the status, and no condition, said how far a resize was. */
function oldResizeUnmet(pod: ObjectFields): Ruling | null {
  const word = textAt(pod, 'status.resize');
  if (word === null || word === '') return null;
  return word === 'Infeasible'
    ? ruling('degraded', 'resize_refused', `status.resize ${word}`)
    : ruling('progressing', 'resize_pending', `status.resize ${word}`);
}

/** A device that it was given and that its driver calls unhealthy. */
function deviceUnmet({ name, status }: ContainerFacts): Ruling | null {
  const sick = listAt(status, 'allocatedResourcesStatus').find((resource) =>
    listAt(resource, 'resources').some((device) => textAt(device, 'health') === 'Unhealthy'),
  );
  return sick === undefined
    ? null
    : ruling('degraded', 'impaired', `container ${name}: ${textAt(sick, 'name') ?? 'a device'} is unhealthy`);
}

function unscheduled(scheduled: ObjectCondition): Ruling {
  const reason =
    scheduled.reason === 'SchedulingGated'
      ? 'scheduling_gated'
      : (reasonOfMessage(scheduled.message) ??
        (scheduled.reason === 'Unschedulable' ? 'unschedulable' : 'not_scheduled'));
  return ruling('progressing', reason, conditionFacts(scheduled));
}

function pending(containers: readonly ContainerFacts[], scheduled: ObjectCondition | undefined): Ruling {
  if (scheduled?.status !== 'True' && containers.length === 0)
    return ruling('progressing', 'not_scheduled', 'phase Pending');
  const init = containers.find(({ part, status }) => part === 'init' && !isThere(status, 'state.terminated'));
  if (init !== undefined)
    return ruling('progressing', 'initialising', `phase Pending, init container ${init.name} is not done`);
  return ruling('progressing', 'creating', 'phase Pending');
}

function gatesUnmet(pod: ObjectFields, conditions: ReadonlyMap<string, ObjectCondition>): Ruling | null {
  for (const gate of listAt(pod, 'spec.readinessGates')) {
    const type = textAt(gate, 'conditionType') ?? '';
    if (conditions.get(type)?.status !== 'True')
      return ruling('progressing', 'readiness_gate', `readiness gate ${type} is not met`);
  }
  return null;
}

function notReady(isReady: ObjectCondition | undefined, containers: readonly ContainerFacts[]): Ruling {
  const facts = isReady === undefined ? 'the condition Ready is missing' : conditionFacts(isReady);
  const unready = containers.find(({ part, ready: is }) => part !== 'init' && !is);
  if (unready === undefined) return ruling('progressing', 'not_ready', facts);
  if (unready.restarts === 0 || !isThere(unready.status, 'lastState.terminated'))
    return ruling(
      'progressing',
      unready.part === 'sidecar' ? 'sidecar_failed' : 'not_ready',
      `${facts}; container ${unready.name} is not ready`,
    );
  const end = endOf(unready.status, 'lastState.terminated');
  const why = end.reason === 'exited' ? 'restarted' : end.reason;
  return ruling(
    'degraded',
    why,
    `${facts}; container ${unready.name} restarted ${unready.restarts} times, last end: ${end.facts}`,
  );
}

/** Ready=True over containers that are not, or that the status leaves out: the condition alone proves nothing then. */
function inconsistent(
  pod: ObjectFields,
  containers: readonly ContainerFacts[],
  conditions: ReadonlyMap<string, ObjectCondition>,
): Ruling | null {
  const other = ['ContainersReady', 'Initialized', 'PodReadyToStartContainers']
    .flatMap((type) => conditions.get(type) ?? [])
    .find(({ status }) => status !== 'True');
  const idle = containers.find(({ part, status, ready: is }) =>
    part === 'init' ? isThere(status, 'state.running') : !(is && isRunning(status) && hasStarted(status)),
  );
  const missing = unreportedContainers(pod);
  const ended = textAt(pod, 'status.reason');
  const facts =
    other !== undefined
      ? conditionFacts(other)
      : idle !== undefined
        ? idle.part === 'init'
          ? `init container ${idle.name} still runs`
          : `container ${idle.name} is not ready or does not run`
        : missing.length > 0
          ? `nothing is said of container ${missing.join(', ')}`
          : entryOf(POD_WORDS, ended) !== null
            ? `its reason is ${ended}`
            : null;
  return facts === null ? null : ruling('unknown', 'contradictory', `Ready=True, and ${facts}`);
}

/** What has not passed its startup probe is not ready. */
const hasStarted = (status: ObjectFields) => own(status, 'started') !== false;

/** A state that is said must be `running`, and an object: anything else is no proof. */
const isRunning = (status: ObjectFields) =>
  !isThere(status, 'state') ||
  (isThere(status, 'state.running') && isFields(fieldsAt(status, 'state.running')));

function restartFacts(containers: readonly ContainerFacts[]): string {
  const restarts = containers.reduce((sum, container) => sum + container.restarts, 0);
  return restarts === 0 ? '' : `; ${restarts} restarts so far`;
}

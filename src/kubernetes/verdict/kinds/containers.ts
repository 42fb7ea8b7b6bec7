import { countAt, fieldsAt, flagAt, isThere, listAt, type ObjectFields, textAt } from '../fields.ts';
import { entryOf, TERMINATED_WORDS, WAITING_WORDS } from '../reasons/container-words.ts';
import type { ReasonName } from '../reasons/index.ts';
import { reasonOfMessage, reasonOfPull } from '../reasons/message-words.ts';
import { type Ruling, ruling } from '../verdict.ts';

/** One container of a pod with its part in it (F75). Ephemeral containers are not among them: they are never judged. */
export interface ContainerFacts {
  readonly part: 'init' | 'sidecar' | 'app';
  readonly name: string;
  readonly status: ObjectFields;
  readonly ready: boolean;
  readonly restarts: number;
}

/** Containers with a status, in the order in which they start. A sidecar is an init container that restarts always. */
export function containersOf(pod: ObjectFields): ContainerFacts[] {
  const sidecars = new Set(
    listAt(pod, 'spec.initContainers')
      .filter((container) => textAt(container, 'restartPolicy') === 'Always')
      .map((container) => textAt(container, 'name')),
  );
  const facts = (status: ObjectFields, isInit: boolean): ContainerFacts => {
    const name = textAt(status, 'name');
    return {
      part: isInit ? (sidecars.has(name) ? 'sidecar' : 'init') : 'app',
      name: name ?? '',
      status,
      ready: flagAt(status, 'ready'),
      restarts: countAt(status, 'restartCount') ?? 0,
    };
  };
  return [
    ...listAt(pod, 'status.initContainerStatuses').map((status) => facts(status, true)),
    ...listAt(pod, 'status.containerStatuses').map((status) => facts(status, false)),
  ];
}

/** Containers that the spec names and the list of statuses leaves out. Without a list, the conditions alone speak. */
export function unreportedContainers(pod: ObjectFields): string[] {
  const missing = (list: string, wanted: readonly ObjectFields[]) => {
    if (!isThere(pod, list)) return [];
    const reported = new Set(listAt(pod, list).map((status) => textAt(status, 'name')));
    return wanted.map((container) => textAt(container, 'name') ?? '').filter((name) => !reported.has(name));
  };
  return [
    ...missing('status.containerStatuses', listAt(pod, 'spec.containers')),
    ...missing('status.initContainerStatuses', listAt(pod, 'spec.initContainers')),
  ];
}

/** A container that waits for something other than its turn. A word that is not in the catalogue is unknown (F81). */
export function waitingUnmet({ name, part, status, restarts }: ContainerFacts): Ruling | null {
  if (!isThere(status, 'state.waiting')) return null;
  const word = textAt(status, 'state.waiting.reason');
  const message = textAt(status, 'state.waiting.message');
  // A container whose turn has not come has no word, or one of those that pass.
  if (word === null || word === '') return null;
  const entry = entryOf(WAITING_WORDS, word);
  const facts = `container ${name} waits: ${word}${message ? `: ${message}` : ''}${lastEnd(status)}`;
  if (entry === null) return ruling('unknown', { word }, facts);
  if (entry.underWay) return null;
  return ruling(
    'failed',
    reasonOfWaiting(entry.reason, part, message, status),
    `${facts}; ${restarts} restarts`,
  );
}

function reasonOfWaiting(
  reason: ReasonName,
  part: ContainerFacts['part'],
  message: string | null,
  status: ObjectFields,
): ReasonName {
  if (reason === 'image_pull_failed') return reasonOfPull(message) ?? reason;
  if (reason === 'config_missing' || reason === 'start_failed') return reasonOfMessage(message) ?? reason;
  return reason === 'crash_loop' ? reasonOfLoop(part, status) : reason;
}

/** A loop of an app that runs out of memory is about memory, and one whose command cannot run never started. */
export function reasonOfLoop(part: ContainerFacts['part'], status: ObjectFields): ReasonName {
  if (part === 'init') return 'init_failed';
  if (part === 'sidecar') return 'sidecar_failed';
  const ended = entryOf(TERMINATED_WORDS, textAt(status, 'lastState.terminated.reason'));
  return ended === 'oom_killed' || ended === 'start_failed' ? ended : 'crash_loop';
}

/** A container that has ended where it should run. Ending well is right for init containers. */
export function endedUnmet({ name, part, status }: ContainerFacts, restartsAlways: boolean): Ruling | null {
  if (!isThere(status, 'state.terminated')) return null;
  const end = endOf(status, 'state.terminated');
  if (end.code === 0 && (part === 'init' || !restartsAlways)) return null;
  // restartPolicy Never keeps an ended container as it is: the others go on, and the phase decides in the end.
  const reason = part === 'init' ? 'init_failed' : part === 'sidecar' ? 'sidecar_failed' : end.reason;
  const facts = `container ${name} ended: ${end.facts}`;
  if (typeof reason !== 'string') return ruling('unknown', reason, facts);
  return ruling(restartsAlways || part !== 'app' ? 'degraded' : 'progressing', reason, facts);
}

/** The end of a container: in `state` now, or in `lastState` before it was started again. */
export function endOf(
  status: ObjectFields,
  path: 'state.terminated' | 'lastState.terminated',
): { readonly code: number | null; readonly reason: ReasonName | { word: string }; readonly facts: string } {
  const terminated = fieldsAt(status, path);
  const code = countAt(terminated, 'exitCode');
  const signal = countAt(terminated, 'signal') ?? 0;
  const word = textAt(terminated, 'reason');
  const message = textAt(terminated, 'message');
  const facts = [word ?? 'ended', code === null ? 'without a code' : `code ${code}`, message]
    .filter((part) => part)
    .join(', ');
  const listed = word === null || word === 'Completed' ? 'exited' : entryOf(TERMINATED_WORDS, word);
  if (listed === null) return { code, reason: { word: word ?? '' }, facts };
  return { code, reason: listed === 'exited' && signal > 0 ? 'signalled' : listed, facts };
}

function lastEnd(status: ObjectFields): string {
  return isThere(status, 'lastState.terminated')
    ? `; last end: ${endOf(status, 'lastState.terminated').facts}`
    : '';
}

import { ago, span } from '../../../contract/presentation/times.ts';
import { type ObjectFields, textAt } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';
import { type ContainerFacts, reasonOfLoop } from './containers.ts';

/** As many exits within ten minutes are a crash loop, as for every runtime. */
const EXITS = 3;
const LOOP_MS = 10 * 60_000;

/** A run must hold this long at least, and twice as long as the one before, to count as the end of a loop. */
const HOLD_MS = 60_000;

/**
 * A container that is ready between two crashes has not held. Proven are its number of exits, the length of its last
 * run, and the start of this one. A last run of ten minutes or more was no loop: the kubelet forgets its back-off then.
 * Without a last run, only a pod that is younger than ten minutes proves that its exits were close to each other.
 */
export function notHeld(container: ContainerFacts, pod: ObjectFields, now: number): Ruling | null {
  const { part, name, status, restarts } = container;
  const started = instant(status, 'state.running.startedAt');
  if (part === 'init' || restarts < EXITS || started === null) return null;
  const [from, to] = [
    instant(status, 'lastState.terminated.startedAt'),
    instant(status, 'lastState.terminated.finishedAt'),
  ];
  const lastRun = from === null || to === null ? null : Math.max(0, to - from);
  const created = instant(pod, 'metadata.creationTimestamp');
  const isLoop = lastRun === null ? created !== null && now - created < LOOP_MS : lastRun < LOOP_MS;
  if (!isLoop || now - started >= Math.max(HOLD_MS, 2 * (lastRun ?? 0))) return null;
  const before = lastRun === null ? '' : `, its last run ended after ${span(lastRun)}`;
  return ruling(
    'degraded',
    reasonOfLoop(part, status),
    `Ready=True, and container ${name} restarted ${restarts} times${before}; it was started ${ago(now - started)}`,
  );
}

/** Null where absent or no time: then it proves nothing. */
function instant(fields: ObjectFields, path: string): number | null {
  const at = Date.parse(textAt(fields, path) ?? '');
  return Number.isNaN(at) ? null : at;
}

import { ago, span } from '../../../contract/presentation/times.ts';
import { isThere, type ObjectFields, textAt } from '../fields.ts';
import type { ReasonName } from '../reasons/index.ts';
import { type Ruling, ruling } from '../verdict.ts';
import { type ContainerFacts, endOf, reasonOfLoop } from './containers.ts';

/** As many exits within ten minutes are a crash loop, as for every runtime. */
const EXITS = 3;
const LOOP_MS = 10 * 60_000;

/** Two exits of a young pod are as likely the beginning of a loop: it counts as up once it has held this long. */
const SECOND_HOLD_MS = 30_000;

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
  if (part === 'init' || restarts < EXITS - 1 || started === null) return null;
  const [from, to] = [
    instant(status, 'lastState.terminated.startedAt'),
    instant(status, 'lastState.terminated.finishedAt'),
  ];
  const lastRun = from === null || to === null ? null : Math.max(0, to - from);
  const created = instant(pod, 'metadata.creationTimestamp');
  const isLoop = lastRun === null ? created !== null && now - created < LOOP_MS : lastRun < LOOP_MS;
  const isYoung = created !== null && now - created < LOOP_MS;
  if (restarts < EXITS)
    return isYoung && isLoop && now - started < Math.max(SECOND_HOLD_MS, 2 * (lastRun ?? 0))
      ? {
          ...ruling(
            'progressing',
            'settling',
            `Ready=True, and container ${name} restarted ${restarts} times since the pod was created ${ago(now - created)}; it was started ${ago(now - started)}`,
          ),
          isUp: true,
        }
      : null;
  if (!isLoop || now - started >= Math.max(HOLD_MS, 2 * (lastRun ?? 0))) return null;
  const before = lastRun === null ? '' : `, its last run ended after ${span(lastRun)}`;
  const looping = ruling(
    'failed',
    reasonOfLoop(part, status),
    `Ready=True, and container ${name} restarted ${restarts} times${before}; it was started ${ago(now - started)}`,
  );
  return { ...looping, isUp: true };
}

/**
 * Between an end and the wait that follows it, the same loop as while it waits. A run that may have been long proves no
 * loop of an app; an init container that ends badly again and again never let the app begin.
 */
export function loopUnmet({ part, name, status, restarts }: ContainerFacts, policy: string): Ruling | null {
  if (!isThere(status, 'state.terminated') || restarts < EXITS || policy === 'Never') return null;
  const end = endOf(status, 'state.terminated');
  if (end.code === 0 && (part === 'init' || policy !== 'Always')) return null;
  const [from, to] = ['startedAt', 'finishedAt'].map((time) => instant(status, `state.terminated.${time}`));
  const isShort = from != null && to != null && to - from < LOOP_MS;
  if (part !== 'init' && !isShort) return null;
  const why = typeof end.reason === 'string' && LOOP_ENDS.has(end.reason) ? end.reason : 'crash_loop';
  const reason = part === 'app' ? why : reasonOfLoop(part, status);
  return ruling('failed', reason, `container ${name} ended: ${end.facts}; ${restarts} restarts`);
}

const LOOP_ENDS: ReadonlySet<ReasonName> = new Set(['oom_killed', 'start_failed']);

/** Null where absent or no time: then it proves nothing. */
function instant(fields: ObjectFields, path: string): number | null {
  const at = Date.parse(textAt(fields, path) ?? '');
  return Number.isNaN(at) ? null : at;
}

import type { Instance, ReasonDetails } from '../../contract/report.ts';
import type { Phase, RuntimeReason } from '../../contract/vocabulary.ts';
import type { Readiness } from './readiness.ts';
import type { Exit, InstanceRecord } from './record.ts';

/** Consecutive short lives that are a crash loop; the running contract counts the same. */
const LOOP = 3;

/** One instance as a report carries it: typed facts only. Pure. */
export function observedInstance(service: string, record: InstanceRecord, readiness: Readiness): Instance {
  const { uid, name, stamp, artifact, restarts, startedAt } = record;
  const { phase, ready, reason, message, details } = conditionOf(record, readiness);
  return {
    uid,
    name,
    service,
    revision: stamp.revision,
    attempt: stamp.attempt,
    fence: stamp.fence,
    template: null,
    artifact,
    phase,
    ready,
    restarts,
    containers: [],
    reason,
    message,
    ...(details !== null && { details }),
    startedAt,
  };
}

interface InstanceCondition {
  readonly phase: Phase;
  readonly ready: boolean;
  readonly reason: RuntimeReason | null;
  readonly message: string | null;
  readonly details: ReasonDetails | null;
}

const STARTING: InstanceCondition = {
  phase: 'starting',
  ready: false,
  reason: null,
  message: null,
  details: null,
};

function conditionOf(record: InstanceRecord, readiness: Readiness): InstanceCondition {
  const { lastExit, process, shortLives } = record;
  if (record.retiring) return { ...STARTING, phase: 'stopping', reason: 'terminating' };
  if (process === null) {
    // It is never `pending`: nothing has to find a place for it.
    if (lastExit === null) return STARTING;
    const phase = lastExit.kind === 'not_started' ? 'failed' : 'exited';
    const reason = shortLives >= LOOP ? 'crash_loop' : reasonOf(lastExit);
    return { ...STARTING, phase, reason, ...exitTold(lastExit) };
  }
  if (readiness.kind === 'ready') return { ...STARTING, phase: 'running', ready: true };
  // A start within a crash loop is still the loop: the claim does not swing with every start.
  if (shortLives >= LOOP && lastExit !== null)
    return { ...STARTING, reason: 'crash_loop', ...exitTold(lastExit) };
  if (readiness.kind === 'starting') return STARTING;
  return { ...STARTING, phase: 'running', ...unreadyTold(record.port, readiness) };
}

type ToldReason = Pick<InstanceCondition, 'reason' | 'message' | 'details'>;

/** Statuses by which an app asks for patience: it is well and not ready yet. */
const NOT_YET: ReadonlySet<number> = new Set([429, 503]);

function unreadyTold(
  port: number | null,
  readiness: Exclude<Readiness, { readonly kind: 'ready' | 'starting' }>,
): ToldReason {
  switch (readiness.kind) {
    case 'not_listening':
      return notListening(port, readiness.listens);
    case 'port_taken':
      return {
        reason: 'port_taken',
        message: `another process listens on port ${port}, which it was given as PORT`,
        details: { port },
      };
    case 'failed': {
      const { status, message } = readiness;
      return { reason: NOT_YET.has(status) ? 'probe_failed' : 'health_error', message, details: { status } };
    }
    case 'not_answering':
      return { reason: 'not_answering', message: readiness.message, details: null };
    case 'suspended':
      return { reason: 'suspended', message: 'its process is stopped (T)', details: null };
  }
}

function notListening(port: number | null, listens: readonly number[]): ToldReason {
  if (listens.length === 0)
    return {
      reason: 'not_listening',
      message: `nothing listens on port ${port}, which it was given as PORT`,
      details: { port },
    };
  if (port !== null && listens.includes(port))
    return {
      reason: 'wrong_address',
      message: `it listens on port ${port}, and not at an address of the loopback interface`,
      details: { port },
    };
  return {
    reason: 'wrong_port',
    message: `it listens on ${listens.join(', ')}, and not on port ${port}, which it was given as PORT`,
    details: { port, listens: [...listens] },
  };
}

const exitTold = (exit: Exit) => ({
  message: exitText(exit),
  details: exit.kind === 'exited' ? { exitCode: exit.code } : null,
});

function reasonOf(exit: Exit): RuntimeReason {
  if (exit.kind !== 'signalled') return 'exited';
  return exit.outOfMemory ? 'oom_killed' : 'signalled';
}

function exitText(exit: Exit): string {
  switch (exit.kind) {
    case 'exited':
      return `exit code ${exit.code}`;
    case 'signalled':
      return exit.outOfMemory ? `killed by ${exit.signal}: out of memory` : `killed by ${exit.signal}`;
    case 'unwatched':
      return 'ended while no agent watched it; how is not known';
    case 'rebooted':
      return 'the machine was restarted';
    case 'not_started':
      return `could not be started: ${exit.message}`;
  }
}

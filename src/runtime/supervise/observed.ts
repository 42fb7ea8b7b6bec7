import type { Instance } from '../../contract/report.ts';
import type { Phase, RuntimeReason } from '../../contract/vocabulary.ts';
import type { Readiness } from './readiness.ts';
import type { Exit, InstanceRecord } from './record.ts';

/** Consecutive short lives that are a crash loop; the running contract counts the same. */
const LOOP = 3;

/** One instance as a report carries it: typed facts only. Pure. */
export function observedInstance(service: string, record: InstanceRecord, readiness: Readiness): Instance {
  const { uid, name, stamp, artifact, restarts, startedAt } = record;
  const { phase, ready, reason, message } = conditionOf(record, readiness);
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
    startedAt,
  };
}

interface InstanceCondition {
  readonly phase: Phase;
  readonly ready: boolean;
  readonly reason: RuntimeReason | null;
  readonly message: string | null;
}

function conditionOf(record: InstanceRecord, readiness: Readiness): InstanceCondition {
  const { lastExit, process, port, shortLives } = record;
  if (record.retiring) return { phase: 'stopping', ready: false, reason: 'terminating', message: null };
  if (process === null) {
    // It is never `pending`: nothing has to find a place for it.
    if (lastExit === null) return { phase: 'starting', ready: false, reason: null, message: null };
    const phase = lastExit.kind === 'not_started' ? 'failed' : 'exited';
    const reason = shortLives >= LOOP ? 'crash_loop' : reasonOf(lastExit);
    return { phase, ready: false, reason, message: exitText(lastExit) };
  }
  if (readiness.kind === 'ready') return { phase: 'running', ready: true, reason: null, message: null };
  // A start within a crash loop is still the loop: the claim does not swing with every start.
  if (shortLives >= LOOP && lastExit !== null)
    return { phase: 'starting', ready: false, reason: 'crash_loop', message: exitText(lastExit) };
  switch (readiness.kind) {
    case 'starting':
      return { phase: 'starting', ready: false, reason: null, message: null };
    case 'not_listening':
      return {
        phase: 'running',
        ready: false,
        reason: 'not_listening',
        message: `nothing listens on port ${port}, which it was given as PORT`,
      };
    case 'port_taken':
      return {
        phase: 'running',
        ready: false,
        reason: 'port_taken',
        message: `another process listens on port ${port}, which it was given as PORT`,
      };
    case 'failed':
      return { phase: 'running', ready: false, reason: 'probe_failed', message: readiness.message };
    case 'not_answering':
      return { phase: 'running', ready: false, reason: 'not_answering', message: readiness.message };
    case 'suspended':
      return { phase: 'running', ready: false, reason: 'suspended', message: 'its process is stopped (T)' };
  }
}

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

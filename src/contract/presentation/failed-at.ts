import type { Claim } from '../claim.ts';
import { STAGES, type Stage, type State } from '../vocabulary.ts';

/** The stage that a revision was in when its proof ended with this state. */
const STAGE_AFTER: Readonly<Partial<Record<State, Stage>>> = {
  waiting_for_worker: 'queue',
  building: 'build',
  artifact_ready: 'apply_queue',
  applying_runtime_state: 'apply',
  starting: 'start',
  stopping: 'stop',
};

/** A target that did not take the work is a part of applying it: the queue before it is the platform's own word. */
const WORDS: Readonly<Partial<Record<Stage, string>>> = { apply_queue: 'apply' };

/** Messages of a stage that have words of their own. */
const STAGE_OF: Readonly<Record<string, Stage>> = {
  'failed.wrong_port': 'readiness',
  'failed.health_error': 'readiness',
};

/** "Failed at start": the state with its stage, the same on every page; null where none is known, and of other states. */
export function failedAt({
  state,
  message,
  proof,
  timeout,
}: Pick<Claim, 'state' | 'message' | 'proof' | 'timeout'>): string | null {
  if (state !== 'failed') return null;
  const stage =
    timeout?.stage ??
    STAGE_OF[message.code] ??
    STAGES.find((one) => message.code === `failed.${one}`) ??
    STAGE_AFTER[proof.stoppedAt ?? 'accepted'];
  return stage === undefined ? null : `Failed at ${WORDS[stage] ?? stage}`;
}

import type { Claim } from '../claim.ts';
import { STAGES, type Stage, type State } from '../vocabulary.ts';

/** The stage of messages that are not named after theirs. */
const STAGE_OF_MESSAGE: Readonly<Record<string, Stage>> = {
  'failed.wrong_port': 'readiness',
  'failed.health_error': 'readiness',
  'failed.still_there': 'stop',
};

/** The stage that a revision was in when its proof ended with this state. */
const STAGE_AFTER: Readonly<Partial<Record<State, Stage>>> = {
  accepted: 'publish',
  waiting_for_worker: 'queue',
  building: 'build',
  artifact_ready: 'apply_queue',
  applying_runtime_state: 'apply',
  starting: 'start',
  running: 'runtime',
  stopping: 'stop',
};

/** The stage at which a revision failed; null where it did not, or none is known. List and page both take it from here. */
export function failedStage({
  state,
  message,
  proof,
  timeout,
}: Pick<Claim, 'state' | 'message' | 'proof' | 'timeout'>): Stage | null {
  if (state !== 'failed') return null;
  const named = STAGES.find((stage) => message.code === `failed.${stage}`);
  const after = proof.stoppedAt === null ? undefined : STAGE_AFTER[proof.stoppedAt];
  return timeout?.stage ?? named ?? STAGE_OF_MESSAGE[message.code] ?? after ?? null;
}

/** "Failed at start": the state with its stage; null where no stage is known, and of other states. */
export function failedAt(claim: Parameters<typeof failedStage>[0]): string | null {
  const stage = failedStage(claim);
  // Nobody took it, so nobody failed at it.
  if (stage === 'queue' || stage === 'apply_queue') return 'Not taken';
  return stage === null ? null : `Failed at ${stage}`;
}

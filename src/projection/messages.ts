import { heardWords, type Move, moveSentence } from '../contract/presentation/moves.ts';
import { readyOf } from '../contract/presentation/ready-of.ts';
import { span } from '../contract/presentation/times.ts';
import type { Stage, State, UnknownCause } from '../contract/vocabulary.ts';

/**
 * The catalogue: every sentence that a user or an operator can read in a claim; the words for a cause are in causes.ts,
 * those for a reason of the runtime in runtime-reasons.ts. Rules for all of them:
 *
 * 1. One colleague to another: short, concrete, active. "No builder picked it up, so it was withdrawn."
 * 2. The cause first, then the count, then whose move it is. The title names the state; the body does not repeat it.
 * 3. No sentence says what the one before implied, and none is true of everything: no "something went wrong", no "it
 *    should have worked".
 * 4. Doubt is said as doubt: "When last known, it was running; nobody can tell whether it still is."
 * 5. Users read no internals (leases, agents, evidence, generations): these are in `operator`, in names of the model.
 * 6. A template declares the parameters that it takes, so a missing one does not compile. Parameters are numbers and
 *    words of the model; the free text of evidence has no way in (S15).
 */
interface MessageTemplate<P> {
  readonly title: string;
  readonly body: (p: P) => string;
  readonly operator: (p: P) => string;
}

const LAST_RUN = {
  none: 'It has not run yet.',
  active: 'A run is under way.',
  succeeded: 'Its last run succeeded.',
  failed: 'Its last run failed.',
  suspended: 'It is suspended.',
} as const;

interface MoveParams {
  readonly move: Move;
}
interface CauseParams extends MoveParams {
  /** The user's words for the cause. */
  readonly why: string;
}
interface CountParams extends CauseParams {
  readonly ready: number;
  readonly wanted: number;
}
interface WaitsParams extends MoveParams {
  readonly ready: number;
  readonly wanted: number;
  readonly waitsMs: number;
}
interface GrowthParams extends CountParams {
  /** The number that was wanted before. */
  readonly from: number;
}
interface ExitParams extends CountParams {
  readonly windowMs: number;
}
interface EndParams {
  readonly ready: number;
  readonly wanted: number;
  readonly notAfter: string;
}
interface JobParams {
  readonly job: keyof typeof LAST_RUN;
}
interface ProgressParams {
  readonly step: number | null;
  readonly total: number | null;
}
interface HeardParams extends MoveParams {
  readonly heardAgoMs: number;
}
interface FailureParams extends CauseParams {
  readonly stage: Stage;
  readonly cause: string;
  readonly timedOut: boolean;
}
interface UnknownParams extends CauseParams {
  readonly lastKnown: State | null;
  /** Something of it was observed, however little that proves. */
  readonly isSeen: boolean;
  readonly cause: string;
}

interface NotOnRecordParams extends UnknownParams {
  readonly seenRevision: number;
  readonly seenAttempt: number;
  readonly recordedRevision: number;
  readonly recordedAttempt: number;
}

interface FormerParams extends UnknownParams {
  readonly former: string;
}

interface LostParams extends UnknownParams {
  readonly lostSince: string;
  readonly restoredAt: string;
}

/** States in a user's words, as the end of "it was …". */
export const STATE_WORDS = {
  accepted: 'accepted',
  waiting_for_worker: 'waiting to be taken',
  building: 'being built',
  artifact_ready: 'ready to be applied',
  applying_runtime_state: 'being applied',
  starting: 'starting',
  running: 'running',
  degraded: 'not running as it should',
  failed: 'failed',
  cancelling: 'being cancelled',
  cancelled: 'cancelled',
  stopping: 'being stopped',
  stopped: 'stopped',
  unknown: 'unknown',
} as const satisfies Record<State, string>;

const operatorMove = ({ owner, action, retrySafe }: Move) =>
  `next: ${owner}${action === null ? '' : `, ${action}`}; retry ${retrySafe ? 'safe' : 'not safe'}`;

const waiting = (title: string, subject: string): MessageTemplate<CauseParams> => ({
  title,
  body: (p) => sentences(p.why, subject, moveSentence(p.move)),
  operator: (p) => `published, not acknowledged; ${operatorMove(p.move)}`,
});
const FOR_BUILDER = 'It is built as soon as a builder takes it.';
const FOR_TARGET = 'It is applied as soon as the target takes it.';

const failed = (title: string, expected: string): MessageTemplate<FailureParams> => ({
  title,
  body: (p) => sentences(p.why, expected, moveSentence(p.move)),
  operator: (p) =>
    `failed at ${p.stage}: ${p.cause}${p.timedOut ? ', by deadline' : ''}; ${operatorMove(p.move)}`,
});

const unknown = (title: string): MessageTemplate<UnknownParams> => ({
  title,
  body: (p) =>
    sentences(
      p.why,
      p.lastKnown === null
        ? p.isSeen
          ? 'Nobody has seen it run as it should yet.'
          : 'Nothing is known of it yet.'
        : `When last known, it was ${STATE_WORDS[p.lastKnown]}; nobody can tell whether it still is.`,
      moveSentence(p.move),
    ),
  operator: (p) => `unknown: ${p.cause}; last known ${p.lastKnown ?? 'nothing'}; ${operatorMove(p.move)}`,
});

const restored = unknown('Unknown: records were restored');

/** In the past tense: it is shown until somebody acts, also when the target is silent (S2). */
function notOnRecord(p: NotOnRecordParams): string {
  if (p.seenRevision > p.recordedRevision)
    return `r${p.seenRevision} was seen, which the records do not know: the newest on record is r${p.recordedRevision}.`;
  if (p.seenAttempt > p.recordedAttempt)
    return `Attempt ${p.seenAttempt} of r${p.seenRevision} was seen, of which the records know only attempt ${p.recordedAttempt}.`;
  return `r${p.seenRevision} was seen as it was applied once more, of which the records know nothing.`;
}

export const MESSAGES = {
  accepted: {
    title: 'Accepted',
    body: (p: MoveParams) => `Recorded, and about to be handed on. ${moveSentence(p.move)}`,
    operator: (p: MoveParams) => `intent and command recorded, not published; ${operatorMove(p.move)}`,
  },

  'waiting.no_worker': waiting('Waiting for a builder', FOR_BUILDER),
  'waiting.all_busy': waiting('Waiting for a free builder', FOR_BUILDER),
  'waiting.offered': waiting('On its way to a builder', FOR_BUILDER),
  'waiting.requeued': waiting('Waiting for another builder', FOR_BUILDER),
  'waiting.target_offline': waiting('Waiting for the target', FOR_TARGET),
  'waiting.target_busy': waiting('Waiting for a busy target', FOR_TARGET),
  'waiting.target_offered': waiting('On its way to the target', FOR_TARGET),
  'waiting.target_requeued': waiting('Waiting for the target again', FOR_TARGET),

  'artifact_ready.target_offline': waiting('Ready, waiting for the target', FOR_TARGET),
  'artifact_ready.target_busy': waiting('Ready, the target is busy', FOR_TARGET),
  'artifact_ready.target_offered': waiting('Ready, on its way to the target', FOR_TARGET),
  'artifact_ready.target_requeued': waiting('Ready, waiting for the target again', FOR_TARGET),

  building: {
    title: 'Building',
    body: (p: ProgressParams & MoveParams) => `A builder is at work${steps(p)}. ${moveSentence(p.move)}`,
    operator: (p: ProgressParams & MoveParams) =>
      `build lease acknowledged${steps(p)}; ${operatorMove(p.move)}`,
  },
  applying: {
    title: 'Applying it',
    body: (p: MoveParams) => `The target is applying it. ${moveSentence(p.move)}`,
    operator: (p: MoveParams) => `apply lease acknowledged, no runtime.applied yet; ${operatorMove(p.move)}`,
  },
  'building.holder_silent': {
    title: 'Building',
    body: (p: ProgressParams & HeardParams) =>
      `${heardWords('Taken by a builder', p.heardAgoMs)}${steps(p)}. ${moveSentence(p.move)}`,
    operator: (p: ProgressParams & HeardParams) =>
      `build lease acknowledged${steps(p)}, not renewed when due; ${operatorMove(p.move)}`,
  },
  'applying.holder_silent': {
    title: 'Applying it',
    body: (p: HeardParams) => `${heardWords('Taken by the target', p.heardAgoMs)}. ${moveSentence(p.move)}`,
    operator: (p: HeardParams) =>
      `apply lease acknowledged, not renewed when due, no runtime.applied yet; ${operatorMove(p.move)}`,
  },
  starting: {
    title: 'Starting',
    body: (p: CountParams) => sentences(`${readyOf(p.ready, p.wanted)}.`, p.why, moveSentence(p.move)),
    operator: (p: CountParams) =>
      `applied; ${p.ready} of ${p.wanted} satisfy the contract; ${operatorMove(p.move)}`,
  },
  'starting.unseen': {
    title: 'Starting',
    body: (p: CauseParams) => sentences('It was applied.', p.why, moveSentence(p.move)),
    operator: (p: CauseParams) => `applied; no report since shows anything of it; ${operatorMove(p.move)}`,
  },
  'starting.more': {
    title: 'Starting more copies',
    body: (p: GrowthParams) =>
      sentences(
        `${p.wanted} copies are wanted, after ${p.from === 0 ? 'none' : p.from}. ${readyOf(p.ready, p.wanted)}.`,
        p.why,
        moveSentence(p.move),
      ),
    operator: (p: GrowthParams) =>
      `was running with ${p.from}, ${p.wanted} are wanted; ${p.ready} satisfy the contract; ${operatorMove(p.move)}`,
  },
  'starting.job': {
    title: 'Starting',
    body: (p: CauseParams) => sentences(p.why, moveSentence(p.move)),
    operator: (p: CauseParams) => `CronJob; no run of it has ended well yet; ${operatorMove(p.move)}`,
  },
  'starting.to_zero': {
    title: 'Stopping all copies',
    body: (p: CauseParams) => sentences(p.why, 'No copies should be left.', moveSentence(p.move)),
    operator: (p: CauseParams) =>
      `applied with replicas 0; no complete snapshot without an instance yet; ${operatorMove(p.move)}`,
  },
  running: {
    title: 'Running',
    body: (p: { readonly ready: number; readonly wanted: number }) =>
      `${readyOf(p.ready, p.wanted)} and stable. Nothing to do.`,
    operator: (p: { readonly ready: number; readonly wanted: number }) =>
      `the running contract holds, freshly; ${p.ready} of ${p.wanted}`,
  },
  'running.job': {
    title: 'Running on its schedule',
    body: (p: JobParams) => `${LAST_RUN[p.job]} Nothing to do.`,
    operator: (p: JobParams) => `CronJob, not suspended; its last Job: ${p.job}`,
  },
  'running.change_waits': {
    title: 'Running, a change waits',
    body: (p: WaitsParams) =>
      `${readyOf(p.ready, p.wanted)} and stable, as before. A change of it has waited for ${span(p.waitsMs)}. ${moveSentence(p.move)}`,
    operator: (p: WaitsParams) =>
      `the running contract holds, freshly; ${p.ready} of ${p.wanted}; spec.paused, and the template differs from the one that runs`,
  },
  'running.by_connecting': {
    title: 'Running',
    body: (p: { readonly ready: number; readonly wanted: number }) =>
      `${readyOf(p.ready, p.wanted)} and stable. Its port speaks no HTTP: we only see that it accepts connections. Nothing to do.`,
    operator: (p: { readonly ready: number; readonly wanted: number }) =>
      `the running contract holds, freshly; ${p.ready} of ${p.wanted}; route and instances are probed by connecting`,
  },
  'running.by_node': {
    title: 'Running',
    body: (p: { readonly ready: number; readonly wanted: number }) =>
      `${readyOf(p.ready, p.wanted)} and stable: its node says so and is alive. Nobody asked the app itself. Nothing to do.`,
    operator: (p: { readonly ready: number; readonly wanted: number }) =>
      `the running contract holds, freshly; ${p.ready} of ${p.wanted}; on the word of the nodes, without a probe or a direct request`,
  },
  'running.certificate_ends': {
    title: 'Running',
    body: (p: EndParams) =>
      `${readyOf(p.ready, p.wanted)} and stable. Its certificate for https ends on ${p.notAfter.slice(0, 10)}: renew it before then.`,
    operator: (p: EndParams) =>
      `the running contract holds, freshly; ${p.ready} of ${p.wanted}; notAfter of the certificate: ${p.notAfter}`,
  },
  degraded: {
    title: 'Not running as it should',
    body: (p: CountParams) =>
      sentences(
        p.why,
        // The count is left out where all are ready: it would sound like good news.
        p.ready < p.wanted || p.why === '' ? `${readyOf(p.ready, p.wanted)}.` : '',
        moveSentence(p.move),
      ),
    operator: (p: CountParams) =>
      `was running in this attempt, the contract is broken; ${p.ready} of ${p.wanted}; ${operatorMove(p.move)}`,
  },
  'degraded.job': {
    title: 'Not running as it should',
    body: (p: CauseParams) => sentences(p.why, moveSentence(p.move)),
    operator: (p: CauseParams) =>
      `CronJob; its last finished run failed, or the one under way does not get on; ${operatorMove(p.move)}`,
  },
  'degraded.settling': {
    title: 'Ready again, not yet steady',
    body: (p: CountParams) =>
      `${readyOf(p.ready, p.wanted)} again; we watch it a little longer before calling it running. ${moveSentence(p.move)}`,
    operator: (p: CountParams) =>
      `was running in this attempt; the contract is satisfied again, not yet stable; ${operatorMove(p.move)}`,
  },
  'degraded.unsteady': {
    title: 'Ready again, not yet steady',
    body: (p: ExitParams) =>
      sentences(
        p.why,
        `${readyOf(p.ready, p.wanted)}; we call it running once it has stayed up for ${span(p.windowMs)}.`,
        moveSentence(p.move),
      ),
    operator: (p: ExitParams) =>
      `was running in this attempt; an instance that exited has not held its window of ${p.windowMs} ms; ${operatorMove(p.move)}`,
  },

  'failed.publish': failed('Could not be handed on', ''),
  'failed.queue': failed('No builder took it', ''),
  'failed.build': failed('The build failed', ''),
  'failed.apply_queue': failed('The target did not take it', ''),
  'failed.apply': failed('Could not be applied', ''),
  'failed.scheduling': failed('It has no place to run', ''),
  'failed.image': failed('The image cannot be run', ''),
  'failed.start': failed('The app does not start', ''),
  'failed.readiness': failed('The app does not become ready', ''),
  'failed.wrong_port': failed('The app listens on the wrong port', ''),
  'failed.health_error': failed(
    'The health check of the app fails',
    'It should answer with a status below 400.',
  ),
  'failed.route': failed('The app does not answer', ''),
  'failed.runtime': failed('The app no longer runs as it should', 'It ran before and has not recovered.'),
  'failed.stop': failed('Could not be stopped', ''),
  // Used for causes that contradict their stage: an instance that exited had started.
  'failed.ends': failed('The app does not stay up', ''),
  'failed.job': failed('Its last run failed', ''),
  'failed.still_there': failed('Not seen to be stopped', ''),
  'failed.settling': {
    title: 'It failed, and is ready now',
    body: (p: FailureParams) =>
      `It is ready now; we watch it a little longer before calling it running. ${moveSentence(p.move)}`,
    operator: (p: FailureParams) =>
      `failed at ${p.stage}; the contract is satisfied since, not yet stable; ${operatorMove(p.move)}`,
  },

  cancelling: {
    title: 'Cancelling',
    body: (p: MoveParams) => `Work in progress is being ended. ${moveSentence(p.move)}`,
    operator: (p: MoveParams) =>
      `cancel recorded, the work is still owned until acknowledged or the lease ends; ${operatorMove(p.move)}`,
  },
  cancelled: {
    title: 'Cancelled',
    body: (p: MoveParams) => `Nothing of it goes on. ${moveSentence(p.move)}`,
    operator: (p: MoveParams) =>
      `cancelled: acknowledged, fence revoked or command withdrawn; ${operatorMove(p.move)}`,
  },
  'cancelled.removal': {
    title: 'Removal cancelled',
    body: (p: MoveParams) =>
      `The removal was cancelled before the target took it. To keep the app, roll back to what ran; retrying removes it. ${moveSentence(p.move)}`,
    operator: (p: MoveParams) =>
      `cancelled: the removal was withdrawn before anyone acknowledged it; ${operatorMove(p.move)}`,
  },
  stopping: {
    title: 'Stopping',
    body: (p: MoveParams) =>
      `Being removed. It counts as stopped once nothing of it is seen any more. ${moveSentence(p.move)}`,
    operator: (p: MoveParams) =>
      `teardown recorded; absence needs runtime.removed and a later complete snapshot; ${operatorMove(p.move)}`,
  },
  'stopping.elsewhere': {
    title: 'Stopping at its target',
    body: (p: CauseParams) =>
      sentences(p.why, 'It counts as stopped once nothing of it is seen any more.', moveSentence(p.move)),
    operator: (p: CauseParams) => `zero wanted at the target, instances are left; ${operatorMove(p.move)}`,
  },
  stopped: {
    title: 'Stopped',
    body: () => 'Nothing of it runs any more. Nothing to do.',
    operator: () => 'runtime.removed, and a later complete snapshot shows no instance',
  },
  'stopped.scaled_to_zero': {
    title: 'Stopped, no copies wanted',
    body: () => 'No copies are wanted, and none is seen. Nothing to do.',
    operator: () => 'replicas 0, and a complete snapshot shows no instance',
  },
  'stopped.no_node_selected': {
    title: 'Stopped, no machine matches',
    body: () =>
      'It asks for machines that its target does not have: no copy is wanted, and none is seen. Nothing to do, unless it should run on one.',
    operator: () => 'a DaemonSet that no node fits, and a complete snapshot shows no instance',
  },
  'stopped.removed_elsewhere': {
    title: 'Stopped, removed at its target',
    body: () => 'Somebody removed it at its target, and nothing of it runs any more. Nothing to do.',
    operator: () => 'gone from a complete report under the same rule, and no instance is left',
  },
  'stopped.job_suspended': {
    title: 'Suspended',
    body: () =>
      'Suspended at its target: nothing new is started until somebody resumes it there. Nothing to do.',
    operator: () => 'spec.suspend of the CronJob, or spec.paused of a Deployment that was never rolled out',
  },
  'stopped.completed': {
    title: 'Stopped, its work is done',
    body: () => 'It did its work and ended well. Nothing to do.',
    operator: () => 'a pod that nothing controls, in the phase Succeeded',
  },
  'stopped.never_applied': {
    title: 'Stopped, it never ran',
    body: () => 'It was never applied, so nothing of it can be running. Nothing to do.',
    operator: () => 'no apply was ever leased: proven by the ledger alone',
  },
  'stopped.uncontained': {
    title: 'Stopped, as far as can be seen',
    body: () =>
      'Its own processes have ended. If it started others on its own, its target can’t see whether they still run.',
    operator: () => 'runtime.removed with contained: false, and a later complete snapshot shows no instance',
  },

  'unknown.stale_runtime': unknown('Unknown: the target is silent'),
  'unknown.never_observed': unknown('Unknown: nothing was ever seen'),
  'unknown.watch_stalled': unknown('Unknown: what runs is no longer seen'),
  'unknown.lease_lapsed': unknown('Unknown: work was interrupted'),
  'unknown.contradictory': unknown('Unknown: the evidence disagrees'),
  'unknown.unrecognised': unknown('Unknown: an unfamiliar answer'),
  'unknown.store_recovered': restored,
  'unknown.not_on_record': {
    title: 'Unknown: what was seen is not on record',
    body: (p: NotOnRecordParams) =>
      restored.body({ ...p, why: `The records were restored. ${notOnRecord(p)}` }),
    operator: (p: NotOnRecordParams) =>
      `${restored.operator(p)}; seen r${p.seenRevision} a${p.seenAttempt}, on record r${p.recordedRevision} a${p.recordedAttempt}`,
  },
  'unknown.lost': {
    title: 'Unknown: what was recorded then is lost',
    body: (p: LostParams) =>
      sentences(
        `The records were restored at ${p.restoredAt} to what they were at ${p.lostSince}: what was recorded in between is lost.`,
        p.lastKnown === null ? '' : `Before that it was ${STATE_WORDS[p.lastKnown]}.`,
        moveSentence(p.move),
      ),
    operator: (p: LostParams) => `${restored.operator(p)}; lost from ${p.lostSince} to ${p.restoredAt}`,
  },
  'unknown.evidence_corrupt': unknown('Unknown: an unreadable report'),
  'unknown.forbidden': unknown('Unknown: not allowed to look'),
  'unknown.runtime_unreachable': unknown('Unknown: what it runs on does not answer'),
  'unknown.absence_unproven': unknown('Unknown: not proven to be gone'),
  'unknown.identity_changed': unknown('Unknown: the target is another place now'),
  'unknown.not_observed': unknown('Unknown: no longer observed'),
  'unknown.former_place': {
    title: 'Unknown: the target is another place now',
    body: (p: FormerParams) =>
      sentences(
        `This target is another place now. Nobody can tell from here what runs in the former one, ${p.former}.`,
        p.lastKnown === null ? '' : `When last known, it was ${STATE_WORDS[p.lastKnown]}.`,
        moveSentence(p.move),
      ),
    operator: (p: FormerParams) =>
      `unknown: ${p.cause}; former place ${p.former}; last known ${p.lastKnown ?? 'nothing'}; ${operatorMove(p.move)}`,
  },
} as const satisfies Record<string, MessageTemplate<never>> &
  Record<`failed.${Stage}`, MessageTemplate<FailureParams>> &
  Record<`unknown.${UnknownCause}`, MessageTemplate<UnknownParams>>;

export type MessageCode = keyof typeof MESSAGES;
export type ParamsOf<C extends MessageCode> = Parameters<(typeof MESSAGES)[C]['body']>[0];

/** A sentence in both texts, for users and for operators. */
export interface RenderedMessage {
  readonly code: MessageCode;
  readonly title: string;
  readonly body: string;
  readonly operator: string;
}

export function renderMessage<C extends MessageCode>(code: C, params: ParamsOf<C>): RenderedMessage {
  // Each template takes exactly its own parameters; the compiler cannot see that through the index.
  const { title, body, operator } = MESSAGES[code] as MessageTemplate<ParamsOf<C>>;
  return { code, title, body: body(params), operator: operator(params) };
}

/** A cause may have no words of its own; then the rest stands alone. */
function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

function steps({ step, total }: ProgressParams): string {
  if (step === null || step === 0) return '';
  return total === null ? `, at step ${step}` : `, at step ${step} of ${total}`;
}

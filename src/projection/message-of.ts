import type { Cause } from '../contract/claim.ts';
import type { Params } from '../contract/params.ts';
import { exitCount } from '../contract/presentation/exit-count.ts';
import { cameUpWords, type Move } from '../contract/presentation/moves.ts';
import type { CauseCode, Stage, UnknownCause, WaitingCause } from '../contract/vocabulary.ts';
import { CAUSES } from './causes.ts';
import { isLoopCause } from './crash-loop.ts';
import type { CommandFacts } from './facts.ts';
import { ageMs } from './instant.ts';
import { type MessageCode, type RenderedMessage, renderMessage } from './messages.ts';
import { isLost, isNotOnRecord, isOfRemoval, isSettling } from './next.ts';
import { detailWords } from './reason-details.ts';
import { shownCopies } from './running-contract.ts';
import { ONE_COPY, RUNTIME_REASON_TABLE } from './runtime-reasons.ts';
import type { Standing } from './standing.ts';

/** The words for the causes of waiting: for a builder, for the target, and with the artifact already there. */
const WAITING_CODES = {
  no_worker_online: ['waiting.no_worker', 'waiting.target_offline', 'artifact_ready.target_offline'],
  all_busy: ['waiting.all_busy', 'waiting.target_busy', 'artifact_ready.target_busy'],
  offered: ['waiting.offered', 'waiting.target_offered', 'artifact_ready.target_offered'],
  requeued: ['waiting.requeued', 'waiting.target_requeued', 'artifact_ready.target_requeued'],
} as const satisfies Record<WaitingCause, readonly MessageCode[]>;

/** Causes of an instance that exited, and so had started. */
const ENDS: ReadonlySet<CauseCode> = new Set([
  'exited',
  'signalled',
  'oom_killed',
  'deadline_exceeded',
  'liveness_failed',
]);

/** Chooses the message of a standing. All texts come from src/projection/messages.ts. */
export function messageOf(
  standing: Standing,
  cause: Cause | null,
  move: Move,
  build: CommandFacts | null,
  now: number,
): RenderedMessage {
  const why =
    cause === null
      ? ''
      : (holderWords(cause) ??
        endsWords(cause, now) ??
        detailWords(cause, whenOf(standing)) ??
        ofContainer(cause, copyWords(cause, wordsOf(cause.code, standing))));
  const { ready, wanted } =
    standing.reading === null ? { ready: 0, wanted: 0 } : shownCopies(standing.reading);
  switch (standing.state) {
    case 'accepted':
      return renderMessage('accepted', { move });
    case 'waiting_for_worker':
      return renderMessage(waitingCode(cause, cause?.params.kind === 'apply' ? 1 : 0), { why, move });
    case 'artifact_ready':
      return renderMessage(waitingCode(cause, 2), { why, move });
    case 'building': {
      const { step = null, total = null } = build?.progress ?? {};
      const heardAgoMs = silentFor(cause, now);
      if (heardAgoMs === null) return renderMessage('building', { step, total, move });
      return renderMessage('building.holder_silent', { step, total, move, heardAgoMs });
    }
    case 'applying_runtime_state': {
      const heardAgoMs = silentFor(cause, now);
      if (heardAgoMs === null) return renderMessage('applying', { move });
      return renderMessage('applying.holder_silent', { move, heardAgoMs });
    }
    case 'starting':
      if (cause?.code === 'not_seen_yet') return renderMessage('starting.unseen', { why, move });
      if (standing.reading?.job != null && wanted > 0) return renderMessage('starting.job', { why, move });
      if (cause?.params.from !== undefined)
        return renderMessage('starting.more', { ready, wanted, from: Number(cause.params.from), why, move });
      return wanted === 0
        ? renderMessage('starting.to_zero', { why, move })
        : renderMessage('starting', { ready, wanted, why, move });
    case 'running':
      if (standing.reading?.job != null) return renderMessage('running.job', { job: standing.reading.job });
      if (standing.reading?.changeWaitsSince != null) {
        const waitsMs = Math.max(0, now - standing.reading.changeWaitsSince);
        return renderMessage('running.change_waits', { ready, wanted, waitsMs, move });
      }
      return runningMessage(standing.reading, { ready, wanted });
    case 'degraded':
      if (cause?.code === 'unsteady') {
        const windowMs = Number(cause.params.windowMs ?? 0);
        return renderMessage('degraded.unsteady', { ready, wanted, why, move, windowMs });
      }
      if (standing.reading?.job != null) return renderMessage('degraded.job', { why, move });
      return renderMessage(cause?.code === 'settling' ? 'degraded.settling' : 'degraded', {
        ready,
        wanted,
        why,
        move,
      });
    case 'failed': {
      const stage = standing.stage ?? 'publish';
      const timedOut = standing.timeout !== null;
      return renderMessage(failedCode(cause, stage), {
        stage,
        why: givenUp(why),
        cause: cause?.code ?? stage,
        timedOut,
        move,
      });
    }
    case 'cancelling':
      return renderMessage('cancelling', { move });
    case 'cancelled':
      return renderMessage(isOfRemoval(cause) ? 'cancelled.removal' : 'cancelled', { move });
    case 'stopping':
      if (cause?.code === 'ending') return renderMessage('stopping.elsewhere', { why, move });
      return renderMessage('stopping', { move });
    case 'stopped':
      return renderMessage(stoppedCode(cause), undefined);
    case 'unknown': {
      const code = unknownCause(cause);
      const lastKnown = standing.lastKnown?.state ?? null;
      const isSeen = standing.asOf !== null;
      const common = {
        why: doubtWords(cause) ?? closedWords(cause) ?? CAUSES[code].user,
        lastKnown,
        isSeen,
        cause: code,
        move,
      };
      const params = cause?.params ?? {};
      if (isNotOnRecord(cause))
        return renderMessage('unknown.not_on_record', { ...common, ...notOnRecord(params) });
      if (code === 'identity_changed' && params.former !== undefined)
        return renderMessage('unknown.former_place', { ...common, former: String(params.former) });
      if (isLost(cause)) return renderMessage('unknown.lost', { ...common, ...lost(params) });
      return renderMessage(`unknown.${code}`, common);
    }
  }
}

/** The doubts that a target reports, in words; null for every other cause. */
const DOUBTS: Readonly<Record<string, string>> = {
  controller: 'Its target has counted fewer copies for a while than look ready one by one.',
  endpoints: 'A copy that looks ready gets no requests at its target.',
  silent_port: 'The app answered requests, and does not any more, though its machine says that it runs.',
  left_behind: 'Somebody deleted it, and left its copies running.',
  vanished: RUNTIME_REASON_TABLE.vanished.user,
  unreported: 'No copies are wanted, and no complete report has shown yet whether any are there.',
};

/** Names the namespace that may not be read, where others may: the target as a whole is not closed. */
const closedWords = (cause: Cause | null): string | null =>
  cause?.code === 'forbidden' && cause.params.namespace !== undefined
    ? `We are not allowed to look at namespace ${cause.params.namespace} of the target. If it is no more, leave it out of what is observed (\`evident observe\`).`
    : null;

const doubtWords = (cause: Cause | null): string | null => {
  const by = cause?.params.by;
  return typeof by === 'string' && Object.hasOwn(DOUBTS, by) ? (DOUBTS[by] ?? null) : null;
};

/** The time since the holder of the lease was heard, where that is longer than it should be; else null. */
function silentFor(cause: Cause | null, now: number): number | null {
  if (cause?.code !== 'holder_silent') return null;
  return ageMs(now, Date.parse(String(cause.params.lastHeardAt)));
}

function notOnRecord(params: Params) {
  const number = (name: string) => Number(params[name] ?? 0);
  return {
    seenRevision: number('seenRevision'),
    seenAttempt: number('seenAttempt'),
    recordedRevision: number('recordedRevision'),
    recordedAttempt: number('recordedAttempt'),
  };
}

const lost = ({ lostSince, restoredAt }: Params) => ({
  lostSince: String(lostSince),
  restoredAt: String(restoredAt),
});

/** Names the service that has the host name; null for every other cause. */
function holderWords({ code, params: { holder } }: Cause): string | null {
  if (code !== 'host_taken' || holder === undefined) return null;
  return `The address that it requests belongs to ${holder}: choose another one.`;
}

/** Names the instance in a sentence about one. */
const copyWords = ({ params: { instance } }: Cause, words: string) =>
  instance !== undefined && words.startsWith(ONE_COPY) ? `${instance}${words.slice(ONE_COPY.length)}` : words;

/** Names the container in a sentence about an instance that has several. */
const ofContainer = ({ params: { container } }: Cause, words: string) =>
  container === undefined ? words : words.replace(/(?=\.$)/, ` (container ${container})`);

/**
 * The number of exits of an instance, and the time for which it is up; null where no exit was counted. Rejected: when it
 * last exited. An exit is found when the instance is up again (its restarts grow), so that its time is that of the start.
 */
function exitWords({ params }: Cause, now: number): string | null {
  const { exits, instance, upSince, exitCode, container, containers } = params;
  if (Number(exits ?? 0) === 0) return null;
  const up = upSince === undefined ? 'It is not up now.' : cameUpWords(now - Date.parse(String(upSince)));
  const code = exitCode === undefined ? '' : ` with code ${exitCode},`;
  const one = container === undefined ? '' : ` (container ${container})`;
  const of = containers === undefined ? one : ` (containers ${containers})`;
  return `${instance ?? 'It'}${of} exited${code} ${exitCount(params)}. ${up}`;
}

/** What an instance ends of, where that is known, stands beside how often it did: the number alone mends nothing. */
function endsWords(cause: Cause, now: number): string | null {
  const exits = exitWords(cause, now);
  const { by } = cause.params;
  const of = typeof by === 'string' ? by : cause.code;
  const isKnown = of !== 'crash_loop' && isLoopCause(of as CauseCode);
  return exits === null || !isKnown ? exits : `${CAUSES[of as CauseCode].user} ${exits}`;
}

/** An attempt that was running before has other words for what it misses than one that never was. */
function wordsOf(code: CauseCode, standing: Standing): string {
  const { user, lost = user } = CAUSES[code];
  return ranBefore(standing) ? lost : user;
}

const ranBefore = ({ state, stage, cause }: Standing) =>
  state === 'degraded' || (state === 'failed' && stage === 'runtime') || cause?.params.from !== undefined;

const whenOf = (standing: Standing) =>
  ranBefore(standing) ? 'lost' : standing.state === 'failed' ? 'failed' : 'starting';

/** Nothing is awaited any more: "yet" would say that it may still come. */
const givenUp = (why: string): string => why.replace(/ yet(?=[.:,])/, '');

/** The message of the stage, unless the cause contradicts it. */
function failedCode(cause: Cause | null, stage: Stage) {
  if (isSettling(cause)) return 'failed.settling';
  if (cause?.code === 'still_there') return 'failed.still_there';
  if (cause?.code === 'crash_loop') return 'failed.ends';
  if (cause !== null && isLoopCause(cause.code) && cause.params.exits !== undefined) return 'failed.ends';
  if (cause?.code === 'job_failed') return 'failed.job';
  if (stage === 'readiness' && cause?.code === 'wrong_port') return 'failed.wrong_port';
  if (stage === 'readiness' && cause?.code === 'health_error') return 'failed.health_error';
  return cause !== null && stage === 'start' && ENDS.has(cause.code)
    ? 'failed.ends'
    : (`failed.${stage}` as const);
}

function runningMessage(
  reading: Standing['reading'],
  counts: { readonly ready: number; readonly wanted: number },
) {
  const notAfter = reading?.certificateEnds ?? null;
  if (notAfter !== null) return renderMessage('running.certificate_ends', { ...counts, notAfter });
  const code = reading?.byConnecting ? 'by_connecting' : reading?.byNode ? 'by_node' : null;
  return renderMessage(code === null ? 'running' : `running.${code}`, counts);
}

type WaitingCode = (typeof WAITING_CODES)[WaitingCause][number];

function waitingCode(cause: Cause | null, column: 0 | 1 | 2): WaitingCode {
  const code = cause?.code ?? 'no_worker_online';
  return WAITING_CODES[Object.hasOwn(WAITING_CODES, code) ? (code as WaitingCause) : 'no_worker_online'][
    column
  ];
}

function stoppedCode(cause: Cause | null) {
  if (cause?.code === 'scaled_to_zero') return 'stopped.scaled_to_zero';
  if (cause?.code === 'no_node_selected') return 'stopped.no_node_selected';
  if (cause?.code === 'uncontained') return 'stopped.uncontained';
  if (cause?.code === 'removed_elsewhere') return 'stopped.removed_elsewhere';
  if (cause?.code === 'job_suspended') return 'stopped.job_suspended';
  if (cause?.code === 'completed') return 'stopped.completed';
  return cause?.code === 'never_applied' ? 'stopped.never_applied' : 'stopped';
}

function unknownCause(cause: Cause | null): UnknownCause {
  const code = cause?.code;
  return code !== undefined && CAUSES[code].states.includes('unknown')
    ? (code as UnknownCause)
    : 'contradictory';
}

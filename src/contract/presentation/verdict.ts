import type { Claim } from '../claim.ts';
import { nameOf, targetOf } from '../names.ts';
import type { State } from '../vocabulary.ts';
import { exitCount, timesOf } from './exit-count.ts';
import { beyondTitle, statement } from './moves.ts';
import { allCopies, readyOf } from './ready-of.ts';
import { inPast, inPresent, type Tense } from './tense.ts';
import { ago, before, clockTime, dayBefore } from './times.ts';
import { wasWords } from './words.ts';

/** The claim in one sentence, and what has to be said beyond it. */
interface Headline {
  readonly title: string;
  readonly more: string | null;
}

/** The claim as a viewer has it now. */
export interface VerdictSight {
  /** The age of the last proof, on a page that has lost its server; null while that is heard. */
  readonly lastProofMs: number | null;
  /** The claim is not too old to go by. */
  readonly isFresh: boolean;
  /** The revision that is proven to serve at this instant. */
  readonly serving: number | null;
  /** It is proven at this instant that nothing serves. */
  readonly isNothingServing?: boolean;
  /** Counts the exits of the wanted revision's instances that were seen, by the list of them. */
  readonly exits?: number;
  readonly serverNow: number;
}

/** The sentence that heads the page of a service: it names the revision, then what still works. Pure. */
export function verdictOf(claim: Claim, sight: VerdictSight): Headline {
  const { lastProofMs, isFresh, serverNow } = sight;
  if (lastProofMs !== null)
    return {
      title: lastKnown(claim, sight, ago(lastProofMs)),
      more:
        claim.state === 'running'
          ? 'The service may be fine: it is the page that has lost its server.'
          : 'It may be otherwise by now. It is this page that cannot see.',
    };
  if (claim.state === 'unknown' || !isFresh) return unknownVerdict(claim, serverNow);
  const title = titleOf(claim, sight, inPresent);
  const more = withoutRepeats(moreOf(claim, serverNow), title);
  if (!hidesExits(claim, sight, `${title} ${more}`)) return { title, more };
  const rest = withoutFirstStart(more);
  return { title, more: `It exited ${timesOf(sight.exits ?? 0)} before.${rest === null ? '' : ` ${rest}`}` };
}

/** Says that an instance has exited before: otherwise its next start looks like a first one. */
const hidesExits = ({ state }: Claim, { exits = 0 }: Pick<VerdictSight, 'exits'>, said: string): boolean =>
  state === 'starting' && exits > 0 && !/\bexited\b/.test(said);

/** Without the sentence about a start that nobody has seen end yet. */
const withoutFirstStart = (more: string | null): string | null =>
  more?.replace(/(?:^| )The app has not started yet\./, '').trim() || null;

/** The sentence about a claim on a page that has lost its server, with the age of what it rests on. */
function lastKnown(claim: Claim, sight: VerdictSight, when: string): string {
  const name = `r${claim.desired.revision}`;
  // The page comes first: a sentence that begins with the state reads as if it were so.
  if (claim.state === 'running') return `This page cannot see ${nameOf(claim.service)}. ${name} ran ${when}.`;
  if (claim.state === 'unknown') return unknownTitle(claim, inPresent);
  const serving = claim.serving?.revision ?? null;
  const then = { ...sight, serving, isNothingServing: claim.nothingServes !== undefined };
  return `Last known, ${when}: ${lowered(titleOf(claim, then, inPast))}`;
}

/** Leaves out the sentences that the title says already: its count of ready copies, and how the app ended. */
function withoutRepeats(more: string | null, title: string): string | null {
  const rest =
    more
      ?.split(/(?<=\.) /)
      .filter((sentence) => !title.includes(sentence.replace(/^The app (exited with code \d+)\.$/, '$1'))) ??
    [];
  return rest.join(' ') || null;
}

/**
 * The verdict on a past instant, in the past tense and under its time. What the claim said beyond that was written for
 * its own present, so it is quoted, and without the next move: nobody can make it any more. `now` is the server's time.
 */
export function pastVerdictOf(claim: Claim, sight: Omit<VerdictSight, 'lastProofMs'>, now: number): Headline {
  const { isFresh, serverNow } = sight;
  const isUnknown = claim.state === 'unknown' || !isFresh;
  const sentence = isUnknown ? unknownTitle(claim, inPast) : titleOf(claim, sight, inPast);
  const said = withoutRepeats(isUnknown ? statement(claim, serverNow) : moreOf(claim, serverNow), sentence);
  const isHidden = hidesExits(claim, sight, `${sentence} ${said}`);
  const shown = isHidden ? withoutFirstStart(said) : said;
  const more = [
    ...(isHidden ? [`It had exited ${timesOf(sight.exits ?? 0)} by then.`] : []),
    ...(shown === null ? [] : [`Shown then: “${shown}”`]),
  ];
  return {
    title: `At ${dayBefore(serverNow, now)}${clockTime(serverNow)} ${lowered(sentence)}`,
    more: more.join(' ') || null,
  };
}

const titleOf = (claim: Claim, sight: Omit<VerdictSight, 'lastProofMs'>, tense: Tense): string =>
  [ownSentence(claim, `r${claim.desired.revision}`, tense), ...stillServes(claim, sight, tense)].join(' ');

function unknownVerdict(claim: Claim, serverNow: number): Headline {
  const { state, lastKnown, since } = claim;
  const [was, at] = lastKnown === null ? [state, since] : [lastKnown.state, lastKnown.at];
  const title = unknownTitle(claim, inPresent);
  if (was === 'unknown') return { title, more: statement(claim, serverNow) };
  const wasThen = `It ${wasWords(was)} at ${clockTime(at)}, ${ago(serverNow - Date.parse(at))}.`;
  const [why = ''] = statement(claim, serverNow).split(/(?<=\.) /);
  return { title, more: state === 'unknown' ? `${why} ${wasThen}` : wasThen };
}

function unknownTitle({ service, desired }: Claim, tense: Tense): string {
  const name = nameOf(service);
  const what = desired.replicas === 0 ? `all of ${name} ${tense('is')} gone` : `${name} ${tense('runs')}`;
  return `We ${tense('do')} not know whether ${what}.`;
}

/** Causes of waiting that are the target's, and not a builder's. */
const AT_TARGET = /^(?:waiting\.target|artifact_ready\.)/;

function ownSentence(claim: Claim, name: string, tense: Tense): string {
  const { state, message, desired, service, cause } = claim;
  const target = targetOf(service);
  const isPast = tense === inPast;
  switch (state) {
    case 'accepted':
      return `${name} ${tense('is')} accepted.`;
    case 'waiting_for_worker':
      return `${name} ${tense('waits')} for ${AT_TARGET.test(message.code) ? target : 'a builder'}.`;
    case 'building':
      return isPast ? `${name} was being built.` : `Building ${name}.`;
    case 'artifact_ready':
      return `${name} ${tense('is')} built and ${tense('waits')} for ${target}.`;
    case 'applying_runtime_state':
      return `${target} ${tense('is')} applying ${name}.`;
    case 'starting':
      if (desired.replicas === 0)
        return isPast ? `All copies were being stopped, for ${name}.` : `Stopping all copies, for ${name}.`;
      return `${startingWords(cause, name, tense)}.${counted(cause)}`;
    case 'running':
      return runningSentence(message.code, name, desired.replicas, tense);
    case 'degraded':
      return `${name} ${tense('does')} not run as it should.${counted(cause)}`;
    case 'failed':
      return (
        FAILED[message.code]?.(name, target, tense) ??
        (isPast ? `${name} had failed.` : `${name} failed: ${lowered(message.title)}.`)
      );
    case 'cancelling':
      return isPast ? `${name} was being cancelled.` : `Cancelling ${name}.`;
    case 'cancelled':
      return isPast ? `${name} had been cancelled.` : `${name} was cancelled.`;
    case 'stopping':
      return isPast ? 'It was being stopped.' : 'Stopping.';
    case 'stopped':
      if (cause?.code === 'scaled_to_zero')
        return `${isPast ? 'It was scaled' : 'Scaled'} to zero. Nothing of it ${tense('runs')}.`;
      return isPast ? 'It was stopped.' : `${message.title.replace(/\.$/, '')}.`;
    case 'unknown':
      return message.title;
  }
}

/** The message is about runs on a schedule: they end when they are done, and serve nobody. */
export const isOfRuns = (code: string): boolean => code.endsWith('.job') || code === 'stopped.job_suspended';

/** Never stronger than the evidence: an app that nobody asked does not answer. */
function runningSentence(code: string, name: string, copies: number, tense: Tense): string {
  const runs = tense === inPast ? `${name} was running` : `Running ${name}`;
  switch (code) {
    case 'running.job':
      return `${name} ${tense('runs')} on its schedule.`;
    case 'running.change_waits':
      return `${runs}. A change ${tense('waits')}.`;
    default:
      return `${runs}. ${allCopies(copies, tense)} ready.`;
  }
}

/** Ends of an app that is starting still: what is only on its way looks well, and this does not. */
const ENDINGS: Readonly<Record<string, (exitCode: string) => string>> = {
  exited: (exitCode) => `exited${exitCode}`,
  crash_loop: (exitCode) => `exited${exitCode}`,
  signalled: () => 'been ended by a signal',
  oom_killed: () => 'run out of memory',
};

/** The state comes first: what exited has not failed yet. */
function startingWords(cause: Claim['cause'], name: string, tense: Tense): string {
  const { exitCode, exits } = cause?.params ?? {};
  const ended = ENDINGS[cause?.code ?? '']?.(exitCode === undefined ? '' : ` with code ${exitCode}`);
  if (ended === undefined) return tense === inPast ? `${name} was starting` : `Starting ${name}`;
  const comma = exitCode === undefined ? '' : ',';
  const times = cause === null || exits === undefined ? '' : `${comma} ${exitCount(cause.params)}`;
  return `${name} ${tense('is')} starting, and ${tense('has')} ${ended}${times}`;
}

const counted = (cause: Claim['cause']): string => {
  const { ready, wanted } = cause?.params ?? {};
  return ready === undefined || wanted === undefined ? '' : ` ${readyOf(Number(ready), Number(wanted))}.`;
};

const lowered = (title: string) => `${title.charAt(0).toLowerCase()}${title.slice(1)}`;

/** The way in which a revision failed, by the code of the claim's message. */
const FAILED: Readonly<Record<string, (name: string, target: string, tense: Tense) => string>> = {
  'failed.publish': (name) => `${name} could not be handed on.`,
  'failed.queue': (name) => `No builder took ${name}.`,
  'failed.build': (name, _, tense) => `${name} ${tense('does')} not build.`,
  'failed.apply_queue': (name, target) => `${target} did not take ${name}.`,
  'failed.apply': (name) => `${name} could not be applied.`,
  'failed.scheduling': (name, _, tense) => `${name} ${tense('has')} no place to run.`,
  'failed.image': (name, _, tense) => `The image of ${name} ${tense('cannot')} be run.`,
  'failed.start': (name, _, tense) => `${name} ${tense('does')} not start.`,
  'failed.readiness': (name, _, tense) => `${name} ${tense('does')} not become ready.`,
  'failed.wrong_port': (name, _, tense) => `${name} ${tense('listens')} on the wrong port.`,
  'failed.health_error': (name, _, tense) => `The health check of ${name} ${tense('fails')}.`,
  'failed.route': (name, _, tense) => `${name} ${tense('does')} not answer.`,
  'failed.runtime': (name, _, tense) => `${name} no longer ${tense('runs')} as it should.`,
  'failed.stop': (name) => `${name} could not be stopped.`,
  'failed.ends': (name, _, tense) => `${name} ${tense('does')} not stay up.`,
  'failed.still_there': (name) => `${name} was not seen to stop.`,
  'failed.settling': (name, _, tense) =>
    tense === inPast ? `${name} had failed, and was ready.` : `${name} failed, and is ready now.`,
};

/** States of a first deploy in which nobody expects that anything serves. */
const ON_THE_WAY: ReadonlySet<State> = new Set([
  ...(['accepted', 'waiting_for_worker', 'building', 'artifact_ready'] as const),
  ...(['applying_runtime_state', 'starting', 'cancelling'] as const),
]);

function stillServes(
  { state, desired, lastServing }: Claim,
  { serving, isNothingServing = false, serverNow }: Omit<VerdictSight, 'lastProofMs'>,
  tense: Tense,
): string[] {
  if (serving !== null) {
    if (serving !== desired.revision) return [`r${serving} ${tense('still serves')}.`];
    return state === 'degraded' ? [`It ${tense('still serves')}.`] : [];
  }
  if (isNothingServing) {
    const isExpected = desired.replicas === 0 || (lastServing === null && ON_THE_WAY.has(state));
    return isExpected ? [] : [`Nothing ${tense('serves')}.`];
  }
  if (lastServing === null || lastServing.revision === desired.revision) return [];
  const agoMs = serverNow - Date.parse(lastServing.asOf);
  return [
    `r${lastServing.revision} served when last seen, ${tense === inPast ? before(agoMs) : ago(agoMs)}.`,
  ];
}

/** The cause of what is not as it should be; calm says nothing more. */
function moreOf(claim: Claim, serverNow: number): string | null {
  if (claim.message.code === 'running' || claim.state === 'accepted') return null;
  return beyondTitle(claim, serverNow).replace(/ ?Nothing to do\.$/, '') || null;
}

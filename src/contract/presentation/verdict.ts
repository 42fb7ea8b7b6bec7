import type { Claim } from '../claim.ts';
import { nameOf, targetOf } from '../names.ts';
import type { State } from '../vocabulary.ts';
import { beyondTitle, statement } from './moves.ts';
import { readyOf } from './ready-of.ts';
import { ago, clockTime } from './times.ts';
import { wordOf } from './words.ts';

/** The claim in one sentence, and what has to be said beyond it. */
interface Headline {
  readonly title: string;
  readonly more: string | null;
}

/** The claim as a viewer has it now. */
export interface VerdictSight {
  /** The time since the last word from the server; null while it is heard. */
  readonly silentMs: number | null;
  /** The claim is not too old to go by. */
  readonly isFresh: boolean;
  /** The revision that is proven to serve at this instant. */
  readonly serving: number | null;
  /** It is proven at this instant that nothing serves. */
  readonly isNothingServing?: boolean;
  readonly serverNow: number;
}

/** The sentence that heads the page of a service: it names the revision, then what still works. Pure. */
export function verdictOf(claim: Claim, sight: VerdictSight): Headline {
  const { silentMs, isFresh, serverNow } = sight;
  const name = `r${claim.desired.revision}`;
  if (silentMs !== null)
    return {
      title: `Last heard ${wordOf(claim.state)} ${name}, ${ago(silentMs)}.`,
      more: 'The service may be fine. It is this page that cannot see.',
    };
  if (claim.state === 'unknown' || !isFresh) return unknownVerdict(claim, serverNow);
  const more = moreOf(claim, serverNow);
  return { title: [`${ownSentence(claim, name)}`, ...stillServes(claim, sight)].join(' '), more };
}

function unknownVerdict(claim: Claim, serverNow: number): Headline {
  const { service, desired, state, lastKnown, since } = claim;
  const [was, at] = lastKnown === null ? [state, since] : [lastKnown.state, lastKnown.at];
  const isGoing = desired.replicas === 0;
  const title = `We do not know whether ${isGoing ? 'all of ' : ''}${nameOf(service)} ${isGoing ? 'is gone' : 'runs'}.`;
  if (was === 'unknown') return { title, more: statement(claim, serverNow) };
  const before = `It was ${wordOf(was)} at ${clockTime(at)}, ${ago(serverNow - Date.parse(at))}.`;
  const [why = ''] = statement(claim, serverNow).split(/(?<=\.) /);
  return { title, more: state === 'unknown' ? `${why} ${before}` : before };
}

/** Causes of waiting that are the target's, and not a builder's. */
const AT_TARGET = /^(?:waiting\.target|artifact_ready\.)/;

function ownSentence({ state, message, desired, service, cause }: Claim, name: string): string {
  const target = targetOf(service);
  switch (state) {
    case 'accepted':
      return `${name} is accepted.`;
    case 'waiting_for_worker':
      return AT_TARGET.test(message.code) ? `${name} waits for ${target}.` : `${name} waits for a builder.`;
    case 'building':
      return `Building ${name}.`;
    case 'artifact_ready':
      return `${name} is built and waits for ${target}.`;
    case 'applying_runtime_state':
      return `${target} is putting ${name} in place.`;
    case 'starting':
      return desired.replicas === 0
        ? `Stopping all copies, for ${name}.`
        : `Starting ${name}.${counted(cause)}`;
    case 'running':
      return runningSentence(message.code, name, desired.replicas);
    case 'degraded':
      return `${name} does not run as it should.${counted(cause)}`;
    case 'failed':
      return FAILED[message.code]?.(name, target) ?? `${name} failed: ${lowered(message.title)}.`;
    case 'cancelling':
      return `Cancelling ${name}.`;
    case 'cancelled':
      return `${name} was cancelled.`;
    case 'stopping':
      return 'Stopping.';
    case 'stopped':
      return cause?.code === 'scaled_to_zero'
        ? 'Scaled to zero. Nothing of it runs.'
        : `${message.title.replace(/\.$/, '')}.`;
    case 'unknown':
      return message.title;
  }
}

/** Never stronger than the evidence: an app that nobody asked does not answer. */
function runningSentence(code: string, name: string, copies: number): string {
  switch (code) {
    case 'running.job':
      return `${name} runs on its schedule.`;
    case 'running.change_waits':
      return `Running ${name}. A change waits.`;
    default:
      return `Running ${name}. ${copies === 1 ? 'Its one copy is ready' : `All ${copies} copies are ready`}.`;
  }
}

const counted = (cause: Claim['cause']): string => {
  const { ready, wanted } = cause?.params ?? {};
  return ready === undefined || wanted === undefined ? '' : ` ${readyOf(Number(ready), Number(wanted))}.`;
};

const lowered = (title: string) => `${title.charAt(0).toLowerCase()}${title.slice(1)}`;

/** The way in which a revision failed, by the code of the claim's message. */
const FAILED: Readonly<Record<string, (name: string, target: string) => string>> = {
  'failed.publish': (name) => `${name} could not be handed on.`,
  'failed.queue': (name) => `No builder took ${name}.`,
  'failed.build': (name) => `${name} does not build.`,
  'failed.apply_queue': (name, target) => `${target} did not take ${name}.`,
  'failed.apply': (name) => `${name} could not be put in place.`,
  'failed.scheduling': (name) => `${name} has no place to run.`,
  'failed.image': (name) => `The image of ${name} cannot be run.`,
  'failed.start': (name) => `${name} does not start.`,
  'failed.readiness': (name) => `${name} does not become ready.`,
  'failed.wrong_port': (name) => `${name} listens on the wrong port.`,
  'failed.health_error': (name) => `The health check of ${name} fails.`,
  'failed.route': (name) => `${name} does not answer.`,
  'failed.runtime': (name) => `${name} no longer runs as it should.`,
  'failed.stop': (name) => `${name} could not be stopped.`,
  'failed.ends': (name) => `${name} does not stay up.`,
  'failed.still_there': (name) => `${name} was not seen to stop.`,
  'failed.settling': (name) => `${name} failed, and is ready now.`,
};

/** States of a first deploy in which nobody expects that anything serves. */
const ON_THE_WAY: ReadonlySet<State> = new Set([
  ...(['accepted', 'waiting_for_worker', 'building', 'artifact_ready'] as const),
  ...(['applying_runtime_state', 'starting', 'cancelling'] as const),
]);

function stillServes(
  { state, desired, lastServing }: Claim,
  { serving, isNothingServing = false, serverNow }: VerdictSight,
): string[] {
  if (serving !== null) return serving === desired.revision ? [] : [`r${serving} still serves.`];
  if (isNothingServing) {
    const isExpected = desired.replicas === 0 || (lastServing === null && ON_THE_WAY.has(state));
    return isExpected ? [] : ['Nothing serves.'];
  }
  if (lastServing === null || lastServing.revision === desired.revision) return [];
  return [
    `r${lastServing.revision} served when last seen, ${ago(serverNow - Date.parse(lastServing.asOf))}.`,
  ];
}

/** The cause of what is not as it should be; calm says nothing more. */
function moreOf(claim: Claim, serverNow: number): string | null {
  if (claim.message.code === 'running' || claim.state === 'accepted') return null;
  return beyondTitle(claim, serverNow).replace(/ ?Nothing to do\.$/, '') || null;
}

import type { Claim } from '../claim.ts';
import { targetOf } from '../names.ts';
import type { Kind, State } from '../vocabulary.ts';
import { stageEnd } from './limit-words.ts';
import { allCopies, readyOf } from './ready-of.ts';
import {
  isFresh,
  isTargetSilent,
  lastProofAt,
  nothingServesNow,
  type ServerContact,
  servingNow,
  silenceMs,
} from './server-contact.ts';
import { inPresent, type Tense } from './tense.ts';
import { clockTime } from './times.ts';
import { isUpForNow } from './up-for-now.ts';
import { isOfRuns } from './verdict.ts';
import { wasWords, wordOf } from './words.ts';

/** One line of a summary: a sentence, what it rests on, and since when. */
export interface SummaryItem {
  readonly text: string;
  readonly detail: string | null;
  /** The instant that it is as of, by the server's clock; null where it does not age. */
  readonly asOf: number | null;
  /** It is last known, and not proven now. */
  readonly isLast?: true;
  /** Of what that instant is; left out: of a report, which showed it then. */
  readonly asOfA?: 'change' | 'request' | 'contact';
}

/** The proof that each state of a path gives, as the end of "r17 …": a verb, and what follows it. */
const PROVEN: Readonly<Record<State, readonly ['is' | 'has' | 'runs', string]>> = {
  accepted: ['is', 'recorded'],
  waiting_for_worker: ['is', 'handed out'],
  building: ['is', 'with a builder'],
  artifact_ready: ['is', 'built'],
  applying_runtime_state: ['is', 'with the target'],
  starting: ['is', 'applied'],
  running: ['runs', 'as requested'],
  degraded: ['has', 'run as requested'],
  failed: ['has', 'failed'],
  cancelling: ['is', 'to be cancelled'],
  cancelled: ['is', 'cancelled'],
  stopping: ['is', 'to be removed'],
  stopped: ['has', 'ended all that ran'],
  unknown: ['is', 'not known'],
};

/** The open question while evidence of a kind is expected. */
const OPEN: Readonly<Partial<Record<Kind, (tense: Tense) => string>>> = {
  'command.published': (tense) => `When it ${tense('is')} handed out.`,
  'command.acknowledged': (tense) => `Who ${tense('takes')} it, and when.`,
  'artifact.stored': (tense) => `Whether the build ${tense('succeeds')}.`,
  'runtime.applied': (tense) => `Whether the target ${tense('can')} apply it.`,
  'runtime.observed': (tense) => `Whether it ${tense('becomes')} ready, and ${tense('stays')} so.`,
  'route.observed': (tense) => `Whether its route ${tense('answers')}.`,
  'runtime.removed': (tense) => `Whether all of it ${tense('is')} gone.`,
  'cancel.acknowledged': (tense) => `Whether the work ${tense('has')} stopped.`,
};

/** Causes that say that an app ended, and not why it did. */
const ENDED: ReadonlySet<string> = new Set(['crash_loop', 'exited', 'signalled', 'unsteady']);

/** Causes that say that it is ready, and has to stay so for a while before it counts as running. */
const READY: ReadonlySet<string> = new Set(['settling', 'unsteady']);
const stayingReady = (tense: Tense) => `Whether it ${tense('stays')} ready for as long as it has to.`;

/** States that stay proven, whatever follows. */
const LASTING: ReadonlySet<State> = new Set(['accepted', 'artifact_ready', 'starting', 'stopped']);
/** Messages of work that only its target can take. */
const WAITS_FOR_TARGET = /^(?:failed\.apply_queue|waiting\.target|artifact_ready\.)/;
const AT_REST: ReadonlySet<State> = new Set(['running', 'stopped', 'failed', 'cancelled']);

/**
 * The list of what a claim proves, and since when, under "What we know". `now` is of the viewer's steady clock, `witnesses`
 * are those on whose word instances are called ready.
 */
export function certainItems(
  claim: Claim,
  contact: ServerContact,
  now: number,
  witnesses: string | null = null,
  tense: Tense = inPresent,
): SummaryItem[] {
  const { desired, serving, lastServing, proof, lastKnown, freshness, state } = claim;
  const name = `r${desired.revision}`;
  const items: SummaryItem[] = [];
  const isLive = silenceMs(contact, now) === null;
  const isNow = isLive && isFresh(contact, claim, now);
  const isRunning = state === 'running' && isNow;
  const isAsked = serving?.revision === desired.revision && isRunning;
  const seenAt = observedAt(claim, contact);
  if (serving !== null) {
    const { asOf, isFresh: isServingFresh } = servingNow(contact, claim.service, serving, now);
    const serves = !isUpForNow(claim)
      ? tense('serves')
      : tense === inPresent
        ? 'is up for now'
        : 'was up between two exits';
    const what = `r${serving.revision} ${isLive && isServingFresh ? serves : 'served'}`;
    items.push(
      isLive && isServingFresh
        ? { text: `${what}${isAsked ? `, and ${tense('is')} what you asked for` : ''}.`, detail: null, asOf }
        : { text: `${what} when last seen.`, detail: null, asOf, isLast: true },
    );
  }
  const nothing = nothingServesNow(contact, claim, now);
  // A claim that asks for nothing says so by its state.
  if (nothing !== null && desired.replicas > 0)
    items.push({
      text: `Nothing ${tense('serves')}.`,
      detail:
        lastServing === null
          ? null
          : `r${lastServing.revision} was last seen serving at ${clockTime(lastServing.asOf)}`,
      asOf: claim.nothingServes?.validUntil === null ? null : nothing.asOf,
    });
  else if (claim.nothingServes !== undefined && desired.replicas > 0)
    items.push({
      text: 'Nothing served when last seen.',
      ...{ detail: null, asOf: lastProofAt(contact, claim), isLast: true },
    });
  else if (lastServing !== null)
    items.push({
      text: `r${lastServing.revision} served when last seen.`,
      ...{ detail: null, asOf: Date.parse(lastServing.asOf), isLast: true },
    });
  if (lastKnown !== null)
    items.push({
      text: `${name} ${wasWords(lastKnown.state)} at ${clockTime(lastKnown.at)}.`,
      ...{ detail: null, asOf: Date.parse(lastKnown.at), isLast: true },
    });
  if (!isNow && state !== 'unknown')
    items.push({
      text: `${name} ${wasWords(state)}.`,
      ...{ detail: null, asOf: lastProofAt(contact, claim), isLast: true },
    });
  if (isRunning && desired.replicas > 0 && !isOfRuns(claim.message.code))
    items.push({ text: `${allCopies(desired.replicas, tense)} ready.`, detail: witnesses, asOf: seenAt });
  // An artifact stays proven. That it runs, or is worked on, is proven only while that is the state, and observed (S2).
  const furthest = proof.reached.findLast((reached) => LASTING.has(reached) || (reached === state && isNow));
  if (furthest === 'stopped' && isNow)
    // The revision that asks for nothing is there; what it ended is gone.
    items.push({
      text:
        claim.cause?.code === 'scaled_to_zero' || claim.cause?.code === 'no_node_selected'
          ? `No copy of it ${tense('runs')}.`
          : `Nothing of it ${tense('runs')} any more.`,
      detail: null,
      asOf: freshness.freshForMs === null ? null : seenAt,
    });
  else if (furthest !== undefined && furthest !== 'stopped' && !isAsked)
    items.push({ text: provenOf(name, furthest, tense), detail: artifactOf(desired), asOf: null });
  const heard = contact.fresh[targetOf(claim.service)];
  // The reason why nobody took it, where it is one that shows. What is heard of targets is of now, and says nothing of then.
  if (
    tense === inPresent &&
    WAITS_FOR_TARGET.test(claim.message.code) &&
    isLive &&
    isTargetSilent(contact, targetOf(claim.service), now)
  )
    items.push({
      text: `${targetOf(claim.service)} is silent.`,
      detail: heard === undefined ? 'It was never heard.' : `last heard at ${clockTime(heard.asOf)}`,
      asOf: heard === undefined ? null : Date.parse(heard.asOf),
      asOfA: 'contact',
    });
  // Counted by the claim: a list of instances that was read beside it may be of another instant (S1).
  const { ready, wanted, exits, exitCode, instance, lastExit } = claim.cause?.params ?? {};
  if (ready !== undefined && wanted !== undefined && freshness.asOf !== null && isNow)
    items.push({
      text: `${name}: ${readyOf(Number(ready), Number(wanted))}.`,
      detail: Number(ready) > 0 ? witnesses : null,
      asOf: seenAt,
    });
  // Without their number, which the verdict says. A first exit while it starts is not counted yet.
  if ((Number(exits ?? 0) > 0 || (claim.cause?.code === 'exited' && exitCode !== undefined)) && isNow)
    items.push({
      text: `${instance ?? 'It'} ${tense('exited')}${exitCode === undefined ? '' : ` with code ${exitCode}`}.`,
      detail: null,
      asOf: lastExit === undefined ? seenAt : Date.parse(String(lastExit)),
    });
  if (isRunning)
    items.push({
      text: `Steady since ${clockTime(claim.since)}.`,
      detail: null,
      asOf: Date.parse(claim.since),
      asOfA: 'change',
    });
  for (const { revision, actor, since } of claim.queued)
    items.push({
      text: `r${revision} ${tense('waits')} behind it.`,
      detail: `requested by ${actor}`,
      asOf: Date.parse(since),
      asOfA: 'request',
    });
  return items;
}

const provenOf = (name: string, state: State, tense: Tense) => {
  const [verb, rest] = PROVEN[state];
  return `${name} ${tense(verb)} ${rest}.`;
};

const artifactOf = ({ artifact }: Claim['desired']) => (artifact === null ? null : shortArtifact(artifact));

/** A later report of the target shows the same, or the claim would be another. */
function observedAt({ service, freshness }: Claim, { fresh }: ServerContact): number {
  const renewed = fresh[targetOf(service)]?.asOf;
  return Math.max(
    Date.parse(freshness.asOf ?? '1970-01-01'),
    renewed === undefined ? 0 : Date.parse(renewed),
  );
}

/**
 * The list of what is not proven now, under "What we do not know". `said` is the line of the log that names a reason: it
 * is quoted, since a page that shows it and calls the reason unknown contradicts itself, and never called proven.
 */
export function openItems(
  claim: Claim,
  contact: ServerContact,
  now: number,
  said: string | null = null,
  tense: Tense = inPresent,
): SummaryItem[] {
  const { desired, state, serving, lastServing, expecting, cause } = claim;
  const name = `r${desired.revision}`;
  const target = targetOf(claim.service);
  const items: SummaryItem[] = [];
  const open = (text: string, detail: string | null = null) => items.push({ text, detail, asOf: null });
  const silentMs = silenceMs(contact, now);
  if (silentMs !== null) {
    open(
      `Anything since ${clockTime(lastProofAt(contact, claim))}.`,
      'What was seen then is the last that this page has.',
    );
    open('Whether the server is down, or only your connection to it.', 'From here both look the same.');
    return items;
  }
  if (!isFresh(contact, claim, now))
    open(
      `Whether ${name} ${tense('is')} still ${wordOf(state)}.`,
      `What it ${tense('rests')} on ${tense('is')} too old.`,
    );
  if (state === 'unknown')
    open(
      desired.replicas === 0
        ? `Whether all of it ${tense('is')} gone.`
        : `Whether ${name} ${tense('runs now')}.`,
      cause?.code === 'stale_runtime' && tense === inPresent
        ? `The next report from ${target} settles it.`
        : null,
    );
  if (cause?.code === 'stale_runtime')
    open(
      `Why ${target} ${tense('is')} silent.`,
      `Machine off, network down or agent stopped: all ${tense('look')} the same from here.`,
    );
  const wasInPlace = claim.proof.reached.includes('starting') || state === 'unknown';
  const isNothing = nothingServesNow(contact, claim, now) !== null;
  if (lastServing !== null && !isNothing) {
    // That it runs is open already; of the same revision nothing more is.
    if (state !== 'unknown' || lastServing.revision !== desired.revision)
      open(`Whether r${lastServing.revision} ${tense('still serves')}.`);
  } else if (
    serving === null &&
    !isNothing &&
    state !== 'stopped' &&
    desired.replicas > 0 &&
    wasInPlace &&
    !isOfRuns(claim.message.code)
  )
    open(`Whether any revision ${tense('answers')}.`);
  // Its node says that it runs; whether it answers is another question, which nobody put to it.
  if (claim.message.code === 'running.by_node')
    open(`Whether the app ${tense('answers')}.`, 'Nobody asks it: it has no readiness probe.');
  const isFailing = state === 'failed' || state === 'degraded';
  if (isFailing && said !== null)
    // A full stop of its own would double that of the sentence.
    open(
      `Its log ${tense('says')} “${said.trim().replace(/\.$/, '')}”. We cannot prove that it is the reason.`,
    );
  else if (isFailing && cause !== null && ENDED.has(cause.code))
    open(`Why the app ${tense('exits')}.`, `We ${tense('see')} its exit code and its log, no more.`);
  const expected = expecting === null || AT_REST.has(state) ? undefined : OPEN[expecting.evidence];
  const isReady = cause !== null && READY.has(cause.code);
  const end = stageEnd(expecting);
  if (expected !== undefined && state !== 'unknown')
    open(
      isReady ? stayingReady(tense) : expected(tense),
      end === null ? null : `Expected until ${clockTime(end)}.`,
    );
  return items;
}

export const shortArtifact = (artifact: string) => artifact.replace(/(sha256:[0-9a-f]{12})[0-9a-f]+/, '$1…');

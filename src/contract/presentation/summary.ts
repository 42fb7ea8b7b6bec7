import type { Claim } from '../claim.ts';
import type { Kind, State } from '../vocabulary.ts';
import { readyOf } from './ready-of.ts';
import { isFresh, type ServerContact, serverNowOf, servingNow, silenceMs } from './server-contact.ts';
import { ago, clockTime } from './times.ts';
import { wordOf } from './words.ts';

/** One line of a summary: a few words, and what they rest on. */
export interface SummaryItem {
  readonly text: string;
  readonly detail: string | null;
}

/** The proof that each state of a path gives, as the end of "r17 …". */
const PROVEN: Readonly<Record<State, string>> = {
  accepted: 'is recorded',
  waiting_for_worker: 'is handed out',
  building: 'is with a builder',
  artifact_ready: 'is built',
  applying_runtime_state: 'is with the target',
  starting: 'is put in place',
  running: 'runs as requested',
  degraded: 'has run as requested',
  failed: 'has failed',
  cancelling: 'is to be cancelled',
  cancelled: 'is cancelled',
  stopping: 'is to be removed',
  stopped: 'is gone',
  unknown: 'is not known',
};

/** The open question while evidence of a kind is expected. */
const OPEN: Readonly<Partial<Record<Kind, string>>> = {
  'command.published': 'when it is handed out',
  'command.acknowledged': 'who takes it, and when',
  'artifact.stored': 'whether the build succeeds',
  'runtime.applied': 'whether the target can put it in place',
  'runtime.observed': 'whether it becomes ready, and stays so',
  'route.observed': 'whether its route answers',
  'runtime.removed': 'whether all of it is gone',
  'cancel.acknowledged': 'whether the work has stopped',
};

/** States that stay proven, whatever follows. */
const LASTING: ReadonlySet<State> = new Set(['accepted', 'artifact_ready', 'starting', 'stopped']);
const AT_REST: ReadonlySet<State> = new Set(['running', 'stopped', 'failed', 'cancelled']);

/** The list of what a claim proves, and since when, under "What we know". `now` is of the viewer's steady clock. */
export function certainItems(claim: Claim, contact: ServerContact, now: number): SummaryItem[] {
  const serverNow = serverNowOf(contact, now);
  const { desired, serving, lastServing, proof, lastKnown, freshness, state } = claim;
  const name = `r${desired.revision}`;
  const items: SummaryItem[] = [];
  const isLive = silenceMs(contact, now) === null;
  const isNow = isLive && isFresh(contact, claim, now);
  if (serving !== null) {
    const { asOf, isFresh: isServingFresh } = servingNow(contact, claim.service, serving, now);
    const isServing = isLive && isServingFresh;
    const since = ago(serverNow - asOf);
    items.push(
      isServing
        ? { text: `r${serving.revision} serves`, detail: `seen ${since}` }
        : { text: `r${serving.revision} served`, detail: `when last seen, ${since}` },
    );
  }
  if (lastServing !== null)
    items.push({
      text: `r${lastServing.revision} served`,
      detail: `when last seen, ${ago(serverNow - Date.parse(lastServing.asOf))}`,
    });
  if (lastKnown !== null)
    items.push({
      text: `${name} was ${wordOf(lastKnown.state)}`,
      detail: `at ${clockTime(lastKnown.at)}, ${ago(serverNow - Date.parse(lastKnown.at))}`,
    });
  if (!isNow && state !== 'unknown')
    items.push({
      text: `${name} was ${wordOf(state)}`,
      detail: `heard at ${clockTime(claim.now)}, ${ago(serverNow - Date.parse(claim.now))}`,
    });
  // An artifact stays proven. That it runs, or is worked on, is proven only while that is the state, and observed (S2).
  const furthest = proof.reached.findLast((reached) => LASTING.has(reached) || (reached === state && isNow));
  if (furthest !== undefined) {
    const artifact = desired.artifact === null ? null : shortArtifact(desired.artifact);
    items.push({ text: `${name} ${PROVEN[furthest]}`, detail: artifact });
  }
  // Counted by the claim: a list of instances that was read beside it may be of another instant (S1).
  const { ready, wanted } = claim.cause?.params ?? {};
  if (ready !== undefined && wanted !== undefined && freshness.asOf !== null && isNow)
    items.push({
      text: readyOf(Number(ready), Number(wanted)),
      detail: `seen ${ago(serverNow - Date.parse(freshness.asOf))}`,
    });
  for (const { revision, actor, since } of claim.queued)
    items.push({
      text: `r${revision} waits behind it`,
      detail: `requested by ${actor}, ${ago(serverNow - Date.parse(since))}`,
    });
  return items;
}

/** The list of what is not proven now, under "What we do not know". */
export function openItems(claim: Claim, contact: ServerContact, now: number): SummaryItem[] {
  const { desired, state, serving, lastServing, expecting } = claim;
  const name = `r${desired.revision}`;
  const items: SummaryItem[] = [];
  const silentMs = silenceMs(contact, now);
  if (silentMs !== null)
    items.push({
      text: 'anything that happened since',
      detail: `no word from the server for ${wait(silentMs)}`,
    });
  else if (!isFresh(contact, claim, now))
    items.push({ text: `whether ${name} is still ${wordOf(state)}`, detail: 'what it rests on is too old' });
  if (state === 'unknown')
    items.push({ text: `whether ${name} ${desired.replicas === 0 ? 'is gone' : 'runs'} now`, detail: null });
  const wasInPlace = claim.proof.reached.includes('starting') || state === 'unknown';
  if (lastServing !== null)
    items.push({ text: `whether r${lastServing.revision} still serves`, detail: null });
  else if (serving === null && state !== 'stopped' && desired.replicas > 0 && wasInPlace)
    items.push({ text: 'whether any revision answers', detail: null });
  const open = expecting === null || AT_REST.has(state) ? undefined : OPEN[expecting.evidence];
  if (open !== undefined)
    items.push({
      text: open,
      detail: expecting?.by == null ? null : `expected until ${clockTime(expecting.by)}`,
    });
  return items;
}

const wait = (ms: number) => ago(ms).replace(' ago', '');

export const shortArtifact = (artifact: string) => artifact.replace(/(sha256:[0-9a-f]{12})[0-9a-f]+/, '$1…');

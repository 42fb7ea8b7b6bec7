import type { ServiceItem } from '../../../src/contract/answers/views.ts';
import type { Claim } from '../../../src/contract/claim.ts';
import { nameOf, targetOf } from '../../../src/contract/names.ts';
import { type CauseCode, STATES, type State } from '../../../src/contract/vocabulary.ts';
import type { ServiceRowView } from '../pages/services/rows.ts';

/** The instant of every sample, by the server's clock. */
export const SAMPLE_NOW = Date.parse('2026-11-17T13:27:41Z');
const ago = (seconds: number) => new Date(SAMPLE_NOW - seconds * 1000).toISOString();

/** The way to running. */
export const PATH = STATES.slice(0, STATES.indexOf('running') + 1);

/** A service, by what tells it from others. Times are in seconds. */
interface SampleService {
  readonly ref?: string;
  readonly state: State;
  readonly sinceAgo?: number;
  readonly deployedAgo?: number;
  readonly left?: number;
  readonly ageMs?: number;
  readonly wanted?: number;
  readonly serving?: number | null;
  readonly asks?: Claim['next']['owner'];
  readonly cause?: CauseCode;
  readonly message?: Claim['message'];
  readonly actor?: string;
  readonly author?: string;
  readonly sha?: string;
  readonly failingLine?: string;
  readonly isTargetSilent?: boolean;
  /** The claim is too old to go by. */
  readonly isOld?: boolean;
}

export function sampleRow(sample: SampleService): ServiceRowView {
  const { ref = 'web@prod', state, serving = null, isTargetSilent = false, isOld = false } = sample;
  const claim = claimOf(ref, sample);
  const isUnknown = state === 'unknown' || isOld;
  const [name = '', ...namespace] = nameOf(ref).split('.');
  return {
    ref,
    name,
    namespace: namespace.length === 0 ? null : namespace.join('.'),
    target: targetOf(ref),
    item: itemOf(ref, sample, claim),
    claim,
    claimView: {
      state: isUnknown ? 'unknown' : state,
      was: isUnknown ? { state: state === 'unknown' ? 'running' : state, agoMs: 372_000 } : null,
      isLive: !isOld,
      ageMs: sample.ageMs ?? 1_000,
    },
    serving: isUnknown || isTargetSilent ? null : serving,
    lastServing:
      serving !== null && (isUnknown || isTargetSilent) ? { revision: serving, agoMs: 372_000 } : null,
    isTargetSilent,
    targetSilentMs: isTargetSilent ? 372_000 : null,
    isUpForNow: false,
    isNothingLast: false,
    held: null,
    isNothingServing: serving === null && !isUnknown && !isTargetSilent,
  };
}

function claimOf(ref: string, sample: SampleService): Claim {
  const { state, sinceAgo = 60, left, wanted = 1, asks = 'none', cause } = sample;
  const reached = PATH.indexOf(state);
  return {
    service: ref,
    state,
    since: ago(sinceAgo),
    desired: { revision: wanted, attempt: 1, artifact: null, replicas: 2 },
    serving: null,
    lastServing: null,
    formerPlace: null,
    outcome: 'succeeded',
    proof: { reached: PATH.slice(0, reached + 1), stoppedAt: null, evidence: [] },
    path: PATH.map((step, i) => ({ state: step, reached: i <= reached, current: i === reached })),
    freshness: { asOf: ago(1), ageMs: 1_000, freshForMs: 15_000, validUntil: ago(-14) },
    queued: [],
    lastKnown: null,
    cause: cause === undefined ? null : { code: cause, params: {} },
    expecting: left === undefined ? null : { evidence: 'runtime.observed', from: 'agent', by: ago(-left) },
    timeout: null,
    message: sample.message ?? { code: state, title: state, body: '' },
    next: { owner: asks, action: asks === 'user' ? 'deploy' : null, retrySafe: true },
    actions: [],
    position: '1',
    now: ago(0),
  };
}

function itemOf(ref: string, sample: SampleService, claim: Claim): ServiceItem {
  const { deployedAgo = 60, wanted = 1, actor = 'ana', author, sha, failingLine = null } = sample;
  return {
    ref,
    name: nameOf(ref),
    target: targetOf(ref),
    org: 'default',
    urls: [],
    createdAt: ago(deployedAgo),
    wanted: {
      revision: wanted,
      kind: 'deploy',
      actor,
      managedBy: null,
      git:
        sha === undefined ? null : { sha, message: 'Take tax from the new table', ...(author && { author }) },
      createdAt: ago(deployedAgo),
      copies: { ready: claim.state === 'running' ? 2 : 0, wanted: 2 },
    },
    servingCopies: sample.serving == null || sample.serving === wanted ? null : 2,
    holding: null,
    failingLine,
    claim,
  };
}

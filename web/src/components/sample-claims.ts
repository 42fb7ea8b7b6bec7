import type { InstanceView, RevisionView } from '../../../src/contract/answers/views.ts';
import type { Claim } from '../../../src/contract/claim.ts';
import type { ServerContact } from '../../../src/contract/presentation/server-contact.ts';
import type { State } from '../../../src/contract/vocabulary.ts';
import { type ClaimView, claimViewOf } from '../live/claim-view.ts';
import type { DatedClaim } from '../pages/service/dated-claim.ts';
import { PATH, SAMPLE_NOW, sampleRow } from './sample-rows.ts';
import { SAMPLE_ATTEMPT, SAMPLE_CHANGES } from './samples.ts';

const ago = (seconds: number) => new Date(SAMPLE_NOW - seconds * 1000).toISOString();

/** A claim as the page of its service shows it. */
export interface SampleClaim {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
}

interface Situation {
  /** The page has heard nothing from its server for so long. */
  readonly lostMs?: number;
  readonly isPast?: boolean;
  /** The last report of its target, in seconds before the instant of the samples. */
  readonly heardAgo?: number;
}

const served = (revision: number): Claim['serving'] => ({
  ...{ revision, attempt: 1, asOf: ago(1), validUntil: ago(-14) },
});

function sampleClaim(
  state: Claim['state'],
  more: Partial<Claim>,
  { lostMs = 0, isPast = false, heardAgo = 1 }: Situation = {},
): SampleClaim {
  const { claim: base } = sampleRow({ ref: 'checkout.shop@prod', state, wanted: 42, sinceAgo: 240 });
  const claim: Claim = { ...base, ...more };
  const contact: ServerContact = {
    ...{ contactAt: 0, serverAt: SAMPLE_NOW, lost: lostMs > 0 },
    fresh: { prod: { asOf: ago(heardAgo), validUntil: ago(heardAgo - 15) } },
  };
  const dated = { claim, contact, now: lostMs, at: isPast ? claim.now : null };
  return { dated, claimView: claimViewOf(claim, contact, lostMs) };
}

const actions: Claim['actions'] = (['retry', 'rollback', 'restart', 'scale', 'teardown'] as const).map(
  (action) => ({ action, allowed: true }),
);

/** The path up to where a claim stands. */
const pathTo = (here: State): Pick<Claim, 'path' | 'proof'> => {
  const at = PATH.indexOf(here);
  return {
    path: PATH.map((state, i) => ({ state, reached: i <= at, current: i === at })),
    proof: { reached: PATH.slice(0, at + 1), stoppedAt: here, evidence: [] },
  };
};

const failed: Partial<Claim> = {
  ...pathTo('starting'),
  serving: served(41),
  outcome: 'failed',
  cause: {
    code: 'crash_loop',
    params: { exits: 5, exitCode: 1, ready: 0, wanted: 2, firstExit: ago(330), lastExit: ago(30) },
  },
  message: { code: 'failed.ends', title: 'The app does not stay up', body: 'It exited 5 times in 3 min.' },
  next: { owner: 'user', action: 'deploy', retrySafe: true, retryHelps: false },
  actions,
};
const exited: Partial<Claim> = {
  serving: served(41),
  outcome: 'in_progress',
  cause: { code: 'exited', params: { exitCode: 1, ready: 0, wanted: 2 } },
  message: { code: 'starting', title: 'Starting', body: '0 of 2 ready. The app exited with code 1.' },
  expecting: { evidence: 'runtime.observed', from: 'watcher', by: ago(-60) },
};
const running: Partial<Claim> = {
  serving: served(42),
  message: { code: 'running', title: 'Running', body: '2 of 2 ready and stable.' },
  actions: actions.slice(2),
};
const silent: Partial<Claim> = {
  ...pathTo('running'),
  lastServing: { revision: 42, attempt: 1, asOf: ago(372), ageMs: 372_000 },
  lastKnown: { state: 'running', at: ago(372), ageMs: 372_000 },
  freshness: { asOf: ago(372), ageMs: 372_000, freshForMs: null, validUntil: null },
  cause: { code: 'stale_runtime', params: {} },
  message: { code: 'unknown.stale_runtime', title: 'Unknown', body: 'Its target is silent.' },
  next: { owner: 'platform', action: 'start_agent', retrySafe: true },
  actions: actions.slice(2),
};

/** The situations in which somebody opens the page of a service. */
export const SAMPLE_CLAIMS = {
  failed: sampleClaim('failed', failed),
  exited: sampleClaim('starting', exited),
  running: sampleClaim('running', running),
  silent: sampleClaim('unknown', silent, { heardAgo: 372 }),
  lost: sampleClaim('running', running, { lostMs: 40_000 }),
  lostFailed: sampleClaim('failed', failed, { lostMs: 40_000 }),
  past: sampleClaim('starting', exited, { isPast: true }),
} as const satisfies Readonly<Record<string, SampleClaim>>;

const revision = (number: number, sha: string, message: string, actor: string): RevisionView => ({
  ...{ revision: number, kind: 'deploy', actor, replicas: 2, provenance: null, recoveries: [] },
  git: {
    ...{ sha, message, branch: 'main', dirty: false },
    url: `https://git.example/shop/commit/${sha}`,
  },
  artifact: `sha256:${sha.repeat(8)}`,
  createdAt: ago(number === 42 ? 360 : 86_400),
  attempts: [{ ...SAMPLE_ATTEMPT, outcome: number === 42 ? 'failed' : 'succeeded' }],
  changed:
    number === 42
      ? { against: 41, fields: SAMPLE_CHANGES.filter(({ field }) => field !== 'commit'), more: 0 }
      : { against: 40, fields: [{ field: 'replicas', kind: 'changed', from: 3, to: 2 }], more: 0 },
});

export const SAMPLE_REVISIONS: readonly RevisionView[] = [
  revision(42, '3f9c2e1a', 'Take tax from the new table', 'ana'),
  revision(41, 'a01be77c', 'Retry card capture once', 'lee'),
];

const instance = (name: string, more: Partial<InstanceView>): InstanceView => ({
  ...{ uid: name, name, service: 'checkout.shop@prod', revision: 41, attempt: 1, template: null },
  ...{ artifact: null, phase: 'running', ready: true, restarts: 0, containers: [], reason: null },
  ...{ message: null, node: null, fence: '1', startedAt: ago(3_600), asOf: ago(1), validUntil: ago(-14) },
  exits: null,
  ...more,
});

export const SAMPLE_PROCESSES: readonly InstanceView[] = [
  instance('checkout-3', {
    ...{ revision: 42, phase: 'exited', ready: false, restarts: 4, reason: 'crash_loop' },
    exits: { count: 5, first: ago(330), last: ago(30) },
    message: 'exit code 1',
  }),
  instance('checkout-1', { revision: 42 }),
  instance('checkout-2', {}),
];

const container = (name: string, isReady: boolean): InstanceView['containers'][number] => ({
  ...{ name, kind: 'main', ready: isReady, restarts: 0 },
});

export const SAMPLE_PODS: readonly InstanceView[] = [
  instance('checkout-6d8b9c7f4-hx2vq', {
    ...{ revision: 42, phase: 'running', ready: false, node: 'eu-2', saidBy: 'kubelet' },
    containers: [container('app', false), container('log', true)],
  }),
  instance('checkout-5c77d8b6d9-2fjxk', {
    saidBy: 'request',
    node: 'eu-1',
    containers: [container('app', true)],
  }),
];

/** A pod whose reason is a sentence. */
export const SAMPLE_LOST_POD: readonly InstanceView[] = [
  instance('checkout-6d8b9c7f4-hx2vq', {
    ...{ revision: 42, phase: 'unknown', ready: false, node: 'eu-2', reason: 'node_lost' },
    message: 'its node is not heard, and the cluster marked it so',
    containers: [container('app', true)],
  }),
  ...SAMPLE_PODS.slice(1),
];

import { type ProofView, proofViewOf } from '../../src/cli/proof/view.ts';
import type { Claim } from '../../src/contract/claim.ts';
import type { RevisionSummary } from '../../src/contract/presentation/about.ts';
import type { Move } from '../../src/contract/presentation/moves.ts';
import type { State } from '../../src/contract/vocabulary.ts';
import { type MessageCode, type ParamsOf, renderMessage } from '../../src/projection/messages.ts';

/** One claim of each state as the server sends it, for the snapshots of the proof line. */
const NOW = '2026-11-14T14:02:11.000Z';
export const at = (secondsAgo: number) => new Date(Date.parse(NOW) - secondsAgo * 1000).toISOString();

const GOES_ON: Move = { owner: 'platform', action: null, retrySafe: true };
const DONE: Move = { owner: 'none', action: null, retrySafe: true };
const YOURS: Move = { owner: 'user', action: 'deploy', retrySafe: true };

const PATH: readonly State[] = [
  'accepted',
  'waiting_for_worker',
  'building',
  'artifact_ready',
  'applying_runtime_state',
  'starting',
  'running',
];
const upTo = (state: State) => PATH.slice(0, PATH.indexOf(state) + 1);

function pathOf(reached: readonly State[]): Claim['path'] {
  const states: readonly State[] = reached[0] === 'stopping' ? ['stopping', 'stopped'] : PATH;
  return states.map((state, i) => ({
    state,
    reached: i < reached.length,
    current: i === Math.max(0, reached.length - 1),
  }));
}

export const ABOUT: RevisionSummary = {
  kind: 'deploy',
  actor: 'ana',
  git: { sha: '3f9c2e1a77', branch: 'main', dirty: false },
  needs: 'needs: 2 ready, route answers, 3 s stable',
  build: { steps: [], size: null },
};
const TEARDOWN: RevisionSummary = {
  ...ABOUT,
  kind: 'teardown',
  git: null,
  needs: 'needs: removed, and nothing seen after that',
};

export function claimOf<C extends MessageCode>(
  state: State,
  code: C,
  params: ParamsOf<C>,
  move: Move,
  more: Partial<Claim> = {},
): Claim {
  const { title, body } = renderMessage(code, params);
  const proof = more.proof ?? { reached: upTo(state), stoppedAt: state, evidence: ['e1'] };
  return {
    service: 'web@local',
    state,
    since: at(2),
    desired: { revision: 42, attempt: 1, artifact: null, replicas: 2 },
    serving: null,
    lastServing: null,
    formerPlace: null,
    outcome: 'in_progress',
    proof,
    path: pathOf(proof.reached),
    freshness: { asOf: at(1), ageMs: 1000, freshForMs: null, validUntil: null },
    queued: [],
    lastKnown: null,
    cause: null,
    expecting: null,
    timeout: null,
    message: { code, title, body },
    next: move,
    actions: [],
    position: '100',
    now: NOW,
    ...more,
  };
}

const OBSERVED = { asOf: at(1), ageMs: 1000, freshForMs: 15_000, validUntil: at(-14) } as const;
const ARTIFACT = `sha256:${'9b1f'.repeat(16)}`;
const built = { revision: 42, attempt: 1, artifact: ARTIFACT, replicas: 2 };
const still41 = { revision: 41, attempt: 1, asOf: at(1), validUntil: at(-14) };
const stopped = (stoppedAt: State) => ({ reached: upTo(stoppedAt), stoppedAt, evidence: ['e1'] });

const CLAIMS: Readonly<Record<State, Claim>> = {
  accepted: claimOf('accepted', 'accepted', { move: GOES_ON }, GOES_ON),
  waiting_for_worker: claimOf(
    'waiting_for_worker',
    'waiting.no_worker',
    {
      why: 'Nobody who could take it is online.',
      move: { ...YOURS, owner: 'platform', action: 'start_worker' },
    },
    { owner: 'platform', action: 'start_worker', retrySafe: true },
  ),
  building: claimOf('building', 'building', { step: 2, total: 4, move: GOES_ON }, GOES_ON, {
    serving: still41,
  }),
  artifact_ready: claimOf(
    'artifact_ready',
    'artifact_ready.target_busy',
    { why: 'Everybody who could take it is busy.', move: GOES_ON },
    GOES_ON,
    { desired: built },
  ),
  applying_runtime_state: claimOf('applying_runtime_state', 'applying', { move: GOES_ON }, GOES_ON, {
    desired: built,
    serving: still41,
  }),
  starting: claimOf(
    'starting',
    'starting',
    { ready: 0, wanted: 2, why: 'Nothing listens on its port yet.', move: GOES_ON },
    GOES_ON,
    { desired: built, serving: still41, freshness: OBSERVED },
  ),
  running: claimOf('running', 'running', { ready: 2, wanted: 2 }, DONE, {
    desired: built,
    outcome: 'succeeded',
    proof: { ...stopped('running'), stoppedAt: null },
    freshness: OBSERVED,
    serving: { ...still41, revision: 42 },
  }),
  degraded: claimOf(
    'degraded',
    'degraded',
    { ready: 1, wanted: 2, why: 'Copies are missing.', move: GOES_ON },
    GOES_ON,
    { desired: built, outcome: 'succeeded', proof: stopped('running'), freshness: OBSERVED },
  ),
  failed: claimOf(
    'failed',
    'failed.build',
    {
      stage: 'build',
      cause: 'build_command_failed',
      timedOut: false,
      why: 'The build command failed.',
      move: YOURS,
    },
    YOURS,
    { outcome: 'failed', proof: stopped('building'), serving: still41 },
  ),
  cancelling: claimOf('cancelling', 'cancelling', { move: GOES_ON }, GOES_ON, { proof: stopped('building') }),
  cancelled: claimOf(
    'cancelled',
    'cancelled',
    { move: { ...YOURS, action: 'retry' } },
    { ...YOURS, action: 'retry' },
    {
      outcome: 'cancelled',
      proof: stopped('building'),
    },
  ),
  stopping: claimOf('stopping', 'stopping', { move: GOES_ON }, GOES_ON, {
    proof: { reached: ['stopping'], stoppedAt: 'stopping', evidence: ['e1'] },
  }),
  stopped: claimOf('stopped', 'stopped', undefined as never, DONE, {
    outcome: 'succeeded',
    proof: { reached: ['stopping', 'stopped'], stoppedAt: null, evidence: ['e1'] },
    freshness: OBSERVED,
  }),
  unknown: claimOf(
    'unknown',
    'unknown.stale_runtime',
    {
      why: 'Its target is silent.',
      lastKnown: 'running',
      isSeen: true,
      cause: 'stale_runtime',
      move: { owner: 'platform', action: 'start_agent', retrySafe: true },
    },
    { owner: 'platform', action: 'start_agent', retrySafe: true },
    {
      desired: built,
      outcome: 'succeeded',
      proof: stopped('running'),
      lastKnown: { state: 'running', at: at(18), ageMs: 18_000 },
      cause: { code: 'stale_runtime', params: {} },
    },
  ),
};

export const sampleClaim = (state: State) => CLAIMS[state];

/** The view of a viewer that has watched since the request, at instant 0 of its own clock. */
export function sampleView(state: State, more: Partial<ProofView> = {}): ProofView {
  const about = state === 'stopping' || state === 'stopped' ? TEARDOWN : ABOUT;
  const claim = CLAIMS[state];
  const view = proofViewOf({ revision: 42, attempt: 1 }, about, claim, 0);
  const steps = claim.proof.reached.map((step, i, all) => ({
    state: step,
    at: Date.parse(NOW) - (all.length - i) * 1_500 - 500 - (claim.proof.reached.includes(state) ? 0 : 1_500),
  }));
  const isOver = claim.outcome !== 'in_progress';
  const settled = isOver ? { revision: 42, attempt: 1, outcome: claim.outcome as 'failed' } : null;
  return {
    ...view,
    steps: [...steps.filter((step) => step.state !== state), ...view.steps],
    settled,
    ...more,
  };
}

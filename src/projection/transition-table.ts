import type { Kind, Owner, State } from '../contract/vocabulary.ts';

/** The trigger of a step: evidence of a kind, a deadline of the model, or silence where a report was due. */
type Trigger = Kind | 'deadline' | 'silence';

/**
 * One step that a claim can take.
 *  - `from: null` is birth: the first state of a revision or attempt, whatever was claimed before it.
 *  - All others happen within one attempt.
 */
export interface TransitionRule {
  readonly from: State | null;
  readonly to: State;
  readonly on: readonly Trigger[];
  /** The roles whose evidence or decision makes it; `clock` when only time passed. */
  readonly owner: readonly Owner[];
  /**
   * `monotonic`: the attempt does not come back. `reversible`: later evidence may take it back.
   * `per_attempt`: only a new revision or attempt brings it.
   */
  readonly nature: 'monotonic' | 'reversible' | 'per_attempt';
  readonly when: string;
  /** Only where another tool deploys: of what we deploy ourselves the step is as good as not listed. */
  readonly only?: 'observe';
}

const OBSERVED = ['runtime.observed', 'route.observed'] as const;
const HOLDER = ['worker', 'agent'] as const;

const BIRTHS = [
  {
    from: null,
    to: 'accepted',
    on: ['intent.recorded', 'retry.requested'],
    owner: ['api'],
    nature: 'per_attempt',
    when: 'Intent and command are recorded; or a queued revision becomes active.',
  },
  {
    from: null,
    to: 'stopping',
    on: ['teardown.requested', 'retry.requested'],
    owner: ['api'],
    nature: 'per_attempt',
    when: 'Teardown is recorded, or tried again.',
  },
  {
    from: null,
    to: 'stopped',
    on: ['teardown.requested', ...OBSERVED],
    owner: ['api', 'watcher'],
    nature: 'per_attempt',
    when: 'Teardown of what was never applied; in observe mode, a template of which nothing should run.',
  },
  {
    from: null,
    to: 'starting',
    on: ['intent.recorded', 'retry.requested', ...OBSERVED],
    owner: ['api', 'watcher'],
    nature: 'per_attempt',
    when: 'Observe mode: another tool deploys, and the target is seen freshly.',
  },
  {
    from: null,
    to: 'running',
    on: ['intent.recorded', 'retry.requested', ...OBSERVED],
    owner: ['api', 'watcher'],
    nature: 'per_attempt',
    when: 'Observe mode: the contract is seen to hold at once.',
  },
  {
    from: null,
    to: 'failed',
    on: ['intent.recorded', 'retry.requested', ...OBSERVED],
    owner: ['api', 'watcher'],
    nature: 'per_attempt',
    when: 'Observe mode: a crash loop, or an end for good, is seen at once.',
  },
  {
    from: null,
    to: 'unknown',
    on: ['intent.recorded', 'retry.requested', 'teardown.requested', ...OBSERVED],
    owner: ['api', 'watcher'],
    nature: 'per_attempt',
    when: 'Observe mode without a fresh view; or nothing was seen yet since the store was recovered.',
  },
] as const satisfies readonly TransitionRule[];

const COMMANDS = [
  {
    from: 'accepted',
    to: 'waiting_for_worker',
    on: ['command.published'],
    owner: ['publisher'],
    nature: 'monotonic',
    when: 'The build, or the apply of an image, is handed to the queue.',
  },
  {
    from: 'accepted',
    to: 'artifact_ready',
    on: ['command.published'],
    owner: ['publisher'],
    nature: 'monotonic',
    when: 'The artifact is there already: rollback, restart, retry after the build.',
  },
  {
    from: 'accepted',
    to: 'failed',
    on: ['command.withdrawn'],
    owner: ['sweeper'],
    nature: 'monotonic',
    when: 'Not published within the deadline; the command is withdrawn first.',
  },
  {
    from: 'accepted',
    to: 'cancelled',
    on: ['cancel.requested'],
    owner: ['api'],
    nature: 'monotonic',
    when: 'No lease was acknowledged: the command is withdrawn at once.',
  },

  {
    from: 'waiting_for_worker',
    to: 'building',
    on: ['command.acknowledged'],
    owner: ['worker'],
    nature: 'reversible',
    when: 'The first fenced call of the worker that was offered the build.',
  },
  {
    from: 'waiting_for_worker',
    to: 'applying_runtime_state',
    on: ['command.acknowledged'],
    owner: ['agent'],
    nature: 'reversible',
    when: 'An image needs no build: the target’s agent takes it.',
  },
  {
    from: 'waiting_for_worker',
    to: 'failed',
    on: ['command.withdrawn'],
    owner: ['sweeper'],
    nature: 'monotonic',
    when: 'Nobody took it within the deadline; the command is withdrawn first.',
  },
  {
    from: 'waiting_for_worker',
    to: 'cancelled',
    on: ['cancel.requested'],
    owner: ['api'],
    nature: 'monotonic',
    when: 'No lease was acknowledged; an offer is burned.',
  },

  {
    from: 'building',
    to: 'artifact_ready',
    on: ['artifact.stored'],
    owner: ['worker'],
    nature: 'monotonic',
    when: 'Our store holds the bytes, digest verified.',
  },
  {
    from: 'building',
    to: 'failed',
    on: ['build.failed', 'stage.timed_out', 'lease.lapsed'],
    owner: ['worker', 'sweeper'],
    nature: 'monotonic',
    when: 'The worker says so; or the fence is revoked after the deadline or the third lapse.',
  },
  {
    from: 'building',
    to: 'waiting_for_worker',
    on: ['command.released', 'command.requeued', 'lease.lapsed'],
    owner: ['worker', 'sweeper'],
    nature: 'reversible',
    when: 'Given back, or re-queued: another lease, the same attempt.',
  },
  {
    from: 'building',
    to: 'cancelling',
    on: ['cancel.requested'],
    owner: ['api'],
    nature: 'monotonic',
    when: 'The work is owned: nothing is over before its holder says so or the lease ends.',
  },

  {
    from: 'artifact_ready',
    to: 'applying_runtime_state',
    on: ['command.acknowledged'],
    owner: ['agent'],
    nature: 'reversible',
    when: 'The first fenced call of the agent that was offered the apply.',
  },
  {
    from: 'artifact_ready',
    to: 'failed',
    on: ['command.withdrawn'],
    owner: ['sweeper'],
    nature: 'monotonic',
    when: 'No agent took it within the deadline; the command is withdrawn first.',
  },
  {
    from: 'artifact_ready',
    to: 'cancelled',
    on: ['cancel.requested'],
    owner: ['api'],
    nature: 'monotonic',
    when: 'No lease of the apply was acknowledged.',
  },

  {
    from: 'applying_runtime_state',
    to: 'starting',
    on: ['runtime.applied'],
    owner: ['agent'],
    nature: 'monotonic',
    when: 'The runtime was told. What was observed before does not count as after it.',
  },
  {
    from: 'applying_runtime_state',
    to: 'failed',
    on: ['runtime.apply_failed', 'stage.timed_out', 'lease.lapsed', 'runtime.applied'],
    owner: ['agent', 'sweeper'],
    nature: 'monotonic',
    when: 'The agent says so; the fence is revoked; or it was applied and a crash loop is already seen.',
  },
  {
    from: 'applying_runtime_state',
    to: 'artifact_ready',
    on: ['command.released', 'command.requeued', 'lease.lapsed'],
    owner: ['agent', 'sweeper'],
    nature: 'reversible',
    when: 'Given back, or re-queued by a lapse or a newer registration.',
  },
  {
    from: 'applying_runtime_state',
    to: 'waiting_for_worker',
    on: ['command.released', 'command.requeued', 'lease.lapsed'],
    owner: ['agent', 'sweeper'],
    nature: 'reversible',
    when: 'The same for an image, which has no artifact of ours.',
  },

  {
    from: 'stopping',
    to: 'cancelled',
    on: ['cancel.requested'],
    owner: ['api'],
    nature: 'monotonic',
    when: 'No lease of the removal was ever acknowledged: the command is withdrawn, and nothing was touched.',
  },
  {
    from: 'cancelling',
    to: 'cancelled',
    on: [
      'cancel.acknowledged',
      'command.released',
      'artifact.stored',
      'build.failed',
      'lease.lapsed',
      'stage.timed_out',
      'command.requeued',
    ],
    owner: [...HOLDER, 'sweeper'],
    nature: 'monotonic',
    when: 'Acknowledged, in whatever form; or the lease ended after the fence was revoked.',
  },
] as const satisfies readonly TransitionRule[];

/** Steps by observation: the next observation may take them back. */
const OBSERVATIONS: readonly TransitionRule[] = [
  observedStep(
    'starting',
    'running',
    'A report shows the running contract, stable for the window. Never a clock alone.',
  ),
  observedStep(
    'starting',
    'stopped',
    'No replicas are wanted; a complete snapshot after `runtime.applied` shows none.',
  ),
  {
    from: 'starting',
    to: 'failed',
    on: [...OBSERVED, 'stage.timed_out', 'deadline'],
    owner: ['watcher', 'sweeper', 'clock'],
    nature: 'reversible',
    when: 'A crash loop or an end for good is seen; or the deadline passes over fresh observation without progress.',
  },
  observedStep('running', 'degraded', 'A fresh report shows the contract broken.'),
  observedStep('running', 'failed', 'A crash loop, or an end for good, is seen.'),
  elsewhereStep(
    'running',
    'starting',
    'Observe mode: more is wanted than was proven, and nothing of that is missing.',
  ),
  {
    from: 'starting',
    to: 'degraded',
    on: [...OBSERVED, 'deadline'],
    owner: ['watcher', 'clock'],
    nature: 'reversible',
    when: 'Observe mode, of what ran with fewer copies: one of those broke, or the deadline passed.',
    only: 'observe',
  },
  elsewhereStep(
    'degraded',
    'starting',
    'Observe mode: of the copies that are wanted more, another is ready.',
  ),
  ...(['starting', 'running', 'degraded', 'failed', 'stopped'] as const).map((from) =>
    elsewhereStep(
      from,
      'stopping',
      'Observe mode: nothing of it is wanted any more, and something is there.',
    ),
  ),
  ...(['starting', 'running', 'degraded', 'failed'] as const).map((to) =>
    elsewhereStep('stopping', to, 'Observe mode: it is wanted again.'),
  ),
  observedStep('running', 'stopped', 'Observe mode: another tool scaled it to zero.'),
  observedStep('degraded', 'running', 'The contract holds again, stable.'),
  {
    from: 'degraded',
    to: 'failed',
    on: [...OBSERVED, 'stage.timed_out', 'deadline'],
    owner: ['watcher', 'sweeper', 'clock'],
    nature: 'reversible',
    when: 'A crash loop is seen; or the deadline passes over fresh observation.',
  },
  observedStep('degraded', 'stopped', 'Observe mode: another tool scaled it to zero.'),
  observedStep(
    'failed',
    'running',
    'An observed failure is taken back: the contract holds. The outcome stays (S11).',
  ),
  observedStep('failed', 'degraded', 'An observed failure of what was running is taken back in part.'),
  observedStep(
    'failed',
    'starting',
    'A crash loop is no longer seen, and the attempt had not ended as failed.',
  ),
  observedStep('failed', 'stopped', 'No replicas are wanted, and what was still there is gone.'),
  observedStep('stopped', 'running', 'Observe mode: another tool scaled it up.'),
  observedStep('stopped', 'degraded', 'Observe mode: another tool scaled it up, and it is not ready yet.'),
  observedStep('stopped', 'starting', 'Observe mode: the same, of what has not held since.'),
  observedStep('stopped', 'failed', 'Observe mode: another tool scaled it up, and a crash loop is seen.'),
  observedStep('stopping', 'stopped', 'A complete snapshot after `runtime.removed` shows no instance.'),
];

function observedStep(from: State, to: State, when: string): TransitionRule {
  return { from, to, on: OBSERVED, owner: ['watcher'], nature: 'reversible', when };
}

function elsewhereStep(from: State, to: State, when: string): TransitionRule {
  return { ...observedStep(from, to, when), only: 'observe' };
}

/** Every state may become `unknown`: in this direction no claim is too strong (S1). */
const LOSSES = [
  lost('accepted', [], []),
  lost('waiting_for_worker', [], []),
  lost('building', ['silence'], ['clock'], 'The lease’s end is reached without a heartbeat. '),
  lost('artifact_ready', [], []),
  lost(
    'applying_runtime_state',
    ['silence', 'runtime.applied'],
    ['clock', 'agent'],
    'The lease’s end is reached without a heartbeat; or it was applied, and what is seen cannot be judged. ',
  ),
  lostSight('starting'),
  lostSight('running'),
  lostSight('degraded'),
  lostSight('failed'),
  lost('cancelling', [], []),
  lost('cancelled', [], []),
  lost(
    'stopping',
    ['deadline', 'runtime.apply_failed', ...OBSERVED],
    ['clock', 'agent', 'watcher'],
    'The deadline passes, or removal fails: absence is not proven. ',
  ),
  lostSight('stopped'),
] as const;

function lost(from: State, on: readonly Trigger[], owner: readonly Owner[], when = ''): TransitionRule {
  return {
    from,
    to: 'unknown',
    on: [...on, 'operator.acted'],
    owner: [...owner, 'operator', ...(owner.includes('clock') ? [] : (['clock'] as const))],
    nature: 'reversible',
    when: `${when}Or the store was recovered, and nothing was seen since.`,
  };
}

function lostSight(from: State): TransitionRule {
  return lost(
    from,
    ['silence', ...OBSERVED, 'agent.heartbeat'],
    ['clock', 'watcher', 'agent'],
    'Freshness ends; a report cannot be judged or contradicts; or the target has another identity. ',
  );
}

/**
 * `unknown` can be resolved at any time, by the evidence that each state expects, or by an observation after
 * a recovery.
 */
const RESOLUTIONS = [
  resolution('accepted', [], [], 'Seen again after a recovery.'),
  resolution(
    'waiting_for_worker',
    ['lease.lapsed', 'command.released', 'command.requeued'],
    ['sweeper', ...HOLDER],
    'The lapse is recorded: re-queued, the same attempt.',
  ),
  resolution(
    'building',
    ['command.heartbeat', 'build.progress', 'platform.blind'],
    ['worker', 'sweeper'],
    'The worker is heard again before the lapse was recorded; or the lease’s end moved by our own blindness.',
  ),
  resolution(
    'artifact_ready',
    ['artifact.stored', 'lease.lapsed', 'command.released', 'command.requeued'],
    [...HOLDER, 'sweeper'],
    'A late artifact under a lease that still stands; or the apply is re-queued.',
  ),
  resolution(
    'applying_runtime_state',
    ['command.heartbeat', 'platform.blind'],
    ['agent', 'sweeper'],
    'The agent is heard again before the lapse was recorded; or the lease’s end moved.',
  ),
  resolution('starting', ['runtime.applied'], ['agent'], 'Applied late, or seen freshly again.'),
  resolution('running', [], [], 'Seen freshly, and the contract holds.'),
  resolution('degraded', [], [], 'Seen freshly, and the contract is broken.'),
  resolution(
    'failed',
    ['build.failed', 'runtime.apply_failed', 'lease.lapsed', 'stage.timed_out'],
    [...HOLDER, 'sweeper'],
    'Failure evidence, the work revoked, or a failure seen freshly.',
  ),
  resolution('cancelling', ['cancel.requested'], ['api'], 'Cancelled while the holder is silent.'),
  resolution(
    'cancelled',
    ['cancel.requested'],
    ['api'],
    'Cancelled before anyone owned it; or seen again after a recovery.',
  ),
  resolution('stopping', ['platform.blind'], ['sweeper'], 'The deadline moved by our own blindness.'),
  resolution('stopped', [], [], 'A complete snapshot shows no instance.'),
] as const;

function resolution(
  to: State,
  on: readonly Trigger[],
  owner: readonly Owner[],
  when: string,
): TransitionRule {
  return {
    from: 'unknown',
    to,
    on: [...on, ...OBSERVED],
    owner: [...owner, 'watcher'],
    nature: 'reversible',
    when,
  };
}

export const TRANSITIONS: readonly TransitionRule[] = [
  ...BIRTHS,
  ...COMMANDS,
  ...OBSERVATIONS,
  ...LOSSES,
  ...RESOLUTIONS,
];

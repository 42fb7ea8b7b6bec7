import type { DeadlineName, Deadlines } from '../contract/intent.ts';
import type { Kind, Mover, Stage } from '../contract/vocabulary.ts';

/** A deadline of the model: how long a stage may wait, for what, and what counts as waiting. */
export interface DeadlineRow {
  readonly defaultMs: number;
  /** An earlier instant, which `expecting.by` shows first; the stage goes on after it. */
  readonly softMs: number | null;
  readonly stage: Stage;
  readonly expected: Kind;
  /** Time in which the platform was blind never counts. */
  readonly counts: 'all_time' | 'owned_time' | 'fresh_time';
  readonly owner: Mover;
  readonly passes: string;
}

const MINUTE = 60_000;

export const DEADLINES = {
  publishMs: {
    defaultMs: 5 * MINUTE,
    softMs: 30_000,
    stage: 'publish',
    expected: 'command.published',
    counts: 'all_time',
    owner: 'platform',
    passes: 'At 30 s it is published again; at the end the command is withdrawn and the attempt is `failed`.',
  },
  queueMs: {
    defaultMs: 10 * MINUTE,
    softMs: null,
    stage: 'queue',
    expected: 'command.acknowledged',
    counts: 'all_time',
    owner: 'platform',
    passes: 'The command is withdrawn and the attempt is `failed`.',
  },
  buildMs: {
    defaultMs: 15 * MINUTE,
    softMs: null,
    stage: 'build',
    expected: 'artifact.stored',
    counts: 'owned_time',
    owner: 'user',
    passes: 'The fence is revoked and the attempt is `failed`.',
  },
  applyQueueMs: {
    defaultMs: 10 * MINUTE,
    softMs: 2 * MINUTE,
    stage: 'apply_queue',
    expected: 'command.acknowledged',
    counts: 'all_time',
    owner: 'platform',
    passes:
      'At 2 min the claim says whether an agent is alive; at the end the command is withdrawn and the attempt is `failed`.',
  },
  applyMs: {
    defaultMs: 2 * MINUTE,
    softMs: null,
    stage: 'apply',
    expected: 'runtime.applied',
    counts: 'owned_time',
    owner: 'platform',
    passes: 'The fence is revoked and the attempt is `failed`.',
  },
  startMs: {
    defaultMs: 5 * MINUTE,
    softMs: null,
    stage: 'readiness',
    expected: 'runtime.observed',
    counts: 'fresh_time',
    owner: 'user',
    passes:
      'Without progress for so long, over fresh observation: `failed` at the stage observed. Taken back when the contract holds.',
  },
  degradedMs: {
    defaultMs: 5 * MINUTE,
    softMs: null,
    stage: 'runtime',
    expected: 'runtime.observed',
    counts: 'fresh_time',
    owner: 'user',
    passes: 'Over fresh observation: `failed` at `runtime`. Taken back when the contract holds again.',
  },
  stopMs: {
    defaultMs: 5 * MINUTE,
    softMs: null,
    stage: 'stop',
    expected: 'runtime.removed',
    counts: 'all_time',
    owner: 'platform',
    passes: '`unknown`, `absence_unproven`; the attempt is `abandoned`.',
  },
} as const satisfies Record<DeadlineName, DeadlineRow>;

export function withDefaults(
  deadlines: { readonly [K in DeadlineName]?: number | undefined } = {},
): Deadlines {
  const filled = {} as Record<DeadlineName, number>;
  for (const name of Object.keys(DEADLINES) as DeadlineName[])
    filled[name] = deadlines[name] ?? DEADLINES[name].defaultMs;
  return filled;
}

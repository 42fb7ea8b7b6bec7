import type { AttemptView, FieldChangeView, RibbonView } from '../../../src/contract/answers/views.ts';
import type { State } from '../../../src/contract/vocabulary.ts';

const TO = Date.parse('2026-11-17T13:27:41Z');
const at = (hoursAgo: number) => new Date(TO - hoursAgo * 3_600_000).toISOString();
const stretch = (state: State, from: number, to: number) => ({ state, from: at(from), to: at(to) });

/** A day in which everything happens that a ribbon draws. */
export const SAMPLE_RIBBON: RibbonView = {
  ref: 'checkout.shop@prod',
  from: at(24),
  to: at(0),
  stretches: [
    stretch('running', 24, 17),
    stretch('unknown', 17, 15),
    stretch('running', 15, 11),
    stretch('degraded', 11, 9),
    stretch('stopped', 9, 7),
    stretch('building', 7, 6),
    stretch('running', 6, 2),
    stretch('failed', 2, 0),
  ],
  ms: { running: 15 * 3_600_000, unknown: 2 * 3_600_000, failed: 2 * 3_600_000 },
  holding: null,
  ticks: [
    { at: at(7), revision: 41, attempt: 1, kind: 'deploy' },
    { at: at(13), revision: 40, attempt: 1, kind: 'restart' },
    { at: at(10.5), revision: 40, attempt: 1, kind: 'exit' },
    { at: at(2), revision: 42, attempt: 1, kind: 'deploy' },
  ],
};

export const SAMPLE_CHANGES: readonly FieldChangeView[] = [
  { field: 'env.DATABASE_URL', kind: 'removed', from: { secret: true } },
  { field: 'env.TAX_TABLE', kind: 'added', to: 'tax_rates_2027' },
  { field: 'replicas', kind: 'changed', from: 3, to: 2 },
  { field: 'commit', kind: 'changed', from: 'a01be77', to: '3f9c2e1' },
];

export const SAMPLE_ATTEMPT: AttemptView = {
  ...{ attempt: 1, outcome: 'failed', startedAt: '2026-11-17T14:21:50Z', endedAt: null },
  stages: [
    { stage: 'queue', ms: 2_000 },
    { stage: 'build', ms: 30_000 },
    { stage: 'apply', ms: 3_000 },
    { stage: 'start', ms: 15_000 },
  ],
};

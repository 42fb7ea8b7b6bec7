import type { AgentView, SpanView } from '../../../src/contract/answers/views.ts';
import type { RuntimeKind } from '../../../src/contract/vocabulary.ts';
import type { Age } from '../live/polled.ts';
import type { ServiceAtTarget } from '../pages/targets/counts.ts';
import { type TargetRowView, targetRows } from '../pages/targets/target-rows.ts';
import { SAMPLE_CLAIMS, type SampleClaim } from './sample-claims.ts';
import { SAMPLE_NOW, sampleRow } from './sample-rows.ts';

const ago = (seconds: number) => new Date(SAMPLE_NOW - seconds * 1000).toISOString();

const scope = (name: string, more: Partial<AgentView['scopes'][number]> = {}) => ({
  ...{ scope: name, asOf: ago(1), unavailable: null, stalled: false, denied: [], absent: false },
  ...more,
});

const agent = (target: string, more: Partial<AgentView>): AgentView => ({
  ...{ id: `${target}:1`, agent: `agent-${target}`, target, instance: `${target}-c1a4e0`, epoch: '1' },
  ...{ version: '0.1.0', identity: `id-${target}`, state: 'alive', asOf: ago(1), watchAgeMs: 120 },
  ...{ skewMs: 0, forbidden: [], scopes: [scope('*')], observation: null, observeOnly: false },
  ...{ registeredAt: ago(86_400 * 3), seenAt: ago(1) },
  ...more,
});

function rowOf(target: string, runtime: RuntimeKind, speaker: AgentView | null): TargetRowView {
  const [row] = targetRows({
    targets: [{ target, runtime, agent: null, services: 0, notOnRecord: [] }],
    agents: speaker === null ? [] : [speaker],
    ...{ workers: [], commands: [], unreadable: [] },
  });
  if (row === undefined) throw new Error(`${target} has no row`);
  return row;
}

const at = ({ dated, claimView }: Pick<SampleClaim, 'dated' | 'claimView'>, serving: number | null) => ({
  ...{ claim: dated.claim, claimView, serving, isNothingServing: serving === null, isUpForNow: false },
});
const running = (ref: string): ServiceAtTarget => {
  const { claim, claimView } = sampleRow({ ref, state: 'running', serving: 1 });
  return { claim, claimView, serving: 1, isNothingServing: false, isUpForNow: false };
};

/** Heard for two days but for an hour, and until `seconds` ago. */
const spans = (seconds: number): readonly SpanView[] => [
  { epoch: '1', from: ago(86_400 * 2), until: ago(36_000), firstSeq: '1', lastSeq: '9' },
  { epoch: '1', from: ago(32_400), until: ago(seconds), firstSeq: '10', lastSeq: '99' },
];

/** A target as its row has it. */
interface SampleTarget {
  readonly row: TargetRowView;
  readonly services: readonly ServiceAtTarget[];
  readonly spans: readonly SpanView[];
  readonly age: Age;
  readonly isChosenOpen: boolean | null;
}

const NOW: Age = { serverNow: SAMPLE_NOW, isOld: false, isSilent: false, agoMs: 400 };
const LOST: Age = { serverNow: SAMPLE_NOW, isOld: true, isSilent: true, agoMs: 40_000 };

const calm = {
  row: rowOf('prod', 'kubernetes', agent('prod', { scopes: [scope('ns/shop'), scope('ns/data')] })),
  services: ['web@prod', 'api.shop@prod', 'catalog.shop@prod'].map(running),
  ...{ spans: spans(1), age: NOW, isChosenOpen: null },
};
const denied = scope('ns/data', {
  ...{ asOf: null, unavailable: 'forbidden', denied: [{ verb: 'list', resource: 'pods' }] },
});
const away = agent('edge', {
  ...{ state: 'stale', asOf: ago(372), seenAt: ago(371) },
  scopes: [scope('*', { asOf: ago(372), stalled: true })],
});
const silent = {
  row: rowOf('edge', 'process', away),
  services: [at(SAMPLE_CLAIMS.silent, null)],
  ...{ spans: spans(372), age: NOW, isChosenOpen: null },
};

/** The situations in which somebody looks at a target. */
export const SAMPLE_TARGETS: Readonly<
  Record<'closed' | 'opened' | 'troubled' | 'silent' | 'withoutAgent' | 'lostServer', SampleTarget>
> = {
  closed: calm,
  opened: { ...calm, isChosenOpen: true },
  troubled: {
    ...calm,
    row: rowOf('prod', 'kubernetes', agent('prod', { scopes: [scope('ns/shop'), denied] })),
    services: [at(SAMPLE_CLAIMS.failed, 41), ...calm.services],
  },
  silent,
  withoutAgent: {
    ...{ row: rowOf('forge', 'container', null), services: [], spans: [], age: NOW, isChosenOpen: null },
  },
  lostServer: { ...calm, age: LOST },
};

/** Who reports no longer: an agent that a newer one has fenced. */
export const SAMPLE_FENCED: readonly AgentView[] = [
  agent('prod', { id: 'prod:0', epoch: '0', instance: 'prod-77be02', state: 'fenced', seenAt: ago(86_400) }),
];

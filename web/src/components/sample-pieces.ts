import type { EvidencePiece } from '../pages/service/timeline/pieces.ts';

const receivedAt = '2026-11-17T13:23:19.312Z';

const piece = (
  position: string,
  isRejected: boolean,
  more: Partial<EvidencePiece['evidence']> = {},
): EvidencePiece => ({
  evidence: {
    id: `e${position}`,
    position,
    kind: 'artifact.stored',
    verdict: isRejected ? 'rejected' : 'admitted',
    reason: isRejected ? 'stale_lease' : null,
    source: { role: 'worker', name: 'builder-1', instance: 'c1a4e0' },
    service: 'checkout.shop@prod',
    revision: 42,
    attempt: 1,
    command: null,
    fence: '2',
    observedAt: null,
    receivedAt,
    body: { digest: 'sha256:9b1f9b1f9b1f', bytes: 2_104_000 },
    ...more,
  },
  ms: Date.parse(receivedAt),
  role: 'worker',
  isRejected,
  proved: [],
  ranOut: [],
});

const change = { at: receivedAt, revision: 42, attempt: 1 };
const stored = piece('48207', false);

/** One record that is believed, and one that is not. */
export const SAMPLE_PIECES: readonly EvidencePiece[] = [
  {
    ...stored,
    proved: [
      {
        ...{ ...change, position: '48207', evidence: 'e48207' },
        ...{ from: 'building', to: 'artifact_ready', owner: 'worker' },
      },
    ],
  },
  piece('48196', true),
];

const report = piece('48311', false, {
  kind: 'runtime.observed',
  source: { role: 'watcher', name: 'agent-prod', instance: 'prod-c1a4e0' },
  ...{ revision: null, attempt: null, fence: null, observedAt: '2026-11-17T13:23:19.190Z' },
  body: {
    instances: [{ uid: 'checkout-3', revision: 42, attempt: 1, phase: 'exited', details: { exitCode: 1 } }],
    exits: [{ uid: 'checkout-3', count: 1 }],
  },
});

/** A report that found an exit, which ended a state that an earlier one had proven until then. */
export const SAMPLE_REPORT: EvidencePiece = {
  ...report,
  role: 'watcher',
  proved: [
    {
      ...{ ...change, position: '48311', evidence: 'e48311' },
      ...{ from: 'starting', to: 'failed', owner: 'watcher' },
    },
  ],
  ranOut: [
    {
      ...{ ...change, at: '2026-11-17T13:23:34.312Z', position: '48330', evidence: 'e48311' },
      ...{ from: 'failed', to: 'unknown', owner: 'clock' },
    },
  ],
};

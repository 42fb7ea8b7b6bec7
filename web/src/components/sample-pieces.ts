import type { EvidencePiece } from '../pages/service/timeline/pieces.ts';

const piece = (position: string, isRejected: boolean): EvidencePiece => ({
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
    receivedAt: '2026-11-17T13:23:19.312Z',
    body: {},
  },
  ms: Date.parse('2026-11-17T13:23:19.312Z'),
  role: 'worker',
  isRejected,
  proved: [],
  ranOut: [],
});

/** One record that is believed, and one that is not. */
export const SAMPLE_PIECES: readonly EvidencePiece[] = [piece('48207', false), piece('48196', true)];

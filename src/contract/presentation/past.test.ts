import { describe, expect, it } from 'vitest';
import type { RevisionView } from '../answers/views.ts';
import type { Claim } from '../claim.ts';
import { stopsOf } from './life.ts';
import { pastSentence, revisionsAt, whyNoPast } from './past.ts';

const T0 = new Date(2026, 10, 14, 14, 2, 11, 204).getTime();
const instant = (afterMs: number) => new Date(T0 + afterMs).toISOString();
const revision = (number: number, afterMs: number, endedMs: number): RevisionView => ({
  revision: number,
  kind: 'deploy',
  actor: 'ana',
  git: null,
  artifact: 'sha256:9b1f',
  replicas: 1,
  provenance: null,
  createdAt: instant(afterMs),
  attempts: [
    {
      attempt: 1,
      outcome: 'succeeded',
      startedAt: instant(afterMs),
      endedAt: instant(endedMs),
      stages: [
        { stage: 'publish', ms: 100 },
        { stage: 'build', ms: 4_000 },
        { stage: 'start', ms: 900 },
      ],
    },
  ],
  recoveries: [],
});
const HISTORY = [revision(2, 60_000, 65_000), revision(1, 0, 5_000)];
const claimOf = (number: number, artifact: string | null) =>
  ({ desired: { revision: number, attempt: 1, artifact, replicas: 1 } }) as Claim;

describe('history at an instant', () => {
  it('has nothing later, and nothing as ended that was still open', () => {
    const [active, ...older] = revisionsAt(HISTORY, claimOf(1, null), T0 + 2_100);
    expect(older).toEqual([]);
    expect(active?.artifact).toBeNull();
    expect(active?.attempts).toEqual([
      {
        attempt: 1,
        outcome: 'in_progress',
        startedAt: instant(0),
        endedAt: null,
        stages: [
          { stage: 'publish', ms: 100 },
          { stage: 'build', ms: 2_000 },
        ],
      },
    ]);
  });

  it('is complete at its end', () => {
    expect(revisionsAt(HISTORY, claimOf(2, 'sha256:9b1f'), T0 + 65_000)).toEqual(HISTORY);
  });
});

describe('an instant that cannot be shown', () => {
  const first = stopsOf([
    {
      position: '1',
      at: instant(0),
      from: null,
      to: 'accepted',
      owner: 'api',
      evidence: 'e1',
      revision: 1,
      attempt: 1,
    },
  ])[0];
  const now = T0 + 60_000;
  const detail = 'What the server said.';

  it('names the earliest kept one', () => {
    const refused = { code: 'before_retention', detail, earliest: instant(-86_400_000) } as const;
    expect(whyNoPast(refused, instant(-2 * 86_400_000), first ?? null, now)).toBe(
      'What was known at 12 Nov 14:02:11 has moved to the archive. The earliest that is kept here is 13 Nov 14:02:11.',
    );
  });

  it('names the beginning', () => {
    expect(whyNoPast({ code: 'not_found', detail }, instant(-1_000), first ?? null, now)).toBe(
      'At 14:02:10 nobody had requested it yet. It was first requested at 14:02:11.',
    );
  });

  it('uses the server’s sentence otherwise', () => {
    expect(whyNoPast({ code: 'invalid_request', detail }, 'yesterday', first ?? null, now)).toBe(detail);
  });
});

it('an instant is named to the millisecond, with its day where it is another', () => {
  expect(pastSentence(T0, T0 + 60_000)).toBe('This is what was known at 14:02:11.204.');
  expect(pastSentence(T0, T0 + 86_400_000)).toBe('This is what was known at 14 Nov 14:02:11.204.');
  expect(pastSentence(T0, T0 + 365 * 86_400_000)).toBe('This is what was known at 14 Nov 2026 14:02:11.204.');
});

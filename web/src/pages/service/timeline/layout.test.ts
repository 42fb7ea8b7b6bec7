import { describe, expect, it } from 'vitest';
import type {
  EvidenceView,
  LeaseView,
  SpanView,
  TransitionView,
} from '../../../../../src/contract/answers/views.ts';
import type { Role } from '../../../../../src/contract/vocabulary.ts';
import { axisOf } from './axis.ts';
import { placed } from './labels.ts';
import { layOut, markAt } from './layout.ts';
import { evidenceStory, nearestInNextLane, storyFrom as storyOf } from './pieces.ts';

const T0 = Date.parse('2026-11-14T14:02:11.000Z');
const instant = (ms: number) => new Date(T0 + ms).toISOString();
const evidence = (n: number, ms: number, role: Role = 'worker', isRejected = false): EvidenceView => ({
  id: `e${n}`,
  position: String(n),
  service: 'web@lab',
  kind: 'build.progress',
  revision: 1,
  attempt: 1,
  command: null,
  fence: '1',
  source: { role, name: role, instance: 'i' },
  receivedAt: instant(ms),
  observedAt: null,
  verdict: isRejected ? 'rejected' : 'admitted',
  reason: isRejected ? 'stale_lease' : null,
  body: {},
});
const transition = (n: number, ms: number, to: TransitionView['to']): TransitionView => ({
  position: String(n),
  at: instant(ms),
  from: null,
  to,
  owner: 'worker',
  evidence: `e${n}`,
  revision: 1,
  attempt: 1,
});
const lease = (fence: string, from: number, ack: number | null, to: number | null): LeaseView => ({
  lease: `l${fence}`,
  command: 'c',
  kind: 'build',
  fence,
  holder: { worker: 'builder', instance: 'i' },
  grantedAt: instant(from),
  acknowledgedAt: ack === null ? null : instant(ack),
  endedAt: to === null ? null : instant(to),
  end: to === null ? null : 'completed',
});
const storyFrom = (
  evidence: EvidenceView[],
  transitions: TransitionView[],
  leases: LeaseView[],
  spans: SpanView[],
) => storyOf(evidenceStory(evidence, transitions), leases, spans);
const MINUTE = { from: T0, to: T0 + 60_000 };

describe('the layout of the timeline', () => {
  it('puts each piece at its time, in the lane of its sender, and marks rejected ones', () => {
    const story = storyFrom(
      [evidence(1, 0, 'api'), evidence(2, 30_000), evidence(3, 30_000, 'worker', true)],
      [transition(1, 0, 'accepted')],
      [],
      [],
    );
    const { marks } = layOut(story, MINUTE, 600, T0 + 60_000);
    expect(
      marks.map(({ lane, x0, isRejected, proves, isRaised }) => [
        story.lanes[lane]?.role,
        x0,
        isRejected,
        proves,
        isRaised,
      ]),
    ).toEqual([
      ['api', 0, false, true, false],
      ['worker', 300, false, false, false],
      ['worker', 300, true, false, true],
    ]);
  });

  it('a change by time alone has no evidence', () => {
    const [piece] = storyFrom(
      [evidence(1, 0)],
      [transition(1, 0, 'running'), { ...transition(1, 15_000, 'unknown'), owner: 'clock' }],
      [],
      [],
    ).pieces;
    expect(piece?.proved.map(({ to }) => to)).toEqual(['running']);
    expect(piece?.ranOut.map(({ to }) => to)).toEqual(['unknown']);
  });

  it('has no lane for operators until one acted', () => {
    expect(storyFrom([evidence(1, 0)], [], [], []).lanes.map(({ role }) => role)).not.toContain('operator');
    expect(storyFrom([evidence(1, 0, 'operator')], [], [], []).lanes.at(-1)?.role).toBe('operator');
  });

  it('draws no more than has room, however many there are, and loses none', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => evidence(i, i * 6));
    const { marks, earlier, later } = layOut(storyFrom(many, [], [], []), MINUTE, 900, T0 + 60_000);
    expect(marks.length).toBeLessThanOrEqual(900 / 8 + 1);
    expect(marks.flatMap(({ pieces }) => pieces)).toEqual(many.map((_, i) => i));
    expect([earlier, later]).toEqual([0, 0]);
  });

  it('lays out only what is in sight, and counts the rest', () => {
    const many = Array.from({ length: 100 }, (_, i) => evidence(i, i * 1_000));
    const sight = { from: T0 + 40_000, to: T0 + 49_000 };
    const { marks, earlier, later } = layOut(storyFrom(many, [], [], []), sight, 900, T0 + 100_000);
    expect([marks.length, earlier, later]).toEqual([10, 40, 50]);
  });

  it('distinguishes an offer from a lease, and a held one from one that ended', () => {
    const story = storyFrom([], [], [lease('1', 0, 6_000, 12_000), lease('2', 18_000, null, null)], []);
    const { bars } = layOut(story, MINUTE, 600, T0 + 30_000);
    expect(bars.map(({ x0, held, x1, isOpen }) => [x0, held, x1, isOpen])).toEqual([
      [0, 60, 120, false],
      [180, 300, 300, true],
    ]);
  });

  it('shows the claim over time, and marks where it changed too often to be drawn', () => {
    const story = storyFrom(
      [],
      [
        transition(1, 0, 'accepted'),
        transition(2, 10, 'waiting_for_worker'),
        transition(3, 20, 'building'),
        transition(4, 30_000, 'failed'),
      ],
      [],
      [],
    );
    const { segments } = layOut(story, MINUTE, 600, T0 + 60_000);
    expect(segments.map(({ state, changes, x1 }) => [state, changes, Math.round(x1)])).toEqual([
      [null, 2, 0],
      ['building', 1, 300],
      ['failed', 1, 600],
    ]);
  });
});

describe('pointing and navigating', () => {
  const story = storyFrom(
    [
      evidence(1, 0, 'api'),
      evidence(2, 1_000),
      evidence(3, 1_000, 'worker', true),
      evidence(4, 9_000, 'agent'),
    ],
    [],
    [],
    [],
  );
  const { marks } = layOut(story, MINUTE, 600, T0 + 60_000);
  const worker = story.lanes.findIndex(({ role }) => role === 'worker');

  it('selects the nearest mark of the lane; of two at one place, the one at that height', () => {
    expect(markAt(marks, worker, 12)).toMatchObject({ isRejected: false, pieces: [1] });
    expect(markAt(marks, worker, 12, -8)).toMatchObject({ isRejected: true, pieces: [2] });
    expect(markAt(marks, worker, 40)).toBeNull();
    expect(markAt(marks, 0, 10, 15)).toMatchObject({ pieces: [0] });
  });

  it('goes to the nearest piece of the next lane that has one', () => {
    expect(nearestInNextLane(story, 0, 1)).toBe(1);
    expect(nearestInNextLane(story, 3, -1)).toBe(1);
    expect(nearestInNextLane(story, 0, -1)).toBe(0);
  });
});

it('labels stand where they have room, the first wish first', () => {
  const wish = (key: string, x: number, ...rows: string[]) => ({
    key,
    text: 'ten letter',
    x,
    rows,
    className: '',
  });
  const kept = placed(
    [
      wish('a', 10, '^'),
      wish('b', 40, '^'),
      wish('c', 90, '^'),
      wish('d', 40, '^', '_'),
      wish('e', 580, '^'),
    ],
    600,
  );
  expect(kept.map(({ key, row }) => key + row)).toEqual(['a^', 'c^', 'd_', 'e^']);
  // At the right edge a label ends at its mark.
  expect(kept.at(-1)?.x).toBeLessThan(580);
});

describe('the axis', () => {
  it('has round instants with room for their names', () => {
    const ticks = axisOf({ from: T0, to: T0 + 60_000 }, 600, T0);
    expect(ticks.map(({ ms }) => ms % 10_000)).toEqual(ticks.map(() => 0));
    expect(ticks).toHaveLength(6);
  });

  it('names milliseconds when one is near, and days when one is far', () => {
    expect(axisOf({ from: T0, to: T0 + 40 }, 600, T0)[0]?.text).toMatch(/:\d\d\.\d{3}$/);
    const far = axisOf({ from: T0 - 90 * 86_400_000, to: T0 }, 600, T0);
    expect(far[0]?.text).toMatch(/^\d+ \w{3}$/);
    expect(far.length).toBeLessThanOrEqual(7);
  });
});

import { describe, expect, it } from 'vitest';
import { sampleRow } from '../../components/sample-rows.ts';
import { groupOf, groupTitle, linesOf, sectionsOf, sortedBy } from './attention.ts';

const refs = (rows: readonly { readonly ref: string }[]) => rows.map(({ ref }) => ref);
const orderIn = (group: string, rows: Parameters<typeof sectionsOf>[0]) =>
  refs(sectionsOf(rows).find((section) => section.group === group)?.rows ?? []);

describe('the group of a service', () => {
  it('is needs you where a person has to act, whatever else is open', () => {
    expect(groupOf(sampleRow({ state: 'failed', asks: 'user' }))).toBe('needs you');
    expect(groupOf(sampleRow({ state: 'starting', asks: 'user' }))).toBe('needs you');
    expect(groupOf(sampleRow({ state: 'failed', asks: 'user', isTargetSilent: true }))).toBe('needs you');
  });

  it('is the platform’s where the claim of a failure names the platform, or nobody', () => {
    expect(groupOf(sampleRow({ state: 'failed', asks: 'platform' }))).toBe('needs platform');
    expect(groupOf(sampleRow({ state: 'degraded', asks: 'platform' }))).toBe('needs platform');
    expect(groupOf(sampleRow({ state: 'degraded' }))).toBe('needs platform');
    expect(groupOf(sampleRow({ state: 'degraded', asks: 'user' }))).toBe('needs you');
  });

  it('is unknown where nobody can tell, also for a proven build at a silent target', () => {
    expect(groupOf(sampleRow({ state: 'unknown', asks: 'user' }))).toBe('unknown');
    expect(groupOf(sampleRow({ state: 'artifact_ready', isTargetSilent: true }))).toBe('unknown');
    expect(groupOf(sampleRow({ state: 'running', isOld: true }))).toBe('unknown');
  });

  it('is in progress, running or stopped for all others', () => {
    expect(groupOf(sampleRow({ state: 'waiting_for_worker' }))).toBe('in progress');
    expect(groupOf(sampleRow({ state: 'stopping' }))).toBe('in progress');
    expect(groupOf(sampleRow({ state: 'running' }))).toBe('running');
    expect(groupOf(sampleRow({ state: 'cancelled' }))).toBe('stopped');
    expect(groupOf(sampleRow({ state: 'stopped' }))).toBe('stopped');
  });
});

it('nothing needs somebody who may only read: the heading says whose move it is, as the rows below it do', () => {
  expect(groupTitle('needs you', false)).toBe('Needs you');
  expect(groupTitle('needs you', true)).toBe('Deployer’s move');
  expect(groupTitle('running', true)).toBe('Running');
});

describe('the order by attention', () => {
  it('puts groups in their order, and leaves out empty ones', () => {
    const rows = [
      sampleRow({ state: 'stopped' }),
      sampleRow({ state: 'running' }),
      sampleRow({ state: 'unknown' }),
    ];
    expect(sectionsOf(rows).map(({ group }) => group)).toEqual(['unknown', 'running', 'stopped']);
    expect(sectionsOf([])).toEqual([]);
  });

  it('needs you: what does not serve first, then the longest', () => {
    const rows = [
      sampleRow({ ref: 'short@t', asks: 'user', state: 'failed', sinceAgo: 1, serving: null }),
      sampleRow({ ref: 'serves@t', asks: 'user', state: 'failed', sinceAgo: 90, serving: 3 }),
      sampleRow({ ref: 'long@t', asks: 'user', state: 'failed', sinceAgo: 60, serving: null }),
    ];
    expect(orderIn('needs you', rows)).toEqual(['long@t', 'short@t', 'serves@t']);
  });

  it('needs you: the longest by the time that the row shows, of which a silence is a part', () => {
    const longest = sampleRow({ ref: 'held@t', asks: 'user', state: 'failed', sinceAgo: 1, serving: null });
    const rows = [
      sampleRow({ ref: 'long@t', asks: 'user', state: 'failed', sinceAgo: 60, serving: null }),
      { ...longest, held: { since: Date.parse(longest.claim.since) - 8 * 3_600_000, unknownMs: 1_000 } },
    ];
    expect(orderIn('needs you', rows)).toEqual(['held@t', 'long@t']);
  });

  it('unknown: silent targets first, each together, then by cause', () => {
    const rows = [
      sampleRow({ ref: 'z@b', state: 'unknown', cause: 'store_recovered' }),
      sampleRow({ ref: 'c@edge', state: 'unknown', isTargetSilent: true, sinceAgo: 5 }),
      sampleRow({ ref: 'y@b', state: 'unknown', cause: 'forbidden' }),
      sampleRow({ ref: 'a@dock', state: 'unknown', isTargetSilent: true }),
      sampleRow({ ref: 'b@edge', state: 'artifact_ready', isTargetSilent: true, sinceAgo: 2 }),
    ];
    expect(orderIn('unknown', rows)).toEqual(['a@dock', 'c@edge', 'b@edge', 'y@b', 'z@b']);
  });

  it('unknown: on a page without its server what was in trouble comes first', () => {
    const rows = [
      sampleRow({ ref: 'ran@t', state: 'running', isOld: true, sinceAgo: 900 }),
      sampleRow({ ref: 'slow@t', state: 'degraded', isOld: true }),
      sampleRow({ ref: 'broken@t', state: 'failed', isOld: true }),
    ];
    expect(orderIn('unknown', rows)).toEqual(['broken@t', 'slow@t', 'ran@t']);
  });

  it('in progress: least time left first, what has no deadline last', () => {
    const rows = [
      sampleRow({ ref: 'none@t', state: 'building' }),
      sampleRow({ ref: 'late@t', state: 'building', left: 900 }),
      sampleRow({ ref: 'soon@t', state: 'starting', left: 20 }),
    ];
    expect(orderIn('in progress', rows)).toEqual(['soon@t', 'late@t', 'none@t']);
  });

  it('running: the latest deploy first; ties by name', () => {
    const rows = [
      sampleRow({ ref: 'old@t', state: 'running', deployedAgo: 100 }),
      sampleRow({ ref: 'b@t', state: 'running', deployedAgo: 10 }),
      sampleRow({ ref: 'a@t', state: 'running', deployedAgo: 10 }),
    ];
    expect(orderIn('running', rows)).toEqual(['a@t', 'b@t', 'old@t']);
  });

  it('is the same whatever the order that the services come in', () => {
    const rows = ['failed', 'unknown', 'building', 'running', 'stopped'].flatMap((state, i) => [
      sampleRow({ ref: `a${i}@t`, state: state as 'failed', sinceAgo: 7 }),
      sampleRow({ ref: `b${i}@t`, state: state as 'failed', sinceAgo: 7 }),
    ]);
    expect(sectionsOf(rows.toReversed())).toEqual(sectionsOf(rows));
  });
});

describe('the lines of the list', () => {
  it('say a silent target once, above its services, and count services through', () => {
    const rows = [
      sampleRow({ ref: 'a@edge', state: 'unknown', isTargetSilent: true, sinceAgo: 3 }),
      sampleRow({ ref: 'b@edge', state: 'unknown', isTargetSilent: true, sinceAgo: 2 }),
      sampleRow({ ref: 'c@prod', state: 'unknown' }),
      sampleRow({ ref: 'd@prod', state: 'running' }),
    ];
    const lines = linesOf(sectionsOf(rows));
    expect(lines.map((line) => (line.kind === 'service' ? [line.row.ref, line.index] : line))).toEqual([
      { kind: 'heading', group: 'unknown', count: 3, down: '' },
      { kind: 'silence', target: 'edge', count: 2 },
      ['a@edge', 0],
      ['b@edge', 1],
      ['c@prod', 2],
      { kind: 'heading', group: 'running', count: 1, down: '' },
      ['d@prod', 3],
    ]);
  });
});

it('a heading counts the services of which nothing serves apart from those that are still served', () => {
  const rows = [
    sampleRow({ ref: 'down@t', state: 'failed', asks: 'user', serving: null }),
    sampleRow({ ref: 'served@t', state: 'failed', asks: 'user', serving: 1, wanted: 2 }),
  ];
  expect(linesOf(sectionsOf(rows))[0]).toEqual({
    kind: 'heading',
    group: 'needs you',
    count: 2,
    down: '1 serves nothing',
  });
});

it('another order is one list without groups, and can be turned around', () => {
  const rows = [
    sampleRow({ ref: 'b@t', state: 'failed', ageMs: 9_000 }),
    sampleRow({ ref: 'a@t', state: 'running', ageMs: 1_000 }),
  ];
  expect(refs(sortedBy(rows, 'service', false))).toEqual(['a@t', 'b@t']);
  expect(refs(sortedBy(rows, 'service', true))).toEqual(['b@t', 'a@t']);
  expect(refs(sortedBy(rows, 'evidence', false))).toEqual(['b@t', 'a@t']);
});

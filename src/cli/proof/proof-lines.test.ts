import { describe, expect, it } from 'vitest';
import { sampleView } from '../../../test/cli/sample-views.ts';
import type { FailureOutput } from '../../contract/presentation/error-lines/failure-output.ts';
import { STATES, type State } from '../../contract/vocabulary.ts';
import { painter } from '../colours.ts';
import { textOf, widthOf } from './line.ts';
import { PlainLines } from './plain-lines.ts';
import { proofLines } from './proof-lines.ts';
import { applyEvent, type ProofView } from './view.ts';

const FAILURE: FailureOutput = {
  lines: ['npm run build', 'error: no such module "left"'],
  headline: 'no such module "left"',
};
const drawn = (view: ProofView, { now = 1_000, width = 88, failure = null as FailureOutput | null } = {}) =>
  `\n${proofLines(view, { now, width, failure })
    .map((line) => textOf(line).trimEnd())
    .join('\n')}\n`;

describe('the proof line', () => {
  it.each(STATES)('of %s', (state) => {
    const failure = state === 'failed' ? FAILURE : null;
    expect(drawn(sampleView(state), { failure })).toMatchSnapshot();
  });

  it('names the holder of the work, where the viewer may read it', () => {
    const holders = { building: 'build-1', applying_runtime_state: 'agent local' };
    expect(drawn(sampleView('starting', { holders }))).toContain('build-1 took it');
  });

  it('shows the steps of the builder, and the size of the artifact', () => {
    const build = { steps: ['npm ci', 'npm run build'], size: 2_113_443 };
    const of = (state: 'building' | 'starting') => {
      const view = sampleView(state);
      return drawn({ ...view, about: { ...view.about, build } });
    };
    expect(of('building')).toMatch(/● building +[\d.]+ s +npm ci, npm run build\n/);
    expect(of('starting')).toMatch(/✓ building +[\d.]+ s +npm ci, npm run build\n/);
    expect(of('starting')).toMatch(/✓ artifact ready .*sha256:9b1f9b1f9b1f… 2\.1 MB\n/);
  });

  it('of a queued revision, and of a superseded one', () => {
    const waits = sampleView('building', { requested: { revision: 43, attempt: 1 } });
    expect(drawn(waits)).toContain('waits behind r42, which is building');
    const settled = { revision: 41, attempt: 1, outcome: 'superseded' } as const;
    const taken = sampleView('building', { requested: { revision: 41, attempt: 1 }, settled });
    expect(drawn(taken)).toContain('r41 is superseded; r42 is what counts now.');
  });

  it.each(
    STATES.flatMap((state) => [1, 10, 20, 39, 40, 59, 60, 80, 200].map((width) => [state, width] as const)),
  )('of %s is never wider than %i columns', (state, width) => {
    for (const line of proofLines(sampleView(state), { now: 1_000, width, failure: FAILURE }))
      expect(widthOf(line), textOf(line)).toBeLessThanOrEqual(Math.max(1, width));
  });

  it('shows a long line of the log to its end', () => {
    const lines = [`${'at very/long/path '.repeat(8)}the reason`];
    const text = drawn(sampleView('failed'), { failure: { lines, headline: null }, width: 60 });
    expect(text.replace(/\n {2}│ /g, '')).toContain('the reason');
  });

  it('shows the output of the build while it is made, and not after it', () => {
    const of = (state: State) =>
      proofLines(sampleView(state), { now: 1_000, width: 60, output: ['$ npm ci', 'x'.repeat(99)] }).map(
        textOf,
      );
    const lines = of('building');
    const at = lines.indexOf('    │ $ npm ci');
    expect(lines[at - 2]).toContain('● building');
    expect(lines[at + 1]).toMatch(/^ {4}│ x+…$/);
    expect(of('starting').join('\n')).not.toContain('npm ci');
  });

  it('stands under each step where it is narrow', () => {
    expect(drawn(sampleView('starting'), { width: 39 })).toMatchSnapshot();
  });
});

describe('a silent stream', () => {
  const running = { ...sampleView('running'), settled: null };

  it('leaves nothing green: it shows the last known state, and for how long', () => {
    expect(drawn(running, { now: 5_900 })).toMatch(/✓ running/);
    const later = drawn(running, { now: 6_100 });
    expect(later).toMatch(/\? running +last known:/);
    expect(later).toContain('no word from the server for 6 s: this is what was last known');
    const paint = painter(true);
    const lines = proofLines(running, { now: 6_100, width: 80 }).map(paint);
    expect(lines.find((line) => line.includes('running'))).not.toContain('\x1b[32m');
  });

  it('is not live again by an event that was received before a sleep (S2)', () => {
    const fresh = { now: running.claim.now, targets: {} };
    const woken = applyEvent(running, { event: 'fresh', id: null, data: fresh }, 60_000);
    expect(drawn(woken, { now: 60_001 })).toContain('no word from the server for 1 min');
  });

  it('is live again with the next event', () => {
    const fresh = { now: '2026-11-14T14:02:18.000Z', targets: {} };
    const again = applyEvent(running, { event: 'fresh', id: null, data: fresh }, 7_000);
    expect(drawn(again, { now: 7_100 })).not.toContain('no word');
  });

  it('does not show a serving revision as fresh for ever', () => {
    const building = sampleView('building');
    expect(drawn(building, { now: 1_000 })).toContain('still serving r41 (seen 2 s ago)');
    expect(drawn(building, { now: 20_000 })).toContain('r41 was serving when last known (seen 21 s ago)');
  });
});

describe('plain lines', () => {
  it('are one for each change, and none for time that passes', () => {
    const lines = new PlainLines();
    const view = sampleView('building');
    expect(lines.next(view, 100)).toBe(
      '14:02:11  web@local r42.1  building. A builder is at work, at step 2 of 4. [still serving r41]',
    );
    expect(lines.next(view, 3_000)).toBeNull();
    expect(lines.next(sampleView('artifact_ready'), 3_000)).toContain('artifact ready');
  });

  it('say a failure once, and leave its cause to the verdict where that follows at once', () => {
    const failed = sampleView('failed');
    const seen = new PlainLines();
    expect(seen.next({ ...failed, settled: null }, 0)).toContain('failed: The build failed.');
    expect(seen.next(failed, 1_000)).toBeNull();
    expect(new PlainLines().next(failed, 0)).toMatch(/failed \[still serving r41\]$/);
  });

  it('report silence once, and once its end', () => {
    const lines = new PlainLines();
    const view = sampleView('building');
    lines.next(view, 0);
    expect(lines.next(view, 7_000)).toContain('no word from the server');
    expect(lines.next(view, 9_000)).toBeNull();
    const now = new Date(Date.parse(view.claim.now) + 9_000).toISOString();
    const back = applyEvent(view, { event: 'fresh', id: null, data: { now, targets: {} } }, 9_000);
    expect(lines.next(back, 9_100)).toContain('building');
  });
});

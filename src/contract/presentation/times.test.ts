import { expect, it } from 'vitest';
import { ago, ahead, longAgo } from './times.ts';

it('a long duration in the past is shown in its largest unit', () => {
  const MIN = 60_000;
  const spans = [0, 59_000, 20 * MIN + 15_000, 3 * 60 * MIN + 5_000, 40 * 24 * 60 * MIN];
  expect(spans.map(longAgo)).toEqual(['0 s ago', '59 s ago', '20 min ago', '3 h ago', '40 d ago']);
  expect(ago(20 * MIN + 15_000)).toBe('20 min 15 s ago');
});

it('a future instant is never shown as past', () => {
  expect([-5, 90_000].map(ahead)).toEqual(['in 0.00 s', 'in 1 min 30 s']);
});

import { expect, it } from 'vitest';
import type { Claim } from '../claim.ts';
import { defaultLogStream } from './default-log-stream.ts';

const claim = (reached: Claim['proof']['reached'], serving: Claim['serving'] = null) => ({
  proof: { reached, stoppedAt: null, evidence: [] },
  serving,
  path: reached.map((state) => ({ state, reached: true, current: false })),
});

it('is the build’s until there are instances, and of a service also while an earlier revision serves', () => {
  const earlier = { revision: 1, attempt: 1, asOf: '', validUntil: '' };
  for (const of of ['service', 'active revision'] as const) {
    expect(defaultLogStream(claim(['accepted', 'building']), of)).toBe('build');
    expect(defaultLogStream(claim(['accepted', 'building', 'starting']), of)).toBe('run');
  }
  expect(defaultLogStream(claim(['accepted'], earlier), 'service')).toBe('run');
  expect(defaultLogStream(claim(['accepted'], earlier), 'active revision')).toBe('build');
  expect(defaultLogStream(claim(['stopping', 'stopped']), 'service')).toBe('run');
});

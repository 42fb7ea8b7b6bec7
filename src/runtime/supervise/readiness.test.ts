import { expect, it } from 'vitest';
import { isProbeDue, type Probes } from './readiness.ts';
import { TIMING } from './timing.ts';

const READY: Probes = {
  readiness: { kind: 'ready', address: '127.0.0.1', by: 'request' },
  failures: 0,
  spokeHttp: true,
  hangUps: 0,
  answeredAt: 100_000,
  blindSince: null,
  elsewhere: null,
};

it('a report asks an instance that is stable no more often than its interval says', () => {
  const isDue = (afterMs: number, probes: Partial<Probes> = {}, upMs = 60_000, health = {}) =>
    isProbeDue({ ...READY, ...probes }, READY.answeredAt + afterMs, upMs, health, TIMING);
  expect([isDue(4_999), isDue(5_000)]).toEqual([false, true]);
  expect(isDue(59_999, {}, 60_000, { intervalMs: 60_000 }), 'its own interval').toBe(false);
  expect(isDue(0, {}, 1_000), 'in its first moments').toBe(true);
  for (const probes of [
    { readiness: { kind: 'not_listening', listens: [] } },
    { readiness: { kind: 'ready', address: '', by: 'staying_alive' } },
    { failures: 1 },
    { blindSince: 1 },
  ] as const)
    expect(isDue(0, probes), JSON.stringify(probes)).toBe(true);
});

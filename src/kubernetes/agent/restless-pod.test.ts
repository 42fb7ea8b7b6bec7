import { expect, it } from 'vitest';
import { keepPod } from '../cache/pod.ts';
import { isRestless } from './restless-pod.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();

/** Its last run began and ended so many seconds ago, and the one of now began so many seconds ago. */
const restless = (restartCount: number, [began, ended]: [number, number], up: number) => {
  const lastState = { terminated: { startedAt: ago(began), finishedAt: ago(ended), exitCode: 1 } };
  const app = {
    name: 'app',
    ready: true,
    restartCount,
    lastState,
    state: { running: { startedAt: ago(up) } },
  };
  const pod = keepPod({
    metadata: { uid: 'p1', name: 'p1', namespace: 'shop', resourceVersion: '1' },
    spec: { nodeName: 'n', containers: [{ name: 'app', image: 'x' }] },
    status: { phase: 'Running', containerStatuses: [app] },
  });
  return pod !== null && isRestless(pod, NOW);
};

it('is between two ends of a crash loop: not after one end, nor once it has held', () => {
  expect(restless(9, [330, 320], 20)).toBe(true);
  expect(restless(2, [330, 320], 20), 'it ended twice').toBe(true);
  expect(restless(1, [330, 320], 20), 'it ended once').toBe(false);
  expect(restless(9, [330, 320], 90), 'it has held for a minute').toBe(false);
  expect(restless(9, [300, 120], 100), 'its runs are as long').toBe(true);
  expect(restless(9, [900, 700], 690), 'the last end is long ago').toBe(false);
});

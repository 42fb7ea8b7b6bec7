import { expect, it } from 'vitest';
import { TAKES_IN_MS, TakenIn } from './taken-in.ts';

const seen = (replicas: number, desired: number, observed: number | null) => ({
  workload: { uid: 'u1', isDeleting: false, generation: { desired, observed } },
  entry: { service: 'web.shop@lab', template: 'f00d', replicas },
});

it('reports a change once the controller has taken it in, and the one before until then', () => {
  const takenIn = new TakenIn();
  const at = (now: number, one: ReturnType<typeof seen>) => {
    const { entries, until } = takenIn.entries('shop', [one], now);
    return [entries[0]?.replicas, until];
  };
  expect(at(0, seen(2, 1, 1))).toEqual([2, Number.POSITIVE_INFINITY]);
  expect(at(100, seen(5, 2, 1))).toEqual([2, 100 + TAKES_IN_MS]);
  expect(at(200, seen(6, 3, 1))).toEqual([2, 100 + TAKES_IN_MS]);
  expect(at(300, seen(6, 3, 3))).toEqual([6, Number.POSITIVE_INFINITY]);
});

it('reports a change that its controller does not take in as what it is, in the end', () => {
  const takenIn = new TakenIn();
  takenIn.entries('shop', [seen(2, 1, 1)], 0);
  takenIn.entries('shop', [seen(3, 2, 1)], 100);
  expect(takenIn.entries('shop', [seen(3, 2, 1)], 100 + TAKES_IN_MS)).toMatchObject({
    entries: [{ replicas: 3 }],
    until: Number.POSITIVE_INFINITY,
  });
});

it('reports a workload that was never taken in as it is, and forgets one that is gone', () => {
  const takenIn = new TakenIn();
  expect(takenIn.entries('shop', [seen(3, 1, null)], 0).entries).toMatchObject([{ replicas: 3 }]);
  takenIn.entries('shop', [seen(2, 1, 1)], 10);
  takenIn.entries('shop', [], 20);
  expect(takenIn.entries('shop', [seen(4, 2, 1)], 30).entries).toMatchObject([{ replicas: 4 }]);
});

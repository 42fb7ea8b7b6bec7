import { expect, it } from 'vitest';
import { ClusterOutages } from './cluster-outages.ts';

it('says once that the cluster does not answer, with the error, and once that it does again', () => {
  const lines: string[] = [];
  const log = new ClusterOutages((line) => lines.push(line));
  const gone = { kind: 'unreachable', message: 'connect ECONNREFUSED' } as const;
  log.hear([null, gone], 0);
  log.hear([null, null], 1_000);
  expect(lines, 'one try that failed').toEqual([]);
  for (const now of [2_000, 3_000, 5_000, 20_000]) log.hear([gone, gone], now);
  log.hear([null, { kind: 'forbidden', message: 'may not' }], 30_000);
  expect(lines).toEqual([
    'The cluster does not answer, and what runs there is less and less known: connect ECONNREFUSED',
    'The cluster answers again, after 28 s.',
  ]);
});

import { expect, it } from 'vitest';
import { type UnreadKind, unreadKinds } from './unread-kinds.ts';

const denied = (resource: string, group = ''): UnreadKind => ({
  resource: { group, resource },
  problem: { kind: 'forbidden', message: `${resource} is forbidden: a long story` },
});
const silent: UnreadKind = {
  resource: { group: 'metrics.k8s.io', resource: 'pods' },
  problem: { kind: 'unavailable', status: 503, message: 'not now', retryAfterMs: null },
};
const lines = (...unread: UnreadKind[]) => unreadKinds(unread).map(({ where, why }) => `${where} ${why}`);

it('one kind that may not be listed is told with what the cluster says', () => {
  expect(lines(denied('jobs', 'batch'))).toEqual([
    'jobs.batch cannot be read: jobs is forbidden: a long story',
  ]);
});

it('many are one line, and other problems keep theirs', () => {
  expect(lines(denied('jobs', 'batch'), silent, denied('nodes'))).toEqual([
    '2 kinds may not be listed: jobs.batch, nodes.',
    'pods.metrics.k8s.io cannot be read: not now',
  ]);
});

it('a hundred are counted', () => {
  const [line = '', ...others] = lines(...Array.from({ length: 100 }, (_, at) => denied(`kind${at}`)));
  expect(others).toEqual([]);
  expect(line).toContain('and 70 more');
});

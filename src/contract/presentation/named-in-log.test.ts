import { expect, it } from 'vitest';
import { worstFirst } from './instance-order.ts';
import { markedParts, namedInLog } from './named-in-log.ts';

it('a changed variable that the log names is found as a whole word', () => {
  const changes = [
    { field: 'env.DATABASE_URL' },
    { field: 'env.URL' },
    { field: 'env.A' },
    { field: 'port' },
  ];
  const named = namedInLog(changes, ['Error: DATABASE_URL is required', 'A port']);
  expect([...named]).toEqual(['DATABASE_URL']);
  expect(markedParts('Error: DATABASE_URL is required', named)).toContainEqual({
    text: 'DATABASE_URL',
    isName: true,
  });
  expect(markedParts('  at x', new Set())).toEqual([{ text: '  at x', isName: false }]);
});

it('instances are in the order of need', () => {
  const one = (
    name: string,
    phase: 'running' | 'exited' | 'unknown' | 'starting',
    ready = false,
    restarts = 0,
  ) => ({
    ...{ name, phase, ready, restarts, reason: null },
  });
  const all = [
    one('ready-b', 'running', true),
    one('ready-a', 'running', true),
    one('starting', 'starting'),
    one('silent', 'unknown'),
    one('ended', 'exited'),
    one('ended-often', 'exited', false, 4),
    one('unready', 'running'),
  ];
  expect(worstFirst(all).map(({ name }) => name)).toEqual([
    'ended-often',
    'ended',
    'silent',
    'unready',
    'starting',
    'ready-a',
    'ready-b',
  ]);
});

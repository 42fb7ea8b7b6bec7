import { expect, it } from 'vitest';
import { worstFirst } from './instance-order.ts';
import { markedParts, missingInLog, namedInLog } from './named-in-log.ts';

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

it('a variable that a line calls missing is found where the revision has none', () => {
  const line = 'Error: DATABASE_URL is required';
  expect(missingInLog(line, {})).toEqual(['DATABASE_URL']);
  expect(missingInLog(line, { DATABASE_URL: 'x' })).toEqual([]);
  expect(missingInLog('Error: cannot reach DATABASE_URL', {})).toEqual([]);
  expect(missingInLog('[ERR_MODULE_NOT_FOUND]: module not found', {})).toEqual([]);
  expect(missingInLog(null, {})).toEqual([]);
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

import { expect, it } from 'vitest';
import { seesWorker } from './binding.ts';

const ALL = { target: '*', service: '*' };

it.each([
  ['bound to nothing', ALL, { target: 'edge', service: 'api@edge' }, true],
  ['a worker of everybody', { target: 'lab', service: '*' }, ALL, true],
  ['a worker of the same target', { target: 'lab', service: '*' }, { target: 'lab', service: '*' }, true],
  ['a worker of another target', { target: 'lab', service: '*' }, { target: 'edge', service: '*' }, false],
  [
    'a worker of another service',
    { target: '*', service: 'web@*' },
    { target: '*', service: 'api@*' },
    false,
  ],
  [
    'a service and a worker of its target',
    { target: '*', service: 'web@lab' },
    { target: 'l*', service: '*' },
    true,
  ],
  [
    'a service and a worker of another target',
    { target: '*', service: 'web@lab' },
    { target: 'edge', service: '*' },
    false,
  ],
  [
    'patterns that have names in common',
    { target: '*', service: 'web*' },
    { target: '*', service: '*-eu@lab' },
    true,
  ],
  ['a worker whose binding cannot be read', { target: 'lab', service: '*' }, {}, false],
] as const)('an operator sees its own workers: %s', (_name, caller, worker, isSeen) => {
  expect(seesWorker(caller, worker)).toBe(isSeen);
});

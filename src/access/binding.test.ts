import { expect, it } from 'vitest';
import { isBoundTo, seesWorker } from './binding.ts';

const ALL = { target: '*', service: '*' };
const on = (target: string) => ({ target, service: '*' });
const of = (service: string) => ({ target: '*', service });
const SERVICES = ['good@local', 'web@local', 'web@edge'];

const CALLERS = {
  'bound to nothing': ALL,
  'of target local': on('local'),
  'of target edge': on('edge'),
  'of a target without services': on('nowhere'),
  'of good, which is at local': of('good@*'),
  'of web, which is at both': of('web@*'),
  'of web at edge': of('web@edge'),
  'of a service that nobody deployed': of('other@*'),
} as const;

/** The workers that each of the callers above sees. */
const WORKERS = [
  ['a builder for everybody', ALL, [1, 1, 1, 0, 1, 1, 1, 0]],
  ['the agent of local', on('local'), [1, 1, 0, 0, 1, 1, 0, 0]],
  ['the agent of edge', on('edge'), [1, 0, 1, 0, 0, 1, 1, 0]],
  ['the agent of a target without services', on('nowhere'), [1, 0, 0, 1, 0, 0, 0, 0]],
  ['a builder of good', of('good@*'), [1, 1, 0, 0, 1, 0, 0, 0]],
  ['a builder of web', of('web@*'), [1, 1, 1, 0, 0, 1, 1, 0]],
  ['a builder of a service that nobody deployed', of('other@*'), [1, 0, 0, 0, 0, 0, 0, 1]],
  ['a worker whose binding cannot be read', {}, [1, 0, 0, 0, 0, 0, 0, 0]],
] as const;

it.each(WORKERS)('an operator sees its own workers, and no others: %s', (_name, worker, isSeen) => {
  const seen = Object.entries(CALLERS).map(([name, caller]) => {
    const services = SERVICES.filter((ref) => isBoundTo(caller, ref));
    return [name, seesWorker(caller, worker, services)];
  });
  expect(seen).toEqual(Object.keys(CALLERS).map((name, at) => [name, isSeen[at] === 1]));
});

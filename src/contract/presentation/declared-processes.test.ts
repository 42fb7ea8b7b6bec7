import { expect, it } from 'vitest';
import type { InstanceView } from '../answers/views.ts';
import { processesBesideSpec } from './declared-processes.ts';

const one = (revision: number | null, ready: boolean, phase: InstanceView['phase'] = 'running') =>
  ({ revision, ready, phase }) as InstanceView;
const desired = { revision: 2, attempt: 1, artifact: null, replicas: 3 };
const since = { asOf: '2026-11-17T13:25:40.000Z', validUntil: '2026-11-17T13:26:40.000Z' };
const serving = { revision: 1, attempt: 1, ...since };

const NONE: ReadonlySet<number> = new Set();

it('puts what is declared of processes beside what was seen of them', () => {
  const seen = [
    one(1, true),
    one(2, true),
    one(1, true),
    one(2, false),
    one(2, false, 'exited'),
    one(null, true),
  ];
  expect(processesBesideSpec({ desired, serving, lastServing: null }, seen, { port: 'auto' }, NONE)).toEqual([
    {
      what: 'Revision',
      declared: 'r2',
      observed: '2 copies of r2, 2 of r1, 1 of no revision',
      agrees: false,
    },
    { what: 'Copies', declared: '3', observed: '1 ready of r2', agrees: false },
    { what: 'Route', declared: 'any port', observed: 'answers for r1', agrees: false },
  ]);
});

it('tells what is proven to answer nowhere from what is not known, and has no route without a port', () => {
  const route = (facts: object, port: number | null) =>
    processesBesideSpec({ desired, serving: null, lastServing: null, ...facts }, [], { port }, NONE).slice(1);
  expect(route({ nothingServes: since }, 8080)).toEqual([
    { what: 'Copies', declared: '3', observed: '0 ready of r2', agrees: false },
    { what: 'Route', declared: 'port 8080', observed: 'answers for none', agrees: false },
  ]);
  expect(route({}, 8080).at(-1)).toMatchObject({ observed: 'not known', agrees: null });
  const lastServing = { revision: 1, attempt: 1, asOf: since.asOf, ageMs: 1_000 };
  expect(route({ lastServing }, 8080).at(-1)?.observed).toBe('answered for r1');
  expect(route({}, null)).toHaveLength(1);
  const none = (replicas: number) =>
    processesBesideSpec(
      { desired: { ...desired, replicas }, serving: null, lastServing: null },
      [],
      { port: null },
      NONE,
    ).map(({ agrees }) => agrees);
  expect(none(3)).toEqual([false, false]);
  expect(none(0)).toEqual([true, true]);
});

it('counts the copies that a scaling kept for the revision that it made', () => {
  const [revision, copies] = processesBesideSpec(
    { desired, serving: null, lastServing: null },
    [one(1, true), one(2, true), one(2, true)],
    { port: 'auto' },
    new Set([1]),
  );
  expect(revision).toMatchObject({ observed: '3 copies of r2', agrees: true });
  expect(copies).toMatchObject({ observed: '3 ready of r2', agrees: true });
});

import { expect, it } from 'vitest';
import { isExit, observedOf, recordAbout, recordName } from './record-name.ts';

const observed = (body: unknown) => ({ kind: 'runtime.observed', body, revision: null, attempt: null });
const instance = (uid: string, exitCode?: number) => ({
  ...{ uid, revision: 42, attempt: 1 },
  details: exitCode === undefined ? null : { exitCode },
});

it('a report that found exits is named by them', () => {
  const one = observed({ exits: [{ uid: 'u1', count: 1 }], instances: [instance('u1', 1)] });
  expect(recordName(one)).toBe('exit counted, code 1');
  expect(isExit(one)).toBe(true);
  expect(recordName(observed({ exits: [{ uid: 'u1', count: 2 }], instances: [instance('u1')] }))).toBe(
    '2 exits counted',
  );
  const two = [
    { uid: 'u1', count: 1 },
    { uid: 'u2', count: 1 },
  ];
  expect(recordName(observed({ exits: two, instances: [instance('u1', 1), instance('u2', 2)] }))).toBe(
    '2 exits counted',
  );
});

it('every other record is named by its kind, whatever its body is', () => {
  expect(recordName(observed({ instances: [instance('u1', 1)] }))).toBe('runtime.observed');
  for (const body of [null, 'x', { exits: 1 }, { exits: ['x'] }, { exits: [{ uid: 'u1', count: 'x' }] }])
    expect(recordName(observed(body))).toBe('runtime.observed');
  expect(isExit(observed(null))).toBe(false);
});

it('a report is about the attempts that it shows', () => {
  expect(recordAbout(observed({ instances: [instance('u1'), instance('u2')] }))).toBe('r42.1');
  expect(recordAbout(observed({ instances: [] }))).toBeNull();
  expect(recordAbout({ ...observed(null), revision: 7, attempt: 2 })).toBe('r7.2');
});

it('a report without an instant of its sender is of the instant that the server counts it from', () => {
  const observedAt = '2026-11-17T13:00:00.000Z';
  expect(observedOf({ ...observed({}), observedAt })).toEqual({ at: observedAt, clock: 'sender’s clock' });
  const body = { changedAsOf: Date.parse(observedAt) };
  expect(observedOf({ ...observed(body), observedAt: null })).toEqual({
    ...{ at: observedAt, clock: 'server clock' },
  });
  expect(observedOf({ kind: 'lease.lapsed', body: {}, observedAt: null }).at).toBe(null);
});

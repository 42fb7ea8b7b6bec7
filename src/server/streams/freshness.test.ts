import { expect, it } from 'vitest';
import { targetsAsOf } from './freshness.ts';

const scope = (asOf: number, unavailable: 'forbidden' | null = null, target = 'prod') => ({
  target,
  asOf,
  unavailable,
});
const at = (...scopes: readonly ReturnType<typeof scope>[]) =>
  targetsAsOf(scopes, 100_000, 15_000).get('prod');

it('a target is as fresh as the stalest of its scopes', () => {
  expect(at(scope(99_000), scope(95_000), scope(1, null, 'other'))).toBe(95_000);
});

it('one scope that may not be read, stands still or was given up ages no other', () => {
  expect(at(scope(99_000), scope(0, 'forbidden'))).toBe(99_000);
  expect(at(scope(99_000), scope(96_000, 'forbidden'), scope(85_000))).toBe(99_000);
});

it('a target of which no scope counts is as old as the stalest', () => {
  expect(at(scope(80_000), scope(70_000))).toBe(70_000);
});

import { describe, expect, it } from 'vitest';
import { countOf, imageOf, instantOf, namespaceOf, positiveOf } from './option-values.ts';

const NOW = new Date(2026, 10, 18, 14, 30).getTime();

describe('an instant on the command line', () => {
  it.each([
    ['-10m', NOW - 600_000],
    ['-2h', NOW - 7_200_000],
    ['14:03', new Date(2026, 10, 18, 14, 3).getTime()],
    ['14:03:20', new Date(2026, 10, 18, 14, 3, 20).getTime()],
    ['23:15', new Date(2026, 10, 17, 23, 15).getTime()],
    ['2026-11-14T14:03Z', Date.UTC(2026, 10, 14, 14, 3)],
  ])('%s', (text, at) => {
    expect(instantOf(text, NOW)).toBe(at);
  });

  it.each(['yesterday', '25:00', '14:61', '-10', '-x'])('is not %s', (text) => {
    expect(() => instantOf(text, NOW)).toThrow(/Write/);
  });
});

describe('a number on the command line', () => {
  it('says what it must be', () => {
    expect(() => countOf('two')).toThrow('Must be a whole number, 0 or more.');
    expect(() => positiveOf('0')).toThrow('Must be a whole number, 1 or more.');
  });
});

describe('names of Kubernetes on the command line', () => {
  it('are those that a cluster takes', () => {
    expect([namespaceOf('kube-system'), imageOf('registry.example:5000/a/b:1')]).toEqual([
      'kube-system',
      'registry.example:5000/a/b:1',
    ]);
    for (const name of ['', 'B@D', '-a', 'a'.repeat(64)]) expect(() => namespaceOf(name)).toThrow();
    for (const image of ['', 'bad image', 'http://x/y', '-x']) expect(() => imageOf(image)).toThrow();
  });
});

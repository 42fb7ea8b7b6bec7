import { describe, expect, it } from 'vitest';
import { matchesSelector, parseSelector } from './label-selector.ts';

const LABELS = { app: 'web', tier: 'front', 'app.kubernetes.io/name': 'web' };

describe('a label selector', () => {
  it.each([
    ['app=web', true],
    ['app==web,tier=front', true],
    ['app=web,tier=back', false],
    ['app!=db', true],
    ['missing!=x', true],
    ['missing=x', false],
    ['app', true],
    ['!app', false],
    ['!canary', true],
    ['tier in (front, back),app', true],
    ['tier notin (front,back)', false],
    ['app.kubernetes.io/name=web', true],
  ])('%s', (selector, isMatched) => {
    expect(matchesSelector(LABELS, selector)).toBe(isMatched);
  });

  it('without one, everything matches', () => {
    expect(matchesSelector({}, null)).toBe(true);
  });

  it.each(['', 'a=b,', 'a=b=c', 'a in b', 'a in (b', '=x', 'a b', '__proto__=('])(
    '%j is none',
    (selector) => {
      expect(parseSelector(selector)).toBeNull();
      expect(matchesSelector(LABELS, selector)).toBe(false);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { similarName } from './similar-name.ts';

describe('the name that was meant', () => {
  it.each([
    ['epxress', ['express', 'web'], 'express'],
    ['wbe', ['web', 'api'], 'web'],
    ['expres', ['express'], 'express'],
    ['api-2', ['api-1', 'api-3'], null],
    ['web', ['wxb', 'shop'], 'wxb'],
    ['ab', ['cd'], null],
    ['shop', ['a-long-name'], null],
  ])('%s among %j is %s', (wanted, names, meant) => {
    expect(similarName(wanted, names)).toBe(meant);
  });
});

import { expect, it } from 'vitest';
import { serviceIn } from './variable-words.ts';

it.each([
  ['web', 'web', ''],
  ['set A=1 B=2 web', 'web', 'set A=1 B=2'],
  ['set web A=1 B=2', 'web', 'set A=1 B=2'],
  ['set KEY web', 'web', 'set KEY'],
  ['unset A web', 'web', 'unset A'],
  ['import .env web', 'web', 'import .env'],
  // Nothing of it is a service: the last is refused as one.
  ['set A=1 B=2', 'B=2', 'set A=1'],
])('%s is about %s', (words, ref, rest) => {
  expect(serviceIn(words.split(' '))).toEqual({ ref, rest: rest.split(' ').filter(Boolean) });
});

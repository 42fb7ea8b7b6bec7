import { expect, it } from 'vitest';
import { newTokenId } from './tokens.ts';

it('an id of a token is never taken for an option, where it is named on a command line', () => {
  const ids = Array.from({ length: 5_000 }, newTokenId);
  expect(ids.filter((id) => id.startsWith('-'))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

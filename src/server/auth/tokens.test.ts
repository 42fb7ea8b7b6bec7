import { expect, it } from 'vitest';
import { newTokenId } from './tokens.ts';

it('the id of a token never looks like an option on a command line', () => {
  const ids = Array.from({ length: 5_000 }, newTokenId);
  expect(ids.filter((id) => id.startsWith('-'))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

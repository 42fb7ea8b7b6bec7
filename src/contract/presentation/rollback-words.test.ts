import { expect, it } from 'vitest';
import { copiesAfter, rollbackNote } from './rollback-words.ts';

const outlook = { from: 2, goal: 1, copies: 1, goalCopies: 2, serving: 1, servingCopies: 2 };

it('says that another number of copies serves after a rollback than before', () => {
  expect(copiesAfter(outlook)).toBe('1 copy serves, not the 2 that serve now');
  expect(copiesAfter({ ...outlook, copies: 3, servingCopies: 1 })).toBe(
    '3 copies serve, not the 1 that serves now',
  );
  expect(copiesAfter({ ...outlook, servingCopies: 1 }), 'as many as now').toBeNull();
  expect(rollbackNote(outlook)).toBe(
    'Gives up r2: a new revision with the code and configuration of r1 takes its place. 1 copy serves, not the 2 that serve now. r1 serves until then.',
  );
});

it('says where nothing is proven to serve that the goal had another number of copies', () => {
  const down = { ...outlook, serving: null, servingCopies: null };
  expect(copiesAfter(down)).toBe('1 copy serves, not 2 as r1 had');
  expect(copiesAfter({ ...down, goalCopies: 1 })).toBeNull();
  expect(rollbackNote(down)).toBe(
    'Restores the artifact and the configuration of r1. Nothing is built. 1 copy serves, not 2 as r1 had.',
  );
});

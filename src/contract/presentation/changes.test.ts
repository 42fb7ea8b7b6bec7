import { expect, it } from 'vitest';
import { changedByRollback, changesText } from './changes.ts';

it('knows that there was one copy before a number was named', () => {
  expect(changesText([{ field: 'replicas', kind: 'added', from: null, to: 3 }])).toBe('copies 1 → 3');
});

it('says of every change whether it is about a secret', () => {
  const secret = { secret: true } as const;
  expect(
    changesText([
      { field: 'env.A', kind: 'added', from: null, to: '1' },
      { field: 'env.A', kind: 'removed', from: '1', to: null },
      { field: 'env.KEY', kind: 'added', from: null, to: secret },
      { field: 'env.KEY', kind: 'changed', from: secret, to: secret },
      { field: 'env.KEY', kind: 'removed', from: secret, to: null },
    ]),
  ).toBe('adds A=1, removes A, adds the secret KEY, changes the secret KEY, removes the secret KEY');
});

it('keeps the number of copies out of what a rollback changes', () => {
  const replicas = { field: 'replicas', kind: 'changed', from: 2, to: 1 } as const;
  const variable = { field: 'env.A', kind: 'added', from: null, to: '1' } as const;
  expect(changedByRollback([replicas, variable])).toEqual([variable]);
});

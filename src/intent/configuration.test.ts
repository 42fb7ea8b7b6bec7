import { describe, expect, it } from 'vitest';
import { changedSpec, changesBetween } from './configuration.ts';

const BASE = {
  spec: {
    replicas: 3,
    env: { A: 'a', DB_URL: { secret: 's3cret' } },
    health: { path: '/healthz', timeoutMs: 500 },
    build: [['npm', 'ci']],
    concurrency: 'queue',
  },
  declared: ['env.A', 'health.path'],
} as const;
const base = { ...BASE, spec: { ...BASE.spec, build: [['npm', 'ci']] } };

describe('the configuration of a service after a change', () => {
  it('keeps the fields that the change does not name, one by one', () => {
    expect(changedSpec(base, { spec: { env: { B: 'b' }, health: { path: '/up' } } })).toEqual({
      replicas: 3,
      env: { A: 'a', DB_URL: { secret: 's3cret' }, B: 'b' },
      health: { path: '/up', timeoutMs: 500 },
      build: [['npm', 'ci']],
    });
  });

  it('replaces a list whole, and takes null as a value', () => {
    expect(changedSpec(base, { spec: { build: [['make']], port: null } })).toMatchObject({
      build: [['make']],
      port: null,
    });
  });

  it('removes one field, or all within it', () => {
    const { env, ...rest } = changedSpec(base, { unset: ['env.A', 'health'] });
    expect(env).toEqual({ DB_URL: { secret: 's3cret' } });
    expect(rest).toEqual({ replicas: 3, build: [['npm', 'ci']] });
    expect(changedSpec(base, { unset: ['env'] }).env).toBeUndefined();
    expect(changedSpec(base, { unset: ['env.NONE'] }).env).toEqual(base.spec.env);
  });

  it('removes what the last file declared and this one does not, and nothing that was set by hand', () => {
    const after = changedSpec(base, { spec: { health: { path: '/up' } }, declared: ['health.path'] });
    expect(after.env).toEqual({ DB_URL: { secret: 's3cret' } });
    expect(after.health).toEqual({ path: '/up', timeoutMs: 500 });
  });

  it('keeps what a flag names though the file does not declare it any more', () => {
    expect(changedSpec(base, { spec: { env: { A: 'flag' } }, declared: [] }).env).toMatchObject({
      A: 'flag',
    });
  });

  it('removes nothing where there is no file', () => {
    expect(changedSpec(base, {}).env).toEqual(base.spec.env);
  });

  it('does not keep how a request meets another', () => {
    expect(changedSpec(base, {}).concurrency).toBeUndefined();
    expect(changedSpec(base, { spec: { concurrency: 'refuse' } }).concurrency).toBe('refuse');
  });

  it('begins with nothing', () => {
    expect(changedSpec(null, { spec: { replicas: 2 }, unset: ['env.A'], declared: [] })).toEqual({
      replicas: 2,
    });
  });
});

describe('the changes between two configurations', () => {
  it('are named by field, in order', () => {
    expect(
      changesBetween(
        { replicas: 3, env: { OLD: '1', SAME: 'x' }, build: [['npm', 'ci']] },
        { replicas: 1, env: { NEW: '2', SAME: 'x' }, build: [['npm', 'ci']] },
      ),
    ).toEqual([
      { field: 'env.NEW', kind: 'added', to: '2' },
      { field: 'env.OLD', kind: 'removed', from: '1' },
      { field: 'replicas', kind: 'changed', from: 3, to: 1 },
    ]);
  });

  it('never show a secret: only whether it is the same', () => {
    const before = { env: { KEPT: { secret: 'k' }, TOKEN: { secret: 'a' }, PLAIN: 'p' } };
    const after = { env: { KEPT: { secret: 'k' }, TOKEN: { secret: 'b' }, PLAIN: { secret: 'p' } } };
    expect(changesBetween(before, after)).toEqual([
      { field: 'env.PLAIN', kind: 'changed', from: 'p', to: { secret: true } },
      { field: 'env.TOKEN', kind: 'changed', from: { secret: true }, to: { secret: true } },
    ]);
  });
});

it('compares the number of copies with the one in force, and not with an unset field', () => {
  expect(changesBetween({}, { replicas: 2 })).toEqual([
    { field: 'replicas', kind: 'changed', from: 1, to: 2 },
  ]);
  expect(changesBetween({}, { replicas: 1 })).toEqual([]);
  expect(changesBetween({ replicas: 3 }, {})).toEqual([
    { field: 'replicas', kind: 'changed', from: 3, to: 1 },
  ]);
  expect(changesBetween(null, { replicas: 2 })).toEqual([{ field: 'replicas', kind: 'added', to: 2 }]);
});

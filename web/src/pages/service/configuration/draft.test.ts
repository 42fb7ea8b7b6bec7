import { expect, it } from 'vitest';
import { type ConfigurationDraft, changeOf, draftOf } from './draft.ts';

const SPEC = { replicas: 2, env: { LOG_LEVEL: 'info', DB_URL: { secret: true as const } } };
const draft = draftOf(SPEC);
const edited = (
  name: string,
  more: Partial<ConfigurationDraft['variables'][number]>,
): ConfigurationDraft => ({
  ...draft,
  variables: draft.variables.map((one) => (one.name === name ? { ...one, ...more } : one)),
});

it('a draft that nobody edited changes nothing', () => {
  expect(changeOf(SPEC, draft)).toBeNull();
});

it('names only what differs', () => {
  expect(changeOf(SPEC, { ...draft, replicas: '3' })).toEqual({ spec: { replicas: 3 } });
  expect(changeOf(SPEC, edited('LOG_LEVEL', { value: 'debug' }))).toEqual({
    spec: { env: { LOG_LEVEL: 'debug' } },
  });
});

it('keeps a secret that nobody typed anew, and sends one that somebody did as a secret', () => {
  expect(changeOf(SPEC, edited('DB_URL', { value: 'postgres://' }))).toEqual({
    spec: { env: { DB_URL: { secret: 'postgres://' } } },
  });
});

it('removes what is gone, and renames by removing and setting', () => {
  const without = { ...draft, variables: draft.variables.filter(({ name }) => name !== 'DB_URL') };
  expect(changeOf(SPEC, without)).toEqual({ spec: {}, unset: ['env.DB_URL'] });
  expect(changeOf(SPEC, edited('LOG_LEVEL', { name: 'LEVEL' }))).toEqual({
    spec: { env: { LEVEL: 'info' } },
    unset: ['env.LOG_LEVEL'],
  });
});

it('has a row for each variable that somebody came to set, which changes nothing before it has a value', () => {
  const toSet = draftOf(SPEC, ['DATABASE_URL', 'LOG_LEVEL']);
  expect(toSet.variables.map(({ name }) => name)).toEqual(['DB_URL', 'LOG_LEVEL', 'DATABASE_URL']);
  expect(changeOf(SPEC, toSet)).toBeNull();
  const [last] = toSet.variables.slice(-1);
  if (last === undefined) throw new Error('there is no row for it');
  const set = [...toSet.variables.slice(0, -1), { ...last, value: 'postgres://' }];
  expect(changeOf(SPEC, { ...toSet, variables: set })).toEqual({
    spec: { env: { DATABASE_URL: { secret: 'postgres://' } } },
  });
});

it('leaves out a row without a name', () => {
  const empty = { key: 9, name: '', value: '', isSecret: false, was: null };
  expect(changeOf(SPEC, { ...draft, variables: [...draft.variables, empty] })).toBeNull();
});

import { expect, it } from 'vitest';
import { authorAndActor, authorByActor, authorOf } from './author.ts';

const git = { sha: '3f9c2e1', author: 'Ana Ruiz' };
const deploy = { kind: 'deploy', actor: 'ci', git } as const;

it('the person behind a deploy is who wrote its commit, and of everything else who asked for it', () => {
  expect(authorOf(deploy)).toBe('Ana Ruiz');
  expect(authorOf({ ...deploy, git: { sha: '3f9c2e1' } })).toBe('ci');
  expect(authorOf({ ...deploy, git: null })).toBe('ci');
  // A rollback keeps the commit of the revision that it goes back to.
  expect(authorOf({ ...deploy, kind: 'rollback', actor: 'lee' })).toBe('lee');
  expect(authorOf({ ...deploy, managedBy: 'Argo CD' })).toBe('Argo CD');
});

it('names both where they are two', () => {
  expect(authorAndActor(deploy)).toBe('commit by Ana Ruiz, deployed by ci');
  expect(authorByActor(deploy)).toBe('Ana Ruiz, deployed by ci');
  expect(authorByActor({ ...deploy, actor: 'Ana Ruiz' })).toBe('Ana Ruiz');
  expect(authorByActor({ ...deploy, actor: 'ana' })).toBe('Ana Ruiz');
  expect(authorAndActor({ ...deploy, actor: 'ana' })).toBe('commit by Ana Ruiz, deployed by ana');
  expect(authorAndActor({ ...deploy, kind: 'scale', actor: 'lee' })).toBe('scaled by lee');
});

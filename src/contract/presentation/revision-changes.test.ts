import { describe, expect, it } from 'vitest';
import type { RevisionView } from '../answers/views.ts';
import { listedChanges, shortChange } from './revision-changes.ts';

const revision = (n: number, more: Partial<RevisionView>): RevisionView => ({
  ...{ revision: n, kind: 'deploy', actor: 'ana', git: null, artifact: null, replicas: 2, provenance: null },
  ...{ createdAt: '2026-11-17T13:27:41Z', attempts: [], recoveries: [] },
  ...more,
});
const commit = (sha: string) => ({ sha, message: 'Take tax', branch: 'main', dirty: false });
const NOTHING: ReadonlySet<string> = new Set();
const namesOf = (one: RevisionView, all: RevisionView[], named = NOTHING) =>
  listedChanges(one, all, named)?.changes.map(({ field }) => field);

describe('what a listed revision changes', () => {
  const first = revision(1, { git: commit('a01be77c'), artifact: `sha256:${'a'.repeat(64)}`, changed: null });
  const fields = ['env.A_TABLE', 'env.DATABASE_URL'].map((field) => ({ field, kind: 'removed' as const }));
  const second = revision(2, {
    ...{ git: commit('3f9c2e1a'), artifact: `sha256:${'b'.repeat(64)}` },
    changed: { against: 1, fields, more: 3 },
  });

  it('has what its log names first, then its fields, and its commit without the artifact of it', () => {
    expect(namesOf(second, [second, first], new Set(['DATABASE_URL']))).toEqual([
      'env.DATABASE_URL',
      'env.A_TABLE',
      'commit',
    ]);
    expect(listedChanges(second, [second], NOTHING)?.more).toBe(3);
    const rebuilt = revision(3, { ...second, revision: 3, changed: { against: 1, fields: [], more: 0 } });
    expect(namesOf({ ...rebuilt, git: first.git }, [first])).toEqual(['artifact']);
  });

  it('is nothing to tell of the first, of a tear-down, and of a list that says nothing', () => {
    expect(listedChanges(first, [first], NOTHING)).toBeNull();
    expect(listedChanges({ ...second, kind: 'teardown' }, [first], NOTHING)).toBeNull();
    expect(listedChanges(revision(4, {}), [first], NOTHING)).toBeNull();
  });

  it('names the images that another tool changed', () => {
    const seen = (image: string, n: number) =>
      revision(n, {
        kind: 'observed',
        provenance: {
          ...{ managedBy: 'Argo CD', fieldManager: null, release: null, commit: null },
          images: [{ container: 'app', image }],
        },
        changed: n === 1 ? null : { against: 1, fields: [], more: 0 },
      });
    expect(namesOf(seen('shop/web:2', 2), [seen('shop/web:1', 1)])).toEqual(['image']);
  });
});

describe('a change in a few words', () => {
  it('has both values where they are short and say something', () => {
    const changed = (field: string, from?: unknown, to?: unknown) =>
      shortChange({ field, kind: 'changed', from, to });
    expect(changed('replicas', 2, 3)).toBe('copies 2 → 3');
    expect(shortChange({ field: 'replicas', kind: 'added', to: 3 })).toBe('copies 1 → 3');
    expect(changed('env.LOG_LEVEL', 'info', 'debug')).toBe('LOG_LEVEL info → debug');
    expect(changed('env.KEY', { secret: true }, { secret: true })).toBe('KEY');
    expect(changed('env.LONG')).toBe('LONG');
    expect(changed('env.LONG', 'a', 'b'.repeat(30))).toBe('LONG');
    expect(changed('commit', 'a01be77', '3f9c2e1')).toBe('commit');
    expect(shortChange({ field: 'env.NEW', kind: 'added', to: 'x' })).toBe('NEW');
  });
});

import { describe, expect, it } from 'vitest';
import { ApiFailure } from '../api/problem.ts';
import type { Deployer } from '../cache/managed-by.ts';
import { commitOfDeployer } from '../observe/commit-of-deployer.ts';
import type { ObservedWorkload } from '../observe/workload.ts';
import { DeployedCommits } from './deployed-commits.ts';

const SHA = '3f9c2e1a'.repeat(5);
const APPLICATION = { status: { sync: { status: 'Synced', revision: SHA } } };
const settled = () => new Promise((done) => setImmediate(done));

const workload = (template: string, deployer: Deployer | undefined, commit: string | null = null) =>
  ({
    ...{ uid: 'd1', namespace: 'shop', commit, images: {}, isGone: false, template: { template } },
    managedBy: { tool: 'argocd', name: 'shop', ...(deployer !== undefined && { deployer }) },
  }) as unknown as ObservedWorkload;
const APP: Deployer = { kind: 'Application', namespace: null, name: 'shop' };

function reading(answer: () => Promise<{ readonly value: unknown }>) {
  const asked: string[] = [];
  const found: string[] = [];
  const commits = new DeployedCommits(
    (path) => {
      asked.push(path);
      return answer();
    },
    (namespace) => found.push(namespace),
  );
  return { commits, asked, found };
}

describe('the commit that a tool says it applied', () => {
  it.each([
    ['synced', 'Application', APPLICATION.status, SHA],
    ['out of sync', 'Application', { sync: { status: 'OutOfSync', revision: SHA } }, null],
    ['at work', 'Application', { ...APPLICATION.status, operationState: { phase: 'Running' } }, null],
    ['of a chart', 'Application', { sync: { status: 'Synced', revision: '1.4.2' } }, null],
    ['applied', 'Kustomization', { lastAppliedRevision: `main@sha1:${SHA}` }, SHA],
    ['applied, as before', 'Kustomization', { lastAppliedRevision: `main/${SHA}` }, SHA],
    [
      'attempted',
      'Kustomization',
      { lastAppliedRevision: `main@sha1:${SHA}`, lastAttemptedRevision: `main@sha1:${'0'.repeat(40)}` },
      null,
    ],
  ] as const)('%s: %s', (_, kind, status, commit) => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    expect(commitOfDeployer(kind, { status: { conditions, ...status } })).toBe(commit);
  });
});

describe('reading it', () => {
  it('waits until the tool had time to say it, reads once per template, and then no more', async () => {
    const { commits, asked, found } = reading(() => Promise.resolve({ value: { items: [APPLICATION] } }));
    expect(commits.of(workload('h1', APP), 0)).toBeNull();
    commits.look(9_999, () => true);
    expect(asked).toEqual([]);
    commits.look(10_000, () => true);
    await settled();
    expect(commits.of(workload('h1', APP), 10_001)).toBe(SHA);
    expect(found).toEqual(['shop']);
    commits.look(900_000, () => true);
    expect(asked).toEqual([
      '/apis/argoproj.io/v1alpha1/applications?fieldSelector=metadata.name%3Dshop&limit=2',
    ]);
    expect(commits.of(workload('h2', APP), 900_000), 'another template').toBeNull();
  });

  it('believes neither of two of one name', async () => {
    const two = { value: { items: [APPLICATION, APPLICATION] } };
    const { commits } = reading(() => Promise.resolve(two));
    commits.of(workload('h1', APP), 0);
    commits.look(10_000, () => true);
    await settled();
    expect(commits.of(workload('h1', APP), 10_001)).toBeNull();
  });

  it.each(['absent', 'forbidden'] as const)('asks no more for a while where that is %s', async (kind) => {
    const { commits, asked } = reading(() => Promise.reject(new ApiFailure({ kind, message: kind })));
    commits.of(workload('h1', APP), 0);
    for (const now of [10_000, 80_000, 309_999]) {
      commits.look(now, () => true);
      await settled();
    }
    expect(asked).toHaveLength(1);
    commits.look(310_000, () => true);
    expect(asked).toHaveLength(2);
  });

  it('reads nothing for what names no such object, names its commit itself, or is gone', () => {
    const { commits, asked } = reading(() => Promise.resolve({ value: {} }));
    const release: Deployer = { kind: 'HelmRelease', namespace: 'flux', name: 'shop' };
    expect(commits.of(workload('h1', undefined), 0)).toBeNull();
    expect(commits.of(workload('h1', release), 0)).toBeNull();
    expect(commits.of(workload('h1', APP, SHA), 0)).toBe(SHA);
    commits.of(workload('h1', APP), 0);
    commits.look(10_000, () => false);
    expect(asked).toEqual([]);
  });
});

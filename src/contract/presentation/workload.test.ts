import { expect, it } from 'vitest';
import {
  besideEachOther,
  declaredThere,
  processWitness,
  shortCommit,
  type WorkloadView,
  warningSentence,
  witness,
  witnesses,
  workloadSentence,
} from './workload.ts';

const images = [{ container: 'app', image: 'shop/web:2' }];
const WORKLOAD: WorkloadView = {
  ...{ kind: 'Deployment', namespace: 'shop', name: 'web', managedBy: 'Argo CD (shop)' },
  ...{ fieldManager: 'argocd-controller', release: null, commit: '3f9c2e1a77bb00', images },
  declared: { replicas: 2, template: '5b8c', images },
  observed: {
    ...{ revision: 4, pods: 2, ready: 1, unknown: 1, otherPods: 1 },
    digests: [`sha256:${'9b1f'.repeat(16)}`],
    saidBy: ['kubelet'],
  },
};

it('says which object it is, who manages it, and what that left on it', () => {
  expect(workloadSentence(WORKLOAD)).toBe(
    'Deployment shop/web, managed by Argo CD (shop); commit 3f9c2e1; written by argocd-controller',
  );
});

it('puts what is declared beside what is observed', () => {
  expect(besideEachOther(WORKLOAD, 4)).toEqual([
    {
      what: 'Copies',
      declared: '2 copies',
      observed: '1 of 2 pods ready, 1 not known, 1 of other revisions',
      agrees: null,
    },
    { what: 'Image', declared: 'shop/web:2', observed: 'sha256:9b1f9b1f9b1f…', agrees: null },
    { what: 'Revision', declared: 'template 5b8c', observed: 'r4 in 2 pods', agrees: false },
  ]);
  const whole = { ...WORKLOAD.observed, ready: 2, unknown: 0, otherPods: 0 };
  expect(besideEachOther({ ...WORKLOAD, observed: whole }, 4).map(({ agrees }) => agrees)).toEqual([
    true,
    null,
    true,
  ]);
  expect(besideEachOther({ ...WORKLOAD, observed: { ...whole, ready: 1 } }, 4)[0]?.agrees).toBe(false);
  const none = { ...WORKLOAD, declared: { replicas: null, template: null, images: [] } };
  expect(besideEachOther(none, 4).map(({ declared }) => declared)).toEqual([
    'not said yet',
    'none named',
    'its controller has not looked yet',
  ]);
});

it('says once what several pods have in common', () => {
  const warning = { about: 'Pod/web-1', reason: 'Unhealthy', message: 'Readiness probe failed', objects: 3 };
  expect(warningSentence(warning, 0)).toBe('Pod/web-1 and 2 more: Unhealthy: Readiness probe failed');
});

it('names the witness, and its node to those who may know it', () => {
  expect(witness({ saidBy: 'kubelet', node: 'n1' })).toBe('kubelet of node n1');
  expect(witness({ saidBy: 'kubelet' })).toBe('kubelet of its node');
  expect(processWitness({ ready: true }, true)).toBe('process, direct request');
  expect(processWitness({ ready: true }, false), 'it has no port').toBe('process');
  expect(processWitness({ ready: false }, true)).toBe('process');
  expect(witness({ saidBy: 'kubelet', probed: true }), 'it asks the app').toBe(
    'kubelet of its node, by its probe',
  );
  expect(witness({})).toBeNull();
});

it('says once on whose word several pods are shown', () => {
  const of = (node: string, probed: boolean) => ({ saidBy: 'kubelet', node, probed }) as const;
  expect(witnesses([of('n1', true), of('n1', false), of('n1', true), of('n2', true)])).toEqual([
    'kubelet of node n1',
    'kubelet of node n2, by its probe',
  ]);
});

it('shortens commits, and keeps the branch that Flux names', () => {
  expect(shortCommit('3f9c2e1a77bb00')).toBe('3f9c2e1');
  expect(shortCommit(`main@sha1:${'3f9c2e1a'.repeat(5)}`)).toBe('main@3f9c2e1');
});

it('dates a warning', () => {
  const at = '2026-11-14T14:00:00.000Z';
  const warning = { about: 'Pod/web-1', reason: 'FailedMount', message: 'no such volume', at };
  expect(warningSentence(warning, Date.parse(at) + 65_000)).toBe(
    'Pod/web-1: FailedMount, 1 min 5 s ago: no such volume',
  );
});

it('shows what the object declares, and of a past revision only what was recorded with it', () => {
  expect(declaredThere(WORKLOAD)).toEqual([
    ['Object', 'Deployment shop/web'],
    ['Image', 'shop/web:2'],
    ['Copies', '2 copies'],
    ['Template', '5b8c'],
  ]);
  expect(declaredThere(WORKLOAD, true).map(([name]) => name)).toEqual(['Object', 'Image']);
});

import { describe, expect, it } from 'vitest';
import type { KnownPlace } from './known-place.ts';
import { deployment, IN, meta, observe, only, pod, replicaSet, type SampleObject } from './samples.ts';
import type { ObservedWorkload } from './workload.ts';

/** The places of pods, as the observer remembers them. */
function placesOf(workloads: readonly ObservedWorkload[]): ReadonlyMap<string, KnownPlace> {
  return new Map(
    workloads.flatMap((workload) =>
      workload.instances.map(({ uid, template }) => [uid, { workload, template }] as const),
    ),
  );
}

const shown = (workloads: readonly ObservedWorkload[]) =>
  workloads.map(({ kind, uid, desired, isLeftBehind, instances }) => [
    ...[kind, uid, desired, isLeftBehind],
    instances.map(({ name, revision }) => `${name} ${revision}`),
  ]);

describe('a workload that was deleted and whose pods were left behind', () => {
  const set = { ...replicaSet('r', '1', 'h'), spec: { replicas: 2 } };
  const alone = { ...set, metadata: { ...set.metadata, ownerReferences: [] } };
  const pods = [pod('p1', IN('r')), pod('p2', IN('r'))];
  const places = placesOf(observe([deployment('1'), set, ...pods]));
  const kept = ['Deployment', 'd1', 2, true, ['p1 current', 'p2 current']];

  it('is still there with them, and its ReplicaSet is not another one', () => {
    expect(shown(observe([alone, ...pods], { places }))).toEqual([kept]);
  });

  it('keeps them while it is being deleted and has let go of them', () => {
    const leaving = {
      ...deployment('1'),
      metadata: { ...deployment('1').metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    };
    expect(only(observe([leaving, alone, ...pods], { places }))).toMatchObject({ uid: 'd1', isGone: false });
  });

  it('has the pods that its ReplicaSet makes since, and wants none that have ended', () => {
    const [first] = pods as [SampleObject];
    const ended = { ...pod('p2', IN('r')), status: { phase: 'Failed' } };
    const more = observe([alone, first, ended, pod('p3', IN('r'))], { places });
    expect(shown(more)).toEqual([['Deployment', 'd1', 2, true, ['p1 current', 'p2 current', 'p3 current']]]);
    expect(shown(observe([alone], { places })), 'nothing of it runs').toEqual([
      ['ReplicaSet', 'r', 2, false, []],
    ]);
  });

  it('gives them to the one that adopts them', () => {
    const next = { ...deployment('1'), metadata: { ...deployment('1').metadata, uid: 'd2' } };
    const adopted = replicaSet('r', '1', 'h', 'd2');
    const found = observe([next, adopted, ...pods], { places });
    expect(shown(found)).toEqual([['Deployment', 'd2', 2, false, ['p1 current', 'p2 current']]]);
  });

  it('lives on in pods of a StatefulSet, which nothing controls then', () => {
    const stateful: SampleObject & Record<string, unknown> = {
      kind: 'StatefulSet',
      metadata: meta('s1'),
      spec: { replicas: 1 },
      status: { observedGeneration: 1, updateRevision: 'a', currentRevision: 'a' },
    };
    const labels = { 'controller-revision-hash': 'a' };
    const before = observe([stateful, pod('s1-0', { kind: 'StatefulSet', uid: 's1' }, { labels })]);
    const after = observe([pod('s1-0', undefined, { labels })], { places: placesOf(before) });
    expect(shown(after)).toEqual([['StatefulSet', 's1', 1, true, ['s1-0 current']]]);
    const leaving = { ...pod('s1-0', undefined, { labels, deleting: true }), status: { phase: 'Failed' } };
    expect(shown(observe([leaving], { places: placesOf(before) })), 'no service of its own').toEqual([
      ['StatefulSet', 's1', 0, true, ['s1-0 current']],
    ]);
    expect(shown(observe([pod('s1-0')])), 'one that was never seen with it').toEqual([
      ['Pod', 's1-0', 1, false, ['s1-0 current']],
    ]);
  });

  it('lets go of a pod that somebody took out of it while it lives', () => {
    const found = observe([deployment('1'), set, pod('p1')], { places });
    expect(found.map(({ kind, instances }) => [kind, instances.length])).toEqual([
      ['Deployment', 0],
      ['Pod', 1],
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { LEASES_SILENT, meta, observe, only, pod, type SampleObject } from './samples.ts';

const of = (hash: string, more = {}) => ({ labels: { 'controller-revision-hash': hash }, ...more });
const NOT_READY = { ready: 'False', reason: 'ContainersNotReady' };

describe('a StatefulSet whose copies are held back', () => {
  const owner = { kind: 'StatefulSet', uid: 's1' };
  const set = (updateStrategy: object, status = {}): SampleObject & Record<string, unknown> => ({
    kind: 'StatefulSet',
    metadata: meta('s1'),
    spec: { replicas: 3, updateStrategy },
    status: { observedGeneration: 1, updateRevision: 's1-b', currentRevision: 's1-a', ...status },
  });
  const partition = (value: number) => ({ type: 'RollingUpdate', rollingUpdate: { partition: value } });
  const made = (name: string, number: number): SampleObject & Record<string, unknown> => ({
    kind: 'ControllerRevision',
    metadata: meta(name, owner, { labels: { 'controller.kubernetes.io/hash': name.slice(3) } }),
    revision: number,
  });
  const pods = (...hashes: readonly string[]) =>
    hashes.map((hash, index) => pod(`s1-${index}`, owner, of(hash)));

  it('wants the newest template of those above its partition alone', () => {
    const workload = only(observe([set(partition(2)), ...pods('s1-a', 's1-a', 's1-b')]));
    expect(workload).toMatchObject({ template: { template: 's1-b' }, desired: 1, heldBack: { count: 2 } });
    const rolling = only(observe([set(partition(1)), ...pods('s1-a', 's1-a', 's1-b')]));
    expect(rolling, 'one more is on its way').toMatchObject({ desired: 2, heldBack: { count: 1 } });
  });

  it('wants all of them as soon as one that is held back is not ready', () => {
    const broken = pod('s1-0', owner, of('s1-a', NOT_READY));
    const workload = only(observe([set(partition(2)), broken, ...pods('s1-a', 's1-a', 's1-b').slice(1)]));
    expect(workload).toMatchObject({ desired: 3, heldBack: { broken: { name: 's1-0' } } });
    const missing = only(observe([set(partition(2)), ...pods('s1-a', 's1-a', 's1-b').slice(1)]));
    expect(missing.desired, 'one is missing').toBe(2);
  });

  it('is in doubt with a held-back copy on a silent node', () => {
    const samples = [set(partition(2)), ...pods('s1-a', 's1-a', 's1-b')];
    expect(only(observe(samples, { leases: LEASES_SILENT })).heldBack).toMatchObject({
      isUnknown: true,
      broken: null,
    });
  });

  it('keeps its former template while its partition lets none through', () => {
    const workload = only(observe([set(partition(3)), ...pods('s1-a', 's1-a', 's1-a')]));
    expect(workload).toMatchObject({ template: { template: 's1-a' }, desired: 3, heldBack: { count: 0 } });
    expect(workload.instances.map(({ revision }) => revision)).toEqual(['current', 'current', 'current']);
  });

  it('counts ordinals from its first', () => {
    const moved = {
      ...set(partition(2)),
      spec: { replicas: 3, ordinals: { start: 5 }, updateStrategy: partition(2) },
    };
    const those = [5, 6, 7].map((index) => pod(`s1-${index}`, owner, of(index === 7 ? 's1-b' : 's1-a')));
    expect(only(observe([moved, ...those]))).toMatchObject({ desired: 1, heldBack: { count: 2 } });
  });

  it('updates on delete: the template in force is the newest that any copy has', () => {
    const onDelete = set({ type: 'OnDelete' }, { updateRevision: 's1-c' });
    const revisions = [made('s1-a', 1), made('s1-b', 2), made('s1-c', 3)];
    const none = only(observe([onDelete, ...revisions, ...pods('s1-b', 's1-b', 's1-b')]));
    expect(none, 'the status still names the first').toMatchObject({
      template: { template: 's1-b' },
      desired: 3,
    });
    const one = only(observe([onDelete, ...revisions, ...pods('s1-b', 's1-c', 's1-b')]));
    expect(one).toMatchObject({
      template: { template: 's1-c' },
      declared: 3,
      desired: 1,
      heldBack: { count: 2, ready: 2 },
    });
    const leaving = pod('s1-2', owner, of('s1-b', { deleting: true }));
    const deleted = only(observe([onDelete, ...revisions, ...pods('s1-b', 's1-b'), leaving]));
    expect(deleted, 'the next one will have it').toMatchObject({
      template: { template: 's1-c' },
      desired: 1,
    });
  });

  it('holds nothing back where it rolls out by itself', () => {
    const workload = only(observe([set({ type: 'RollingUpdate' }), ...pods('s1-a', 's1-a', 's1-b')]));
    expect(workload).toMatchObject({ template: { template: 's1-b' }, desired: 3, heldBack: { count: 0 } });
  });
});

it('a DaemonSet that updates on delete keeps its former template until somebody deletes a copy', () => {
  const owner = { kind: 'DaemonSet', uid: 'ds' };
  const set: SampleObject & Record<string, unknown> = {
    kind: 'DaemonSet',
    metadata: meta('ds'),
    spec: { updateStrategy: { type: 'OnDelete' } },
    status: { observedGeneration: 1, desiredNumberScheduled: 2 },
  };
  const made = (hash: string, number: number): SampleObject & Record<string, unknown> => ({
    kind: 'ControllerRevision',
    metadata: meta(`ds-${hash}`, owner, { labels: { 'controller-revision-hash': hash } }),
    revision: number,
  });
  const samples = [set, made('a', 1), made('b', 2), pod('p1', owner, of('a'))];
  const kept = only(observe([...samples, pod('p2', owner, of('a'))]));
  expect(kept).toMatchObject({ template: { template: 'a' }, desired: 2 });
  const mixed = only(observe([...samples, pod('p2', owner, of('b'))]));
  expect(mixed).toMatchObject({ template: { template: 'b' }, desired: 1, heldBack: { count: 1 } });
});

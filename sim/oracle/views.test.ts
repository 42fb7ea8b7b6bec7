import { describe, expect, it } from 'vitest';
import type { ScopeRow } from '../../src/store/schema.ts';
import type { OriginalReport } from '../oracle-port.ts';
import { OracleTarget, oracleAsOf } from './views.ts';

const iso = (at: number) => new Date(at).toISOString();
const up = { service: 'web@lab', revision: 1, attempt: 1, phase: 'running', ready: true, restarts: 0 };
const route = { service: 'web@lab', route: { answers: true, revision: 1, attempt: 1 } };

/** A view that receives reports one after the other, each at its own instant. */
function viewer(createdAt = 0) {
  const view = new OracleTarget('acme', 'lab');
  let seq = 0;
  const take = (at: number, body: Record<string, unknown>) => {
    const kind = 'complete' in body ? 'full' : 'changed' in body ? 'change' : 'heartbeat';
    const report: OriginalReport = {
      org: 'acme',
      target: 'lab',
      epoch: '1',
      seq: String(++seq),
      scope: String(body.scope ?? '*'),
      seenAt: at,
      kind,
      complete: body.complete === true,
      hostile: false,
      body: { heard: iso(at), heardAgoMs: 0, ...body },
    };
    const services = new Map(at < createdAt ? [] : [['web@lab', createdAt]]);
    return view.accept(report, { receivedAt: at } as ScopeRow, services);
  };
  return { view, take };
}

describe('asOf: the earlier of receipt less watchAgeMs, and heard + heardAgoMs', () => {
  it('is as old as the watch', () => {
    expect(oracleAsOf({ watchAgeMs: 400 }, 10_000)).toEqual({ asOf: 9_600, bounded: false });
  });

  it('is as old as the agent’s last contact: a report that was frozen on its way stays old', () => {
    const body = { watchAgeMs: 0, heard: iso(2_000), heardAgoMs: 500 };
    expect(oracleAsOf(body, 30_000)).toEqual({ asOf: 2_500, bounded: true });
    expect(oracleAsOf({ ...body, watchAgeMs: 29_000 }, 30_000).asOf).toBe(1_000);
  });
});

describe('the view of accepted reports', () => {
  it('counts nothing as steady from before the service existed', () => {
    const { view, take } = viewer(2_000);
    const all = { complete: true, instances: [{ ...up, uid: 'a' }], services: [route] };
    for (const at of [1_000, 3_000, 4_000]) take(at, all);
    expect(view.sight('web@lab')).toMatchObject({
      instances: [{ since: 3_000 }],
      entries: [{ since: 3_000 }],
    });
  });

  it('proves no absence by a snapshot that came before the service', () => {
    const { view, take } = viewer(2_000);
    take(1_999, { complete: true, instances: [], services: [] });
    take(2_500, { base: '1' });
    expect(view.sight('web@lab')?.absentAsOf).toBe(Number.NEGATIVE_INFINITY);
    take(3_000, { complete: true, instances: [], services: [] });
    expect(view.sight('web@lab')?.absentAsOf).toBe(3_000);
  });

  it('shows nothing that a scope reported before the service existed', () => {
    const { view, take } = viewer(2_000);
    const odd = { scope: 'odd', complete: true, instances: [{ ...up, uid: 'a', phase: 'unknown' }] };
    take(1_000, { ...odd, services: [route] });
    take(3_000, { scope: 'even', complete: true, instances: [{ ...up, uid: 'b' }], services: [] });
    const sight = view.sight('web@lab');
    expect(sight).toMatchObject({ instances: [{ uid: 'b' }], doubts: [], entry: null });
    expect(sight?.absentAsOf).toBe(Number.NEGATIVE_INFINITY);
  });

  it('a full report without a service shows that it has no entry', () => {
    const { view, take } = viewer();
    take(1_000, { complete: true, instances: [], services: [] });
    take(3_000, { complete: true, instances: [], services: [route] });
    expect(view.sight('web@lab')?.entries).toMatchObject([
      { since: 1_000, entry: null },
      { since: 3_000, entry: { answers: true } },
    ]);
  });

  it('a full report replaces everything, a change adds, updates and removes, a heartbeat repeats', () => {
    const { view, take } = viewer();
    expect(take(1_000, { complete: true, instances: [{ ...up, uid: 'a' }], services: [route] })).toBeNull();
    const changed = { instances: [{ ...up, uid: 'b', ready: false }], services: [] };
    expect(take(2_000, { base: '1', changed, removed: { instances: ['a'], services: [] } })).toBeNull();
    expect(take(3_000, { base: '2' })).toBeNull();
    const sight = view.sight('web@lab');
    expect(sight?.instances.map((i) => [i.uid, i.since, i.asOf])).toEqual([['b', 2_000, 3_000]]);
    expect(sight).toMatchObject({ asOf: 3_000, seenAt: 3_000, entries: [{ since: 1_000 }] });
    take(4_000, { complete: true, instances: [], services: [] });
    expect(view.sight('web@lab')).toMatchObject({ instances: [], entry: null, absentAsOf: 4_000 });
  });

  it('an unreadable item taints an existing service, and none that is deployed later', () => {
    const { view, take } = viewer();
    const instances = ['web@lab', 'api@lab'].map((service) => ({
      ...up,
      service,
      uid: 'a',
      phase: 'dancing',
    }));
    take(1_000, { complete: true, instances, services: [] });
    expect(view.sight('web@lab')?.corrupt).toBe(true);
    expect(view.sight('api@lab')?.corrupt).toBe(false);
  });

  it('remembers of which stamp an instance could not be judged, and until when', () => {
    const { view, take } = viewer();
    const lost = { ...up, uid: 'b', phase: 'unknown', ready: false };
    const until = () => view.sight('web@lab')?.doubts.map((d) => [d.revision, d.until]);
    take(1_000, { complete: true, instances: [{ ...up, uid: 'a' }, lost], services: [] });
    expect(until()).toEqual([[1, Number.POSITIVE_INFINITY]]);
    take(2_000, { complete: true, instances: [{ ...up, uid: 'a' }], services: [] });
    take(3_000, { complete: true, instances: [{ ...up, uid: 'a' }], services: [] });
    expect(until()).toEqual([[1, 2_000]]);
  });

  it('an incomplete report refreshes only what it names, and is no base', () => {
    const { view, take } = viewer();
    const both = [
      { ...up, uid: 'a' },
      { ...up, uid: 'b' },
    ];
    take(1_000, { complete: true, instances: both, services: [] });
    take(5_000, { complete: false, instances: [{ ...up, uid: 'a' }], services: [] });
    expect(view.sight('web@lab')?.instances.map((i) => [i.uid, i.asOf])).toEqual([
      ['a', 5_000],
      ['b', 1_000],
    ]);
    expect(take(6_000, { base: '2' })).toMatch(/base 2 is not 1/);
  });

  it('a restart begins stability again', () => {
    const { view, take } = viewer();
    take(1_000, { complete: true, instances: [{ ...up, uid: 'a' }], services: [] });
    take(2_000, { complete: true, instances: [{ ...up, uid: 'a' }], services: [] });
    expect(view.sight('web@lab')?.instances[0]?.since).toBe(1_000);
    take(3_000, { complete: true, instances: [{ ...up, uid: 'a', restarts: 1 }], services: [] });
    expect(view.sight('web@lab')?.instances[0]?.since).toBe(3_000);
  });

  it('an unreadable item taints its service, keeps the earlier instances and removes the base', () => {
    const { view, take } = viewer();
    take(1_000, { complete: true, instances: [{ ...up, uid: 'a' }], services: [] });
    take(2_000, { complete: true, instances: [{ ...up, uid: 'a', phase: 'levitating' }], services: [] });
    expect(view.sight('web@lab')).toMatchObject({
      corrupt: true,
      instances: [{ uid: 'a', phase: 'running' }],
    });
    expect(take(3_000, { base: '2' })).toMatch(/is not there/);
    take(3_500, { complete: false, instances: [{ ...up, uid: 'b' }], services: [] });
    expect(view.sight('web@lab')).toMatchObject({ corrupt: true });
    take(4_000, { complete: true, instances: [], services: [] });
    expect(view.sight('web@lab')).toMatchObject({ corrupt: false, instances: [] });
  });

  it('an instance of two services taints both, and so do two entries of one', () => {
    const { view, take } = viewer();
    const twice = [
      { ...up, uid: 'a' },
      { ...up, uid: 'a', service: 'api@lab' },
    ];
    for (const body of [
      { instances: twice, services: [] },
      { instances: twice.toReversed(), services: [] },
      { instances: [], services: [route, { ...route, route: { answers: false } }] },
    ]) {
      take(1_000, { complete: true, ...body });
      expect(view.sight('web@lab')).toMatchObject({ corrupt: true });
      take(2_000, { complete: true, instances: [], services: [] });
      expect(view.sight('web@lab')).toMatchObject({ corrupt: false });
    }
  });

  it('an instance first reported beside an unreadable item is steady from the first readable report', () => {
    const { view, take } = viewer();
    const since = () => view.sight('web@lab')?.instances.map((i) => [i.uid, i.since]);
    take(1_000, { complete: true, instances: [{ ...up, uid: 'a' }], services: [] });
    take(2_000, { complete: true, instances: [{ ...up, uid: 'b', phase: 'levitating' }], services: [] });
    take(3_000, { complete: false, instances: [{ ...up, uid: 'b' }], services: [] });
    const both = [
      { ...up, uid: 'a' },
      { ...up, uid: 'b' },
    ];
    take(4_000, { complete: true, instances: both, services: [] });
    take(5_000, { complete: true, instances: both, services: [] });
    expect(since()).toEqual([
      ['a', 1_000],
      ['b', 4_000],
    ]);
  });

  it('an incomplete report is no contact for services it does not name', () => {
    const { view, take } = viewer();
    take(1_000, { complete: true, instances: [{ ...up, uid: 'a' }], services: [] });
    take(2_000, { complete: false, instances: [], services: [] });
    expect(view.sight('web@lab')?.lastReceivedAt).toBe(1_000);
    take(3_000, { complete: false, instances: [{ ...up, uid: 'a' }], services: [] });
    expect(view.sight('web@lab')?.lastReceivedAt).toBe(3_000);
  });

  it('an unavailable report refreshes nothing', () => {
    const { view, take } = viewer();
    take(1_000, { complete: true, instances: [{ ...up, uid: 'a' }], services: [] });
    take(9_000, { complete: true, unavailable: 'forbidden', instances: [], services: [] });
    expect(view.sight('web@lab')).toMatchObject({ asOf: 1_000, instances: [{ uid: 'a' }] });
  });

  it('another identity voids all of it', () => {
    const { view, take } = viewer();
    take(1_000, { complete: true, instances: [{ ...up, uid: 'a' }], services: [] });
    view.replace('former', 1_500);
    expect([view.replaced, view.replacedAsOf, view.sight('web@lab')]).toEqual([true, 1_000, null]);
    take(2_000, { complete: true, instances: [], services: [] });
    expect(view.replaced).toBe(false);
    expect(view.left('web@lab'), 'the new place says nothing of the former one').toBe(1);
    view.retire('former');
    expect(view.left('web@lab')).toBe(0);
  });
});

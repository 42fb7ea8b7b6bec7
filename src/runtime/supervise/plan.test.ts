import { describe, expect, it } from 'vitest';
import { isSatisfied, plan } from './plan.ts';
import { emptyRecord, type InstanceRecord, type ServiceRecord } from './record.ts';

const ARTIFACT = `sha256:${'a'.repeat(64)}`;

function instance(uid: string, revision: number, ordinal: number, retiring = false): InstanceRecord {
  return {
    uid,
    name: uid,
    stamp: { revision, attempt: 1, fence: '1' },
    artifact: ARTIFACT,
    ordinal,
    port: null,
    process: null,
    startedAt: null,
    restarts: 0,
    shortLives: 0,
    lastExit: null,
    retiring,
  };
}

function wanting(
  revision: number,
  replicas: number,
  instances: readonly InstanceRecord[],
  more: Partial<ServiceRecord> = {},
  accepts: readonly number[] = [],
): ServiceRecord {
  return {
    ...emptyRecord('web@lab'),
    wanted: {
      stamp: { revision, attempt: 1, fence: '1' },
      artifact: ARTIFACT,
      replicas,
      port: true,
      accepts: accepts.map((r) => ({ revision: r, attempt: 1 })),
      stabilityMs: 0,
      host: null,
    },
    instances,
    ...more,
  };
}

const serving = (revision: number) => ({ revision, attempt: 1, accepts: [] });
const ready =
  (...uids: string[]) =>
  (uid: string) =>
    uids.includes(uid);

/** Plans the service. Satisfied instances have been so for a long time by default. */
function planned(record: ServiceRecord, may: (uid: string) => boolean, heldMs = Number.POSITIVE_INFINITY) {
  return plan(record, may, isSatisfied(record, may) ? heldMs : null);
}
const settled = { fallback: null, doubted: false };

describe('the plan of a service', () => {
  it('starts missing instances, and routes to none before all are ready', () => {
    expect(planned(wanting(1, 2, []), ready())).toEqual({ start: 2, serving: null, retire: [], ...settled });
    const two = [instance('a', 1, 1), instance('b', 1, 2)];
    expect(planned(wanting(1, 2, two), ready('a'))).toEqual({
      start: 0,
      serving: null,
      retire: [],
      ...settled,
    });
    expect(planned(wanting(1, 2, two), ready('a', 'b')).serving).toEqual(serving(1));
  });

  it('keeps the old revision serving until the new is ready, then ends it', () => {
    const both = [instance('old', 1, 1), instance('new', 2, 2)];
    const before = wanting(2, 1, both, { serving: serving(1) });
    expect(planned(before, ready('old'))).toEqual({ start: 0, serving: serving(1), retire: [], ...settled });
    expect(planned(before, ready('old', 'new'))).toEqual({
      start: 0,
      serving: serving(2),
      retire: ['old'],
      ...settled,
    });
  });

  it('keeps the old revision until the new has been stable for its window, and returns to it if that breaks', () => {
    const both = [instance('old', 1, 1), instance('new', 2, 2)];
    const wanted = { ...wanting(2, 1, both).wanted, stabilityMs: 3_000 } as ServiceRecord['wanted'];
    const before = { ...wanting(2, 1, both, { serving: serving(1) }), wanted };
    const switched = planned(before, ready('old', 'new'), 0);
    expect(switched).toEqual({
      start: 0,
      serving: serving(2),
      fallback: serving(1),
      doubted: false,
      retire: [],
    });
    const during = { ...before, serving: switched.serving, fallback: switched.fallback };
    expect(planned(during, ready('old', 'new'), 2_999)).toMatchObject({ fallback: serving(1), retire: [] });
    expect(planned(during, ready('old', 'new'), 3_000)).toMatchObject({ fallback: null, retire: ['old'] });

    const back = planned(during, ready('old'));
    expect(back).toEqual({ start: 0, serving: serving(1), fallback: null, doubted: true, retire: [] });
    const after = { ...during, serving: back.serving, fallback: null, doubted: true };
    expect(planned(after, ready('old', 'new'), 2_999), 'it has to hold first').toMatchObject({
      serving: serving(1),
      retire: [],
    });
    expect(planned(after, ready('old', 'new'), 3_000)).toMatchObject({
      serving: serving(2),
      retire: ['old'],
    });
  });

  it('has nothing to return to where nothing served, or the serving one is broken too', () => {
    const both = [instance('old', 1, 1), instance('new', 2, 2)];
    const during = wanting(2, 1, both, { serving: serving(2), fallback: serving(1) });
    expect(planned(during, ready())).toMatchObject({ serving: serving(2), fallback: serving(1), retire: [] });
  });

  it('ends a broken revision that a newer one follows, and not the serving one', () => {
    const all = [instance('good', 1, 1), instance('broken', 2, 2)];
    expect(planned(wanting(3, 1, all, { serving: serving(1) }), ready('good'))).toEqual({
      start: 1,
      serving: serving(1),
      retire: ['broken'],
      ...settled,
    });
  });

  it('scales without replacing: accepted stamps count as its own', () => {
    const two = [instance('a', 1, 1), instance('b', 1, 2)];
    const up = planned(wanting(2, 3, two, { serving: serving(1) }, [1]), ready('a', 'b'));
    expect(up).toEqual({ start: 1, serving: serving(1), retire: [], ...settled });
    const down = planned(wanting(2, 1, two, { serving: serving(1) }, [1]), ready('a', 'b'));
    expect(down.retire).toEqual(['b']);
    expect(down.serving).toEqual({ ...serving(2), accepts: [{ revision: 1, attempt: 1 }] });
  });

  it('ends instances that are not ready first when fewer are wanted', () => {
    const two = [instance('a', 1, 1), instance('b', 1, 2)];
    expect(planned(wanting(1, 1, two), ready('b')).retire).toEqual(['a']);
  });

  it('does not count an accepted stamp of another artifact', () => {
    const other = { ...instance('a', 1, 1), artifact: `sha256:${'b'.repeat(64)}` };
    expect(planned(wanting(2, 1, [other], {}, [1]), ready('a')).start).toBe(1);
  });

  it('replaces retiring instances, and ends all for zero or after a removal', () => {
    const leaving = [instance('a', 1, 1, true), instance('b', 1, 2)];
    expect(planned(wanting(1, 2, leaving), ready('b')).start).toBe(1);
    expect(planned(wanting(2, 0, leaving, { serving: serving(1) }), ready('b'))).toEqual({
      start: 0,
      serving: null,
      retire: ['b'],
      ...settled,
    });
    expect(planned({ ...wanting(1, 1, leaving), wanted: null }, ready('b')).retire).toEqual(['b']);
  });
});

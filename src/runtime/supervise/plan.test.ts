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

/** What is satisfied has been so for a long time, unless it is said for how long. */
function planned(record: ServiceRecord, may: (uid: string) => boolean, heldMs = Number.POSITIVE_INFINITY) {
  return plan(record, may, isSatisfied(record, may) ? heldMs : null);
}
const settled = { fallback: null, doubted: false };

describe('the plan of a service', () => {
  it('starts what is missing, and serves nothing before all of it is ready', () => {
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

  it('keeps the old serving until the new is ready, then lets it go', () => {
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

  it('keeps the old beside the new until that has held for its window, and goes back to it if it breaks', () => {
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

  it('has nothing to go back to where nothing served, or what served is broken too', () => {
    const both = [instance('old', 1, 1), instance('new', 2, 2)];
    const during = wanting(2, 1, both, { serving: serving(2), fallback: serving(1) });
    expect(planned(during, ready())).toMatchObject({ serving: serving(2), fallback: serving(1), retire: [] });
  });

  it('lets go of a broken revision that a newer one follows, and not of what serves', () => {
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

  it('takes what is not ready first when fewer are wanted', () => {
    const two = [instance('a', 1, 1), instance('b', 1, 2)];
    expect(planned(wanting(1, 1, two), ready('b')).retire).toEqual(['a']);
  });

  it('does not count an accepted stamp of another artifact', () => {
    const other = { ...instance('a', 1, 1), artifact: `sha256:${'b'.repeat(64)}` };
    expect(planned(wanting(2, 1, [other], {}, [1]), ready('a')).start).toBe(1);
  });

  it('replaces what is retiring, and ends all of it for zero or after a removal', () => {
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

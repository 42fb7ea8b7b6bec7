import { describe, expect, it } from 'vitest';
import {
  fleetCounts,
  hadContact,
  lapsed,
  leaseUntil,
  NOTHING_WAITS,
  ruleSentence,
  scopeTrouble,
  skew,
  standing,
  watchAge,
} from './fleet.ts';
import { clockTime } from './times.ts';

const AT = '2026-11-14T14:03:02.000Z';

describe('the agent of a target', () => {
  it('is alive, silent since an instant, or fenced: never gone', () => {
    const agent = { seenAt: AT, asOf: null } as const;
    expect(standing({ ...agent, state: 'alive' })).toBe('alive');
    expect(standing({ ...agent, state: 'stale' })).toBe(`silent since ${clockTime(AT)}`);
    expect(standing({ state: 'stale', seenAt: null, asOf: null })).toBe('never heard');
    expect(standing({ state: 'fenced', seenAt: null, asOf: null })).toBe('fenced');
    const asOf = new Date(Date.parse(AT) - 4_000).toISOString();
    expect(standing({ state: 'stale', seenAt: AT, asOf }), 'as every claim has it').toBe(
      `silent since ${clockTime(asOf)}`,
    );
  });

  it('has a clock that is ahead, behind or not reported', () => {
    expect([null, 0, 12, 2_100, -60_000].map(skew)).toEqual([
      'not reported',
      'in step',
      '12 ms ahead',
      '2.1 s ahead',
      '1 min 0 s behind',
    ]);
  });

  it('has a watch age', () => {
    expect(watchAge({ asOf: AT, watchAgeMs: 276.4 })).toBe('276 ms');
    expect(watchAge({ asOf: AT, watchAgeMs: 48_000 })).toBe('48.0 s');
    expect(watchAge({ asOf: null, watchAgeMs: null })).toBe('none');
  });

  it('has no contact time for the epoch instant, which stands for never', () => {
    const asOf = new Date(0).toISOString();
    expect([hadContact(AT), hadContact(null), hadContact(asOf)]).toEqual([true, false, false]);
    expect(watchAge({ asOf, watchAgeMs: Date.parse(AT) })).toBe('none');
  });
});

describe('a lease', () => {
  it('ends at a time of day, which nobody takes for the time that a deadline leaves, and has ended after it', () => {
    expect(leaseUntil(AT, Date.parse(AT) - 11_200)).toBe(
      `lease until ${clockTime(AT)}, renewed while it works`,
    );
    expect(leaseUntil(AT, Date.parse(AT))).toBe('lease ended 0 s ago');
    expect(leaseUntil(AT, Date.parse(AT) + 3_000)).toBe('lease ended 3 s ago');
    expect(leaseUntil(AT, null)).toBe(`lease until ${clockTime(AT)}, renewed while it works`);
  });

  it('counts its lapses', () => {
    expect([0, 1, 2].map(lapsed)).toEqual([null, 'lapsed once', 'lapsed 2 times']);
  });
});

describe('the summary line of the fleet', () => {
  it('shows that no agent and no worker is there', () => {
    expect(fleetCounts([], [], [])).toBe(`No agents alive. No workers online. ${NOTHING_WAITS}`);
  });

  it('counts the silent, the busy and the waiting separately', () => {
    const holder = { worker: 'b', instance: 'i', until: AT };
    expect(
      fleetCounts(
        [{ state: 'alive' }, { state: 'stale' }, { state: 'fenced' }],
        [{ state: 'busy' }, { state: 'online' }, { state: 'offline' }],
        [{ holder: null }, { holder }],
      ),
    ).toBe('1 agent alive, 1 silent. 2 workers online, 1 with work. 1 command waits, 1 in work.');
  });
});

it('says which workloads the rule of a target covers', () => {
  expect(ruleSentence({ version: 1, namespaces: ['*'], selector: 'app=web' })).toBe(
    'every namespace that its agent may read, with app=web',
  );
  expect(ruleSentence({ version: 1, namespaces: ['bank', 'shop'], selector: null })).toBe('bank, shop');
  expect(ruleSentence(null)).toBe('nothing that other tools deploy');
});

it('tells a scope that may not be read from one that stands still', () => {
  const scope = (unavailable: string | null, stalled: boolean, more = {}) =>
    scopeTrouble({ scope: 'ns/shop', asOf: null, unavailable, stalled, denied: [], absent: false, ...more });
  expect(scope('forbidden', true)).toBe('may not be read');
  expect(scope('runtime_unreachable', true)).toBe('does not answer');
  expect(scope(null, true)).toMatch(/^stands still/);
  expect(scope(null, false)).toBeNull();
  const denied = [
    { verb: 'list', resource: 'jobs.batch' },
    { verb: 'list', resource: 'cronjobs.batch' },
    { verb: 'watch', resource: 'pods' },
  ];
  expect(scope('forbidden', true, { denied })).toBe(
    'may not be read: the agent may not list jobs.batch, cronjobs.batch; watch pods',
  );
  expect(scope(null, false, { absent: true, asOf: '2026-11-18T08:00:00Z' })).toMatch(
    /^does not exist in the cluster \(as of \d\d:\d\d:\d\d\)$/,
  );
});

import { describe, expect, it } from 'vitest';
import type { LeaseRow, RevisionRow } from '../../src/store/schema.ts';
import { ServiceBook } from './books.ts';
import { crashLoop, isTrue, oracleReading, type RunningConditions, wantedOf } from './contract.ts';
import { movedEnd } from './held-claim.ts';
import type { ReportedEntry } from './report-items.ts';
import { type OracleInstance, OracleTarget, type Sight } from './views.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const revision = { revision: 2, accepts: [], stabilityMs: 3_000, template: null } as unknown as RevisionRow;
const wanted: RunningConditions = {
  revision,
  attempt: 1,
  replicas: 2,
  digest: DIGEST,
  port: true,
  observe: false,
  appliedAt: 1_000,
  countsReportsAfter: 1_000,
};

const reportedInstance = (uid: string, change: Partial<OracleInstance> = {}): OracleInstance => ({
  uid,
  name: uid,
  service: 'web@lab',
  revision: 2,
  attempt: 1,
  template: null,
  digests: new Map(),
  artifact: DIGEST,
  phase: 'running',
  ready: true,
  restarts: 0,
  reason: null,
  since: 2_000,
  asOf: 5_000,
  seenAt: 5_000,
  isRecorded: true,
  firstReceivedAt: 5_000,
  isTainted: false,
  ...change,
});
const entry: ReportedEntry = {
  service: 'web@lab',
  answers: true,
  revision: 2,
  attempt: 1,
  generationBehind: false,
  hasGeneration: false,
  generation: '',
  template: null,
  replicas: null,
  isContradicted: false,
  object: '',
};
const reportedEntry = (since: number, change: Partial<ReportedEntry> = {}) => ({
  entry: { ...entry, ...change },
  since,
  firstReceivedAt: since,
});
const sight = (change: Partial<Sight> = {}): Sight => ({
  exits: [],
  instances: [reportedInstance('a'), reportedInstance('b')],
  doubts: [],
  entry,
  entries: [reportedEntry(2_000)],
  entryAsOf: 5_000,
  entrySeenAt: 5_000,
  corrupt: false,
  asOf: 5_000,
  seenAt: 5_000,
  bounded: true,
  watchAgeMs: 0,
  absentAsOf: Number.NEGATIVE_INFINITY,
  lastReceivedAt: 0,
  ...change,
});
const missing = (change: Partial<Sight>, of: Partial<RunningConditions> = {}) =>
  oracleReading({ ...wanted, ...of }, sight(change)).missing;

describe('the running contract, as the oracle reads it', () => {
  it('holds when all of it was reported for the stability window', () => {
    expect(missing({})).toBeNull();
  });

  it('needs an admitted runtime.applied, and the window after it', () => {
    expect(missing({}, { appliedAt: null })).toMatch(/runtime.applied/);
    expect(missing({}, { appliedAt: 2_001 })).toMatch(/2999 ms of the 3000/);
  });

  it('needs enough instances of the right stamp, ready, with the right artifact', () => {
    for (const change of [{ ready: false }, { revision: 1 }, { attempt: 2 }, { artifact: 'sha256:other' }])
      expect(missing({ instances: [reportedInstance('a'), reportedInstance('b', change)] })).toMatch(
        /1 of 2/,
      );
    expect(missing({ instances: [] })).toMatch(/0 of 2/);
  });

  it('counts the longest steady instances: a third that just started does not matter', () => {
    expect(
      missing({
        instances: [reportedInstance('c', { since: 4_900 }), reportedInstance('a'), reportedInstance('b')],
      }),
    ).toBeNull();
    expect(missing({ instances: [reportedInstance('a'), reportedInstance('b', { since: 4_900 })] })).toMatch(
      /100 ms/,
    );
  });

  it('is as old as its oldest part', () => {
    expect(missing({ instances: [reportedInstance('a'), reportedInstance('b', { asOf: 4_999 })] })).toMatch(
      /2999 ms of the 3000/,
    );
    expect(missing({ entryAsOf: 4_999 })).toMatch(/2999 ms of the 3000/);
  });

  it('needs the route to answer for this revision', () => {
    expect(missing({ entry: null })).toMatch(/route/);
    expect(missing({ entry: null }, { port: false })).toBeNull();
    expect(missing({ entries: [reportedEntry(4_000)] })).toMatch(/1000 ms/);
  });

  it('counts from the first entry since which none was contrary', () => {
    expect(missing({ entries: [reportedEntry(1_000, { revision: 1 }), reportedEntry(4_000)] })).toMatch(
      /1000 ms/,
    );
    const entries = [reportedEntry(1_000), reportedEntry(3_000, { answers: false }), reportedEntry(4_000)];
    expect(missing({ entries })).toMatch(/1000 ms/);
    const counted = { ...entry, hasGeneration: true };
    expect(missing({ entry: counted, entries }, { port: false })).toBeNull();
    const moved = [reportedEntry(1_000, { revision: 1 }), reportedEntry(4_000)];
    const revision = { ...wanted.revision, accepts: [{ revision: 1, attempt: 1 }] };
    expect(missing({ entries: moved }, { revision })).toBeNull();
  });

  it('is not broken by a generation reported for the first time; it is by a changed template and route', () => {
    const withGeneration = { entry: { ...entry, hasGeneration: true }, entries: [reportedEntry(4_000)] };
    expect(missing(withGeneration, { port: false })).toBeNull();
    const behind = [reportedEntry(1_000, { generationBehind: true }), reportedEntry(4_000)];
    expect(missing({ ...withGeneration, entries: behind }, { port: false })).toMatch(/1000 ms/);
    const template = { ...wanted.revision, template: 't' };
    const instances = [reportedInstance('a', { template: 't' }), reportedInstance('b', { template: 't' })];
    const observe = { port: false, observe: true, revision: template };
    expect(missing({ ...withGeneration, instances }, observe)).toMatch(/1000 ms/);
    expect(missing(withGeneration)).toMatch(/1000 ms/);
  });

  it('is not met by an instance that cannot be judged', () => {
    expect(missing({ corrupt: true })).toMatch(/could not be read/);
    expect(
      missing({
        instances: [
          reportedInstance('a'),
          reportedInstance('b'),
          reportedInstance('c', { phase: 'unknown' }),
        ],
      }),
    ).toMatch(/cannot be judged/);
    expect(
      missing({ instances: [reportedInstance('a'), reportedInstance('b', { reason: 'bewitched' })] }),
    ).toMatch(/bewitched/);
    expect(oracleReading(wanted, null).missing).toMatch(/no accepted report/);
  });

  it('counts stability from the report that left no instance of its stamp in doubt', () => {
    const doubt = { revision: 2, attempt: 1, template: null, until: 2_001 };
    expect(missing({ doubts: [doubt] })).toMatch(/2999 ms of the 3000/);
    expect(missing({ doubts: [{ ...doubt, attempt: 2 }] })).toBeNull();
  });

  it('accepts for a scale the instances of the revision it derives from', () => {
    const scale = { ...revision, accepts: [{ revision: 1, attempt: 1 }] };
    const kept = { instances: [reportedInstance('a'), reportedInstance('b', { revision: 1 })] };
    expect(missing(kept, { revision: scale })).toBeNull();
    expect(missing(kept)).toMatch(/1 of 2/);
  });

  it('is compared with the true state of one moment too', () => {
    const truth = {
      uid: 'a',
      service: 'web@lab',
      revision: 2,
      attempt: 1,
      fence: '1',
      artifact: DIGEST,
    } as const;
    const runs = {
      ...truth,
      name: 'a',
      template: null,
      phase: 'running',
      ready: true,
      restarts: 0,
      reason: null,
      containers: [{ name: 'debug', kind: 'ephemeral', ready: false }],
    } as const;
    const route = { revision: 2, attempt: 1 };
    const moment = {
      at: 0,
      instances: [runs, { ...runs, uid: 'b' }],
      route,
      generation: null,
      rollout: null,
      workload: null,
    };
    expect(isTrue(wanted, moment)).toBe(true);
    expect(isTrue(wanted, { ...moment, route: null })).toBe(false);
    expect(isTrue(wanted, { ...moment, instances: [runs, { ...runs, ready: false }] })).toBe(false);
    const proxy = { name: 'proxy', kind: 'sidecar', ready: false } as const;
    expect(isTrue(wanted, { ...moment, instances: [runs, { ...runs, containers: [proxy] }] })).toBe(false);
    expect(isTrue(wanted, { ...moment, generation: { desired: 2, observed: 1 } })).toBe(false);
  });
});

describe('a crash loop', () => {
  const looping = reportedInstance('a', { ready: false, restarts: 3, firstReceivedAt: 500 });
  const note = (at: readonly number[], outlived = false) => ({
    uid: 'a',
    name: 'a',
    revision: 2,
    attempt: 1,
    template: null,
    at,
    ended: false,
    outlived,
    elsewhere: false,
  });
  const three = [note([1_000, 1_500, 2_000])];

  it('that was reported before the apply was recorded has to be reported again after it', () => {
    const conditions = { ...wanted, countsReportsAfter: 2_000 };
    const loopingAt = (lastReceivedAt: number, change: Partial<OracleInstance> = {}) =>
      crashLoop(conditions, sight({ lastReceivedAt, exits: three, instances: [{ ...looping, ...change }] }))
        ?.uid ?? null;
    expect([loopingAt(1_500), loopingAt(2_000), loopingAt(2_001)]).toEqual([null, null, 'a']);
    expect(loopingAt(1_500, { firstReceivedAt: 2_001 })).toBe('a');
  });

  it('lasts until the instance has held its window, and forbids running (F113)', () => {
    const of = (exits: Sight['exits'], asOf: number) => {
      const instances = [reportedInstance('a', { asOf }), reportedInstance('b', { asOf })];
      return missing({ exits, instances, asOf, entryAsOf: asOf });
    };
    expect(of(three, 25_999)).toMatch(/a exits again/);
    expect(of(three, 26_000)).toBeNull();
    expect(of([note([1_000])], 7_999)).toMatch(/a was shown for 5999 ms of the 6000/);
    expect(of([note([1_000])], 8_000)).toBeNull();
    const unready = sight({ lastReceivedAt: 9_000, instances: [looping] });
    expect(crashLoop(wanted, { ...unready, exits: [note([1_000, 1_500, 2_000], true)] })).toBeNull();
    expect(crashLoop(wanted, { ...unready, exits: three })?.uid).toBe('a');
  });
});

describe('the end of a lease', () => {
  const lease = { until: 40_000 } as LeaseRow;

  it('moves by the overlap with recorded blind time, and by none before the last heartbeat', () => {
    expect(movedEnd(lease, 30_000, [])).toBe(40_000);
    expect(movedEnd(lease, 30_000, [{ org: 'acme', from: 20_000, to: 26_000 }])).toBe(46_000);
    expect(movedEnd(lease, 30_000, [{ org: 'acme', from: 5_000, to: 12_000 }])).toBe(42_000);
    expect(movedEnd(lease, 30_000, [{ org: 'acme', from: 1_000, to: 9_000 }])).toBe(40_000);
    const twice = [
      { org: 'acme', from: 35_000, to: 45_000 },
      { org: 'acme', from: 48_000, to: 60_000 },
    ];
    expect(movedEnd(lease, 30_000, twice)).toBe(62_000);
  });
});

describe('the port of an artifact', () => {
  const origin = { kind: 'artifact', digest: DIGEST } as const;
  const row = { ...revision, kind: 'deploy', origin, spec: {}, port: null } as RevisionRow;
  const recorded = (position: number) => ({
    queued: false,
    absent: false,
    cancelledInQueue: false,
    position,
  });
  const book = () => {
    const service = new ServiceBook('acme', 'web@lab', new OracleTarget('acme', 'lab'));
    service.artifacts.set(1, { digest: DIGEST, port: 8080, command: null, position: 5 });
    service.revisions.set(2, row);
    return service;
  };

  it.each([
    ['before', 6, true],
    ['after', 4, false],
  ])('is the one that its build found %s the intent', (_, position, port) => {
    const service = book();
    service.intents.set(2, recorded(position));
    expect(wantedOf(service, row, 1, null).port).toBe(port);
  });

  it('is kept by a revision that derives from it', () => {
    const service = book();
    service.intents.set(2, recorded(4));
    service.intents.set(3, recorded(7));
    const scaled = { ...row, revision: 3, kind: 'scale' } as RevisionRow;
    expect(wantedOf(service, scaled, 1, null).port).toBe(false);
    expect(wantedOf(service, { ...scaled, kind: 'deploy' }, 1, null).port).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import type { LeaseRow, RevisionRow } from '../../src/store/schema.ts';
import { ServiceBook } from './books.ts';
import { crashLoop, isTrue, type RunningConditions, readContract, wantedOf } from './contract.ts';
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
  toldAt: 1_000,
};

const seen = (uid: string, change: Partial<OracleInstance> = {}): OracleInstance => ({
  uid,
  service: 'web@lab',
  revision: 2,
  attempt: 1,
  template: null,
  artifact: DIGEST,
  phase: 'running',
  ready: true,
  restarts: 0,
  reason: null,
  since: 2_000,
  asOf: 5_000,
  seenAt: 5_000,
  isTold: true,
  shownAt: 5_000,
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
};
const shown = (since: number, change: Partial<ReportedEntry> = {}) => ({
  entry: { ...entry, ...change },
  since,
  shownAt: since,
});
const sight = (change: Partial<Sight> = {}): Sight => ({
  instances: [seen('a'), seen('b')],
  doubts: [],
  entry,
  entries: [shown(2_000)],
  entryAsOf: 5_000,
  entrySeenAt: 5_000,
  corrupt: false,
  asOf: 5_000,
  seenAt: 5_000,
  bounded: true,
  watchAgeMs: 0,
  absentAsOf: Number.NEGATIVE_INFINITY,
  heardAt: 0,
  ...change,
});
const missing = (change: Partial<Sight>, of: Partial<RunningConditions> = {}) =>
  readContract({ ...wanted, ...of }, sight(change)).missing;

describe('the running contract, as the oracle reads it', () => {
  it('holds when all of it was shown for the stability window', () => {
    expect(missing({})).toBeNull();
  });

  it('needs an admitted runtime.applied, and the window after it', () => {
    expect(missing({}, { appliedAt: null })).toMatch(/runtime.applied/);
    expect(missing({}, { appliedAt: 2_001 })).toMatch(/2999 ms of the 3000/);
  });

  it('needs enough of the right stamp, ready, with the right bytes', () => {
    for (const change of [{ ready: false }, { revision: 1 }, { attempt: 2 }, { artifact: 'sha256:other' }])
      expect(missing({ instances: [seen('a'), seen('b', change)] })).toMatch(/1 of 2/);
    expect(missing({ instances: [] })).toMatch(/0 of 2/);
  });

  it('counts the longest steady: a third that just came up does not hurt', () => {
    expect(missing({ instances: [seen('c', { since: 4_900 }), seen('a'), seen('b')] })).toBeNull();
    expect(missing({ instances: [seen('a'), seen('b', { since: 4_900 })] })).toMatch(/100 ms/);
  });

  it('is shown as a whole only where the oldest part of it was shown again', () => {
    expect(missing({ instances: [seen('a'), seen('b', { asOf: 4_999 })] })).toMatch(/2999 ms of the 3000/);
    expect(missing({ entryAsOf: 4_999 })).toMatch(/2999 ms of the 3000/);
  });

  it('needs the route to answer for this revision', () => {
    expect(missing({ entry: null })).toMatch(/route/);
    expect(missing({ entry: null }, { port: false })).toBeNull();
    expect(missing({ entries: [shown(4_000)] })).toMatch(/1000 ms/);
  });

  it('counts from the first entry since which none was contrary', () => {
    expect(missing({ entries: [shown(1_000, { revision: 1 }), shown(4_000)] })).toMatch(/1000 ms/);
    const entries = [shown(1_000), shown(3_000, { answers: false }), shown(4_000)];
    expect(missing({ entries })).toMatch(/1000 ms/);
    const counted = { ...entry, hasGeneration: true };
    expect(missing({ entry: counted, entries }, { port: false })).toBeNull();
    const moved = [shown(1_000, { revision: 1 }), shown(4_000)];
    const revision = { ...wanted.revision, accepts: [{ revision: 1, attempt: 1 }] };
    expect(missing({ entries: moved }, { revision })).toBeNull();
  });

  it('a generation told for the first time is nothing contrary; a wish and a route are', () => {
    const told = { entry: { ...entry, hasGeneration: true }, entries: [shown(4_000)] };
    expect(missing(told, { port: false })).toBeNull();
    const behind = [shown(1_000, { generationBehind: true }), shown(4_000)];
    expect(missing({ ...told, entries: behind }, { port: false })).toMatch(/1000 ms/);
    const template = { ...wanted.revision, template: 't' };
    const instances = [seen('a', { template: 't' }), seen('b', { template: 't' })];
    const observe = { port: false, observe: true, revision: template };
    expect(missing({ ...told, instances }, observe)).toMatch(/1000 ms/);
    expect(missing(told)).toMatch(/1000 ms/);
  });

  it('judges nothing over what cannot be judged', () => {
    expect(missing({ corrupt: true })).toMatch(/could not be read/);
    expect(missing({ instances: [seen('a'), seen('b'), seen('c', { phase: 'unknown' })] })).toMatch(
      /cannot be judged/,
    );
    expect(missing({ instances: [seen('a'), seen('b', { reason: 'bewitched' })] })).toMatch(/bewitched/);
    expect(readContract(wanted, null).missing).toMatch(/no accepted report/);
  });

  it('counts stability from the report that left nothing of its stamp in doubt', () => {
    const doubt = { revision: 2, attempt: 1, template: null, until: 2_001 };
    expect(missing({ doubts: [doubt] })).toMatch(/2999 ms of the 3000/);
    expect(missing({ doubts: [{ ...doubt, attempt: 2 }] })).toBeNull();
  });

  it('keeps for a scale the instances of the revision it derives from', () => {
    const scale = { ...revision, accepts: [{ revision: 1, attempt: 1 }] };
    const kept = { instances: [seen('a'), seen('b', { revision: 1 })] };
    expect(missing(kept, { revision: scale })).toBeNull();
    expect(missing(kept)).toMatch(/1 of 2/);
  });

  it('holds against the truth of one moment too', () => {
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
  const looping = seen('a', { ready: false, restarts: 3, shownAt: 500 });

  it('that was shown before has to be heard of after it was on record that the runtime was told', () => {
    const told = { ...wanted, toldAt: 2_000 };
    const heard = (heardAt: number, change: Partial<OracleInstance> = {}) =>
      crashLoop(told, sight({ heardAt, instances: [{ ...looping, ...change }] }))?.uid ?? null;
    expect([heard(1_500), heard(2_000), heard(2_001)]).toEqual([null, null, 'a']);
    expect(heard(1_500, { shownAt: 2_001 })).toBe('a');
    expect(heard(2_001, { ready: true })).toBeNull();
  });
});

describe('the end of a lease', () => {
  const lease = { until: 40_000 } as LeaseRow;

  it('moves by the overlap with recorded blindness, and by nothing before the last heartbeat', () => {
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
  const asked = { ...revision, kind: 'deploy', origin, spec: {}, port: null } as RevisionRow;
  const recorded = (position: number) => ({
    queued: false,
    absent: false,
    cancelledInQueue: false,
    position,
  });
  const book = () => {
    const made = new ServiceBook('acme', 'web@lab', new OracleTarget('acme', 'lab'));
    made.artifacts.set(1, { digest: DIGEST, port: 8080, command: null, position: 5 });
    made.revisions.set(2, asked);
    return made;
  };

  it.each([
    ['before', 6, true],
    ['after', 4, false],
  ])('is what its build had found %s the intent', (_, position, port) => {
    const made = book();
    made.intents.set(2, recorded(position));
    expect(wantedOf(made, asked, 1, null).port).toBe(port);
  });

  it('is kept by what derives from it', () => {
    const made = book();
    made.intents.set(2, recorded(4));
    made.intents.set(3, recorded(7));
    const scaled = { ...asked, revision: 3, kind: 'scale' } as RevisionRow;
    expect(wantedOf(made, scaled, 1, null).port).toBe(false);
    expect(wantedOf(made, { ...scaled, kind: 'deploy' }, 1, null).port).toBe(true);
  });
});

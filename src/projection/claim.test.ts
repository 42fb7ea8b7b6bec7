import { describe, expect, it } from 'vitest';
import type { Body, Evidence } from '../contract/evidence.ts';
import type { Intent, RevisionIntent } from '../contract/intent.ts';
import type { Instance } from '../contract/report.ts';
import type { Kind } from '../contract/vocabulary.ts';
import { claim } from './claim.ts';
import { withDefaults } from './deadlines.ts';
import { DEFAULT_SETTINGS, type Facts, type Liveness, NOTHING_PROVEN, type Proven } from './facts.ts';
import { fold } from './fold.ts';

const T0 = Date.parse('2026-11-14T14:02:11.204Z');
const DIGEST = `sha256:${'9b1f'.repeat(16)}`;
const BUILD = 'web@lab.r1.a1.build.1';
const APPLY = 'web@lab.r1.a1.apply.1';

describe('a claim, along one deployment', () => {
  it('is the example of the protocol while it waits for a builder', () => {
    const facts = having(recorded, published(BUILD));
    expect(claim(intent(), facts, T0 + 412)).toMatchObject({
      service: 'web@lab',
      state: 'waiting_for_worker',
      since: '2026-11-14T14:02:11.204Z',
      desired: { revision: 1, attempt: 1, artifact: null, replicas: 2 },
      serving: null,
      outcome: 'in_progress',
      proof: {
        reached: ['accepted', 'waiting_for_worker'],
        stoppedAt: 'waiting_for_worker',
        evidence: ['e1', 'e2'],
      },
      freshness: {
        asOf: '2026-11-14T14:02:11.204Z',
        ageMs: 412,
        freshForMs: null,
        validUntil: '2026-11-14T14:03:11.204Z',
      },
      queued: [],
      lastKnown: null,
      cause: { code: 'no_worker_online', params: { kind: 'build' } },
      expecting: { evidence: 'command.acknowledged', from: 'worker', by: '2026-11-14T14:03:11.204Z' },
      timeout: null,
      message: { code: 'waiting.no_worker', title: 'Waiting for a builder' },
      next: { owner: 'platform', action: 'start_worker', retrySafe: true },
      position: '0',
      now: '2026-11-14T14:02:11.616Z',
    });
  });

  it('carries operator detail only when requested', () => {
    const facts = having(recorded, published(BUILD));
    expect(claim(intent(), facts, T0)).not.toHaveProperty('operator');
    const operator = {
      correlation: 'c1',
      lastEvidence: { id: 'e2', kind: 'command.published', at: '2026-01-01T00:00:00.000Z' },
      rejected: 0,
    };
    expect(claim(intent(), facts, T0, { operator, position: '17' })).toMatchObject({
      position: '17',
      operator: { stage: 'queue', fence: null, holder: null, correlation: 'c1', rejected: 0 },
    });
  });

  it('stops at waiting after a release, and at building after a lapse', () => {
    const building = having(recorded, published(BUILD), acknowledged(BUILD));
    expect(claim(intent(), building, T0 + 10).proof.stoppedAt).toBe('building');
    const lapsed = claim(intent(), building, T0 + 31_000);
    expect(lapsed).toMatchObject({
      state: 'unknown',
      cause: { code: 'lease_lapsed' },
      lastKnown: { state: 'building' },
      proof: { stoppedAt: 'building' },
      message: { code: 'unknown.lease_lapsed' },
    });
    const released = having(recorded, published(BUILD), acknowledged(BUILD), (p) =>
      add(p, 'command.released', { reason: '' }, { command: BUILD, fence: '1' }),
    );
    expect(claim(intent(), released, T0 + 10)).toMatchObject({
      state: 'waiting_for_worker',
      proof: { reached: ['accepted', 'waiting_for_worker'], stoppedAt: 'waiting_for_worker' },
    });
  });

  it('shows a builder’s own code only if the catalogue contains it', () => {
    const failed = (code: string) =>
      having(recorded, published(BUILD), acknowledged(BUILD), (p) =>
        add(p, 'build.failed', { code, message: 'PASSWORD=hunter2' }, { command: BUILD, fence: '1' }),
      );
    expect(claim(intent(), failed('dependencies_failed'), T0).cause?.code).toBe('dependencies_failed');
    const secret = claim(intent(), failed('hunter2 in a code'), T0, {
      operator: { correlation: '', lastEvidence: null, rejected: 0 },
    });
    expect(secret).toMatchObject({
      state: 'failed',
      cause: { code: 'build_failed' },
      next: { owner: 'user', action: 'deploy', retrySafe: true },
      proof: { reached: ['accepted', 'waiting_for_worker', 'building'], stoppedAt: 'building' },
    });
    expect(JSON.stringify(secret)).not.toContain('hunter2');
  });

  it('is running with proof, serves, and decays with its freshness', () => {
    const facts = running();
    const now = T0 + 10_000;
    expect(claim(intent(), facts, now)).toMatchObject({
      state: 'running',
      outcome: 'succeeded',
      desired: { artifact: DIGEST },
      serving: { revision: 1, attempt: 1, validUntil: new Date(T0 + 25_000).toISOString() },
      proof: { stoppedAt: null },
      freshness: { freshForMs: 15_000, validUntil: new Date(T0 + 25_000).toISOString() },
      next: { owner: 'none', action: null },
      message: { code: 'running' },
    });
    expect(claim(intent(), facts, now).proof.reached).toHaveLength(7);
    const silent = claim(intent(), facts, T0 + 25_000);
    expect(silent).toMatchObject({
      state: 'unknown',
      serving: null,
      lastKnown: { state: 'running', ageMs: 15_000 },
      proof: { stoppedAt: 'running' },
      next: { owner: 'platform', action: 'start_agent' },
    });
  });

  it('takes `since` from the record of the same state of the same attempt, and of no other', () => {
    const facts = having(recorded, published(BUILD));
    const at = (revision: number) => ({
      ...facts,
      recorded: { state: 'waiting_for_worker' as const, revision, attempt: 1, since: T0 - 5, position: '9' },
    });
    expect(claim(intent(), at(1), T0)).toMatchObject({
      since: new Date(T0 - 5).toISOString(),
      position: '9',
    });
    expect(claim(intent(), at(2), T0)).toMatchObject({ state: 'unknown', cause: { code: 'contradictory' } });
  });

  it('guards against a step that the table does not list', () => {
    const record = { state: 'building', revision: 1, attempt: 1, since: T0, position: '5' } as const;
    expect(claim(intent(), { ...running(), recorded: record }, T0 + 10_000)).toMatchObject({
      state: 'unknown',
      cause: { code: 'contradictory' },
      lastKnown: { state: 'building' },
      message: { code: 'unknown.contradictory' },
      next: { retrySafe: false },
    });
  });

  it('lists the revisions queued behind the active one, and no cancelled one', () => {
    const queue = (revision: number) => (p: Proven) =>
      add(p, 'intent.recorded', { kind: 'deploy', queued: true, actor: 'ana' }, { revision });
    const cancel = (p: Proven) =>
      add(p, 'cancel.requested', { actor: 'ana', immediate: true, queued: true }, { revision: 2 });
    const facts = having(recorded, queue(2), queue(3), cancel);
    const intent: Intent = {
      service: 'web@lab',
      revisions: [1, 2, 3].map((revision) => ({ ...revisionIntent(), revision })),
    };
    expect(claim(intent, facts, T0).queued).toEqual([
      { revision: 3, attempt: 1, since: new Date(T0).toISOString(), actor: 'ana' },
    ]);
  });
});

describe('serving', () => {
  /** `now` is what the row says to serve: without it, no revision of the past is known to. */
  const at = (
    entry: Body<'runtime.observed'>['entry'],
    instances: Instance[],
    port: number | null,
    now: { revision: number; attempt: number } | null = null,
  ) =>
    claim(
      intent({ port }),
      having(recorded, waiting, (p) =>
        add(p, 'runtime.observed', {
          ...observed(T0, instances, entry),
          ...(now !== null && { served: { now, until: null } }),
        }),
      ),
      T0 + 1,
    ).serving;
  // The newest issued revision is the sixth.
  const waiting = (p: Proven) =>
    add(p, 'intent.recorded', { kind: 'deploy', queued: true, actor: 'ana' }, { revision: 6 });
  const route = (answers: boolean, revision: number | null, attempt: number | null = null) => ({
    service: 'web@lab',
    route: { answers, revision, attempt },
  });

  it('is the revision that the route names, whatever is desired', () => {
    const stamp = { revision: 4, attempt: 2 };
    expect(at(route(true, 4), [instance('a', 4, 2)], 8080, stamp)).toMatchObject(stamp);
    expect(at(route(true, 4), [instance('a', 4, 2)], 8080), 'never recorded to serve').toBeNull();
  });

  it('is null where the route is silent, mixed or missing', () => {
    expect(at(route(false, 4), [instance('a', 4, 2)], 8080)).toBeNull();
    expect(at(route(true, null), [instance('a', 4, 2)], 8080)).toBeNull();
    expect(at(null, [instance('a', 4, 2)], 8080)).toBeNull();
  });

  it('is, without a port, the highest revision with a ready instance', () => {
    const unready = { ...instance('c', 6, 1), ready: false };
    const stamp = { revision: 5, attempt: 1 };
    expect(at(null, [instance('a', 3, 1), instance('b', 5, 1), unready], null, stamp)).toMatchObject(stamp);
  });

  it('is null for a revision that was never issued (F24, S1)', () => {
    expect(at(route(true, 7), [instance('a', 1, 1), instance('b', 7, 1)], 8080)).toBeNull();
    expect(at(route(true, 1, 9), [instance('a', 1, 1), instance('b', 1, 9)], 8080)).toBeNull();
    expect(at(route(true, 1), [instance('a', 1, 1), instance('b', 1, 9)], 8080)).toMatchObject({
      revision: 1,
      attempt: 1,
    });
    expect(at(null, [instance('a', 1, 9), instance('b', 7, 1)], null)).toBeNull();
    expect(at(null, [instance('a', 1, 1), instance('b', 7, 1)], null)).toMatchObject({ revision: 1 });
  });
});

let position = 0;

function having(...steps: ((proven: Proven) => Proven)[]): Facts {
  position = 0;
  const proven = steps.reduce((p, step) => step(p), NOTHING_PROVEN);
  return { proven, liveness: liveness(), recorded: null };
}

function add<K extends Kind>(proven: Proven, kind: K, body: Body<K>, about: Partial<Evidence> = {}): Proven {
  position += 1;
  return fold(proven, {
    org: 'default',
    position: String(position),
    receivedAt: T0,
    id: `e${position}`,
    service: 'web@lab',
    target: 'lab',
    revision: 1,
    attempt: 1,
    command: null,
    fence: null,
    seq: null,
    source: { role: 'api', name: 'test', instance: 'test' },
    observedAt: null,
    ...about,
    kind,
    body,
  } as unknown as Evidence);
}

const recorded = (p: Proven) => add(p, 'intent.recorded', { kind: 'deploy', queued: false, actor: 'ana' });
const published = (command: string) => (p: Proven) => add(p, 'command.published', {}, { command });
const acknowledged = (command: string) => (p: Proven) =>
  add(p, 'command.acknowledged', {}, { command, fence: '1' });

function running(): Facts {
  const entry = { service: 'web@lab', route: { answers: true, revision: 1, attempt: 1 } };
  const ready = [instance('a', 1, 1), instance('b', 1, 1)];
  const facts = having(
    recorded,
    published(BUILD),
    acknowledged(BUILD),
    (p) => add(p, 'artifact.stored', { digest: DIGEST, size: 1 }, { command: BUILD, fence: '1' }),
    published(APPLY),
    acknowledged(APPLY),
    (p) => add(p, 'runtime.applied', {}, { command: APPLY, fence: '1' }),
    (p) => add(p, 'runtime.observed', observed(T0 + 5000, ready, entry)),
    (p) => add(p, 'runtime.observed', observed(T0 + 10_000, ready, entry)),
  );
  return facts;
}

function observed(
  asOf: number,
  instances: Instance[],
  entry: Body<'runtime.observed'>['entry'],
): Body<'runtime.observed'> {
  return {
    epoch: '1',
    seq: String(asOf),
    scope: '*',
    complete: true,
    asOf,
    changedAsOf: asOf,
    silentSince: null,
    instances,
    entry,
    corrupt: false,
    judged: null,
  };
}

function instance(uid: string, revision: number, attempt: number): Instance {
  return {
    uid,
    name: uid,
    service: 'web@lab',
    revision,
    attempt,
    fence: '1',
    template: null,
    artifact: DIGEST,
    phase: 'running',
    ready: true,
    restarts: 0,
    containers: [],
  };
}

function liveness(): Liveness {
  return {
    settings: DEFAULT_SETTINGS,
    scopes: [],
    unread: [],
    agent: null,
    lease: null,
    workers: [],
    blind: [],
    awakeUntil: T0 + 1e9,
    recoveredAt: null,
    lost: null,
  };
}

function intent(change: Partial<RevisionIntent> = {}): Intent {
  return { service: 'web@lab', revisions: [{ ...revisionIntent(), ...change }] };
}

function revisionIntent(): RevisionIntent {
  return {
    revision: 1,
    kind: 'deploy',
    origin: { kind: 'source', digest: DIGEST },
    replicas: 2,
    port: 8080,
    command: null,
    stabilityMs: 3000,
    deadlines: withDefaults({ queueMs: 60_000 }),
    accepts: [],
    template: null,
    spec: {},
    git: null,
    actor: 'ana',
    createdAt: T0,
  };
}

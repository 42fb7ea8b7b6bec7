import fc from 'fast-check';
import type { Origin, Spec } from '../../src/contract/intent.ts';
import { PHASES, POLICIES } from '../../src/contract/vocabulary.ts';
import { type Agent, instance } from './agent.ts';
import type { Lab } from './driver.ts';
import { ARTIFACT, DIGEST, image, OBSERVE, OTHER_DIGEST, Refused, SOURCE } from './names.ts';
import type { Lease } from './taker.ts';

/**
 * A random sequence of actions of people, workers, agents and the platform, with pauses of any length. Refused
 * actions count as steps; whatever the verbs admit is, by definition, a valid ledger.
 */
export type Step = readonly [act: keyof typeof ACTS, a: number, b: number, c: number];

const SERVICES = ['web@lab', 'api@lab'] as const;
const DEADLINES = {
  publishMs: 40_000,
  queueMs: 60_000,
  buildMs: 70_000,
  applyQueueMs: 60_000,
  applyMs: 50_000,
  startMs: 40_000,
  degradedMs: 30_000,
  stopMs: 60_000,
};
const ORIGINS: readonly Origin[] = [
  SOURCE,
  SOURCE,
  image(`registry.example/web@${DIGEST}`),
  image('web:1.2'),
  ARTIFACT,
  OBSERVE,
];
const PAUSES = [0, 1, 700, 1_000, 3_000, 3_000, 5_000, 6_000, 12_000, 16_000, 31_000, 45_000];
const REASONS = [
  null,
  null,
  null,
  'crash_loop',
  'probe_failed',
  'image_denied',
  'eaten_by_a_grue',
  'node_lost',
];

export class Cast {
  readonly lab: Lab;
  readonly builders;
  readonly agents: Agent[];
  leases: Lease[] = [];
  /** The registered agent. */
  current: Agent | null = null;

  constructor(lab: Lab) {
    this.lab = lab;
    this.builders = [lab.builder('builder-a'), lab.builder('builder-b')];
    this.agents = [1, 2, 3].map((n) => lab.agent('agent-lab', `agent-${n}`));
  }
}

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

/** The newest stamp issued for a service, or one near it. */
function stampOf(lab: Lab, service: string, near: number) {
  const row = lab.store.tables.services.get(`default|${service}`);
  if (row === undefined) return { revision: 1, attempt: 1 };
  if (near % 5 === 4) return { revision: Math.max(1, row.active - 1), attempt: 1 };
  return { revision: row.active, attempt: row.attempt };
}

function observed(lab: Lab, a: number, b: number) {
  const services = a % 3 === 0 ? SERVICES : [pick(SERVICES, a)];
  return services.flatMap((service, s) =>
    Array.from({ length: (a + s) % 3 }, (_, i) => {
      const usual = (b + i) % 3 !== 0;
      const phase = usual ? 'running' : pick(PHASES, b + i);
      return instance(`${service}-${i}${b % 7 === 0 ? '-new' : ''}`, {
        service,
        ...stampOf(lab, service, b),
        artifact: b % 11 === 10 ? OTHER_DIGEST : DIGEST,
        template: b % 2 === 0 ? 't1' : 't2',
        phase,
        ready: usual,
        restarts: usual ? 0 : b % 5,
        reason: usual ? null : pick(REASONS, b),
        ...(b % 13 === 12 ? { phase: 'no such phase' } : {}),
      });
    }),
  );
}

function entries(lab: Lab, a: number, b: number) {
  return SERVICES.filter((_, i) => (a + i) % 4 !== 0).map((service) => ({
    service,
    route: { answers: b % 4 !== 0, ...stampOf(lab, service, b) },
    template: b % 2 === 0 ? 't1' : 't2',
    replicas: b % 6 === 0 ? 0 : 1,
    ...(b % 9 === 0 ? { generation: { desired: '4', observed: '3' } } : {}),
  }));
}

const scopeOf = (c: number) => (c % 8 === 7 ? 'east' : '*');

const ACTS = {
  deploy: ({ lab }, a, b, c) => {
    const origin = pick(ORIGINS, a);
    const spec: Spec = {
      deadlines: DEADLINES,
      concurrency: origin === OBSERVE ? 'newest' : pick(POLICIES, b),
      replicas: [1, 1, 2, 0][c % 4] ?? 1,
      ...(c % 3 === 0 ? { port: 8080 } : {}),
      stabilityMs: 2_000,
    };
    return lab.deploy(origin, spec, { service: pick(SERVICES, c), actor: pick(['ana', 'ben'], b) });
  },
  scale: ({ lab }, a, b) => lab.scale(a % 3, pick(SERVICES, b)),
  restart: ({ lab }, a) => lab.restart(pick(SERVICES, a)),
  rollback: ({ lab }, a) => lab.rollback(null, pick(SERVICES, a)),
  retry: ({ lab }, a, b) => lab.retry(pick(SERVICES, a), pick(['ana', 'ben'], b)),
  cancel: ({ lab }, a, b) => {
    const row = lab.store.tables.services.get(`default|${pick(SERVICES, a)}`);
    return lab.cancel(b % 3 === 0 ? (row?.newest ?? null) : null, pick(SERVICES, a));
  },
  teardown: ({ lab }, a, b) => lab.teardown(b % 3 === 0 ? 'no longer needed' : null, pick(SERVICES, a)),
  publish: ({ lab }) => lab.publish(),
  build: async (cast, a) => keep(cast, await pick(cast.builders, a).acquire()),
  work: async (cast) => keep(cast, (await cast.current?.acquire()) ?? null),
  beat: ({ leases }, a) => pick(leases, a)?.heartbeat(),
  progress: ({ leases }, a, b) => pick(leases, a)?.progress(b % 9),
  release: ({ leases }, a) => pick(leases, a)?.release(),
  finish: async ({ leases }, a, b) => {
    const lease = pick(leases, leases.length - 1 - (a % 2));
    if (lease === undefined) return;
    const { kind } = lease.offer;
    const bad = b % 5 === 4;
    if (b % 17 === 16) return lease.send('cancel.acknowledged');
    if (kind === 'build')
      return bad ? lease.fails() : lease.stored(DIGEST, b % 2 ? { port: 8080 } : undefined);
    if (kind === 'remove') return lease.removed();
    return bad ? lease.applyFails('apply_failed', b % 2 === 0) : lease.applied(DIGEST);
  },
  register: async (cast, a, b) => {
    const agent = pick(cast.agents, a);
    await agent.register(b % 6 === 5 ? 'cluster-2' : 'cluster-1');
    cast.current = agent;
  },
  full: ({ lab, current }, a, b, c) =>
    current?.sees(observed(lab, a, b), entries(lab, a, b), {
      scope: scopeOf(c),
      watchAgeMs: c % 5 === 0 ? 2_000 : 0,
    }),
  nothing: ({ current }, _a, _b, c) => current?.sees([], [], { scope: scopeOf(c) }),
  partial: ({ lab, current }, a, b, c) =>
    current?.sees(observed(lab, a, b), entries(lab, a, b), { complete: false, scope: scopeOf(c) }),
  change: ({ lab, current }, a, b, c) =>
    current?.changes(
      { instances: observed(lab, a, b), services: c % 2 === 0 ? entries(lab, a, b) : [] },
      { instances: c % 3 === 0 ? [`${pick(SERVICES, a)}-0`] : [], services: [] },
    ),
  alive: ({ current }, _a, b) => current?.heartbeat(b % 6 === 0 ? { unavailable: 'forbidden' } : {}),
  pause: ({ lab }, a) => lab.sleep(pick(PAUSES, a)),
  awake: ({ lab }, a) => lab.tick(pick(PAUSES, a)),
  watch: async ({ lab, current }, a) => {
    await lab.tick(pick(PAUSES, a));
    await current?.heartbeat();
  },
  sweep: ({ lab }, a) => lab.sweep(pick(['sweeper-a', 'sweeper-b'], a)),
  /** The next usual action, so that random lives reach late states. */
  onward: async (cast, a) => {
    await ACTS.publish(cast);
    await ACTS.build(cast, a);
    await ACTS.work(cast);
    await ACTS.finish(cast, 0, 1);
  },
  steady: async (cast, a, _b, c) => {
    await ACTS.full(cast, a, 1, 1);
    await cast.lab.tick(3_000);
    await ACTS.full(cast, a, 1, c);
  },
} satisfies Record<string, (cast: Cast, a: number, b: number, c: number) => unknown>;

function keep(cast: Cast, lease: Lease | null): void {
  if (lease !== null) cast.leases = [...cast.leases, lease].slice(-6);
}

const WEIGHTS: Partial<Record<Step[0], number>> = {
  deploy: 4,
  onward: 6,
  steady: 4,
  full: 3,
  change: 2,
  awake: 2,
};
const choices = (Object.keys(ACTS) as Step[0][]).map((act) => ({
  weight: WEIGHTS[act] ?? 1,
  arbitrary: fc.constant(act),
}));
const number = fc.nat(100);

/** Begins with a registration and a deployment, which most sequences need. */
export const lives = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc
    .tuple(
      number,
      number,
      number,
      fc.array(fc.tuple(fc.oneof(...choices), number, number, number), { maxLength, size: 'max' }),
    )
    .map(([a, b, c, more]): Step[] => [['register', 0, 0, 0], ['deploy', a, b, c], ...more]);

export async function live(lab: Lab, steps: readonly Step[], after: () => Promise<void> = async () => {}) {
  const cast = new Cast(lab);
  await lab.sweep();
  await lab.holds(DIGEST);
  for (const [act, a, b, c] of steps) {
    try {
      await ACTS[act](cast, a, b, c);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    await after();
  }
}

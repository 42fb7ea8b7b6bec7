import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { contradictionsIn } from '../../test/verbs/contradictions.ts';
import { SERVICE_ACTIONS } from '../contract/actions.ts';
import { DIGITS } from '../contract/digits.ts';
import type { Intent, RevisionIntent } from '../contract/intent.ts';
import { PROBLEM_CODES } from '../contract/problem.ts';
import {
  CAUSE_CODES,
  COMMAND_KINDS,
  KINDS,
  MOVERS,
  OUTCOMES,
  PHASES,
  REVISION_KINDS,
  ROLES,
  RUNTIME_REASONS,
  STAGES,
  STATES,
} from '../contract/vocabulary.ts';
import { claim } from './claim.ts';
import { DEADLINES } from './deadlines.ts';
import type { AttemptFacts, CommandFacts, Facts, Liveness, ObservedPart, RevisionFacts } from './facts.ts';

/** Claim is total: facts that no ledger could give still get a claim of the right shape, and never a throw. */
it('a claim exists for any facts', () => {
  fc.assert(
    fc.property(intents, allFacts, instants, (intent, facts, now) => {
      const claimed = claim(intent, facts, now, {
        operator: { correlation: 'c', lastEvidence: null, rejected: 0 },
      });
      const shape = claimSchema.safeParse(claimed);
      expect(shape.error?.issues ?? []).toEqual([]);
      expect(claimed.message.body).not.toMatch(/undefined|null|NaN/);
      expect(contradictionsIn({ state: claimed.state, ...claimed.message })).toEqual([]);
      if (claimed.state === 'unknown' || claimed.state === 'failed') expect(claimed.cause).not.toBeNull();
      if (claimed.state === 'running' || claimed.state === 'stopped')
        expect(claimed.proof.stoppedAt).toBeNull();
      expect(claim(intent, facts, now).operator).toBeUndefined();
    }),
    { numRuns: 1000 },
  );
});

const time = z.iso.datetime();
const age = z.int().min(0);
const claimSchema = z.strictObject({
  service: z.string(),
  state: z.enum(STATES),
  since: z.string(),
  desired: z.strictObject({
    revision: z.int(),
    attempt: z.int(),
    artifact: z.string().nullable(),
    replicas: z.int(),
  }),
  lastServing: z
    .strictObject({ revision: z.int(), attempt: z.int(), asOf: z.string(), ageMs: age })
    .nullable(),
  nothingServes: z.strictObject({ asOf: z.string(), validUntil: z.string().nullable() }).optional(),
  formerPlace: z.strictObject({ identity: z.string(), copies: z.int(), asOf: z.string() }).nullable(),
  serving: z
    .strictObject({ revision: z.int(), attempt: z.int(), asOf: z.string(), validUntil: z.string() })
    .nullable(),
  outcome: z.enum(OUTCOMES),
  proof: z.strictObject({
    reached: z.array(z.enum(STATES)),
    stoppedAt: z.enum(STATES).nullable(),
    evidence: z.array(z.string()).refine((ids) => new Set(ids).size === ids.length),
  }),
  path: z
    .array(z.strictObject({ state: z.enum(STATES), reached: z.boolean(), current: z.boolean() }))
    .refine((path) => path.length === 0 || path.filter(({ current }) => current).length === 1),
  freshness: z.strictObject({
    asOf: z.string().nullable(),
    ageMs: age.nullable(),
    freshForMs: z.number().nullable(),
    validUntil: z.string().nullable(),
  }),
  queued: z.array(
    z.strictObject({ revision: z.int(), attempt: z.int(), since: z.string(), actor: z.string() }),
  ),
  lastKnown: z.strictObject({ state: z.enum(STATES), at: z.string(), ageMs: age }).nullable(),
  cause: z
    .strictObject({
      code: z.enum(CAUSE_CODES),
      params: z.record(z.string(), z.union([z.string(), z.number()])),
    })
    .nullable(),
  expecting: z
    .strictObject({ evidence: z.enum(KINDS), from: z.enum(ROLES), by: z.string().nullable() })
    .nullable(),
  timeout: z
    .strictObject({
      stage: z.enum(STAGES),
      expected: z.enum(KINDS),
      retrySafe: z.boolean(),
      owner: z.enum(MOVERS),
    })
    .nullable(),
  message: z.strictObject({ code: z.string().min(1), title: z.string().min(1), body: z.string().min(1) }),
  next: z.strictObject({
    owner: z.enum(MOVERS),
    action: z.string().nullable(),
    retrySafe: z.boolean(),
    retryHelps: z.literal(false).optional(),
    elsewhere: z.literal(true).optional(),
  }),
  actions: z
    .array(
      z.union([
        z.strictObject({
          action: z.enum(SERVICE_ACTIONS),
          allowed: z.literal([true, null]),
          risk: z.strictObject({ code: z.literal('identity_changed'), detail: z.string().min(1) }).optional(),
        }),
        z.strictObject({
          action: z.enum(SERVICE_ACTIONS),
          allowed: z.literal(false),
          whyNot: z.strictObject({
            code: z.enum(PROBLEM_CODES),
            detail: z.string().min(1),
            mayForce: z.boolean(),
          }),
        }),
      ]),
    )
    .length(SERVICE_ACTIONS.length),
  position: z.string().regex(DIGITS),
  now: time.or(z.string().startsWith('+')).or(z.string().startsWith('-')),
  operator: z.strictObject({
    stage: z.enum(STAGES).nullable(),
    attempt: z.int(),
    fence: z.string().nullable(),
    holder: z.string().nullable(),
    holderLastHeardAt: z.string().nullable(),
    correlation: z.string(),
    lastEvidence: z.object({ id: z.string(), kind: z.string(), at: z.string() }).nullable(),
    rejected: z.int(),
    text: z.string().min(1),
  }),
});

/** Mostly instants near each other, so that rules meet; sometimes impossible ones. */
const instants = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 1_000_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1e300, 1e300, -1, 0.5) },
);
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const digits = fc.nat(20).map(String);
const word = fc.oneof(
  fc.constantFrom('', 'x', '__proto__', 'toString'),
  fc.constantFrom(...CAUSE_CODES),
  fc.string(),
);
const number = fc.integer({ min: 0, max: 3 });
const digest = fc.constantFrom(`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`);
const artifact = fc.oneof(
  digest,
  digest.map((d) => `r/web@${d}`),
  fc.constant('web:1'),
);
const mark = fc.record({ id: fc.nat(30).map((n) => `e${n}`), position: digits, at: instants });
const marked = <T>(more: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.tuple(mark, fc.record(more)).map(([m, rest]) => ({ ...m, ...rest }));
const interval = fc.record({ from: instants, to: instants });
const silence = fc.record({ from: instants, to: instants, evidence: fc.nat(30).map((n) => `e${n}`) });

const lease = fc.record({
  fence: digits,
  acknowledged: orNull(mark),
  ended: orNull(
    marked({
      end: fc.constantFrom(
        'completed',
        'failed',
        'released',
        'cancelled',
        'lapsed',
        'revoked',
        'registration',
      ),
    }),
  ),
});
const command: fc.Arbitrary<CommandFacts> = fc
  .record({
    kind: fc.constantFrom(...COMMAND_KINDS),
    published: orNull(mark),
    publishFailed: orNull(mark),
    leases: fc.array(lease, { maxLength: 3 }),
    requeued: orNull(mark),
    withdrawn: orNull(mark),
    progress: orNull(marked({ step: fc.nat(), total: orNull(fc.nat()) })),
  })
  .map((c) => ({ ...c, id: `web@lab.r1.a1.${c.kind}.1` }));
const settled = marked({
  outcome: fc.constantFrom('succeeded', 'failed', 'cancelled', 'abandoned'),
  stage: orNull(fc.constantFrom(...STAGES)),
  cause: orNull(word),
  retrySafe: fc.boolean(),
  timedOut: fc.boolean(),
});
const attempt: fc.Arbitrary<AttemptFacts> = fc.record({
  attempt: number,
  requested: orNull(mark),
  cancel: fc.option(marked({ immediate: fc.boolean(), queued: fc.boolean() }), { nil: null, freq: 8 }),
  commands: fc.array(command, { maxLength: 3 }),
  ending: orNull(settled),
  settled: orNull(settled),
  applied: orNull(marked({ artifact: orNull(artifact) })),
  removed: orNull(mark),
  held: orNull(mark),
  broken: orNull(mark),
  progress: orNull(marked({ ready: number, furthest: number })),
}) as fc.Arbitrary<AttemptFacts>;
const revision: fc.Arbitrary<RevisionFacts> = fc.record({
  revision: number,
  recorded: orNull(
    marked({ kind: fc.constantFrom(...REVISION_KINDS), queued: fc.boolean(), absent: fc.boolean() }),
  ),
  activatedAt: instants,
  artifact: orNull(marked({ digest, port: orNull(fc.constant(80)) })),
  attempt,
});

const steady = fc.record({
  since: instants,
  evidence: fc.constant('e1'),
  contrary: fc.subarray(['e2', 'e3']),
});
const stamp = {
  revision: orNull(number),
  attempt: orNull(number),
  template: orNull(fc.constantFrom('t1', 't2')),
};
const instance = fc.record({
  ...stamp,
  uid: fc.constantFrom('a', 'b', 'c'),
  name: fc.constant(''),
  service: fc.constant('web@lab'),
  fence: orNull(digits),
  artifact: orNull(artifact),
  phase: fc.constantFrom(...PHASES),
  ready: fc.boolean(),
  restarts: fc.nat(5),
  containers: fc.constant<ObservedPart['instances'][number]['containers']>([]),
  reason: orNull(fc.oneof(fc.constantFrom(...RUNTIME_REASONS), word)),
  steady,
});
const entry = fc.record({
  service: fc.constant('web@lab'),
  route: orNull(fc.record({ answers: fc.boolean(), revision: orNull(number), attempt: orNull(number) })),
  generation: orNull(fc.record({ desired: digits, observed: digits })),
  template: orNull(fc.constantFrom('t1', 't2')),
  replicas: orNull(number),
});
const part: fc.Arbitrary<ObservedPart> = fc.record({
  scope: fc.constantFrom('*', 'a', 'b'),
  mark,
  epoch: digits,
  asOf: instants,
  completeAsOf: orNull(instants),
  completeMark: orNull(mark),
  corrupt: fc.boolean(),
  instances: fc.array(instance, { maxLength: 3 }),
  entry: orNull(entry),
  entries: fc.array(fc.record({ entry: orNull(entry), steady }), { maxLength: 3 }),
  cleared: fc.array(fc.record({ ...stamp, steady }), { maxLength: 2 }),
});
const liveness: fc.Arbitrary<Liveness> = fc.record({
  settings: fc.record({
    freshForMs: fc.constantFrom(0, 15_000, 1e9),
    reportEveryMs: fc.constant(5000),
    leaseTtlMs: fc.constantFrom(0, 30_000),
    offerMs: fc.constant(5000),
    blindAfterMs: fc.constant(5000),
    checkpointEvery: fc.constant(100),
  }),
  scopes: fc.array(
    fc.record({
      scope: fc.constantFrom('*', 'a'),
      epoch: digits,
      asOf: instants,
      receivedAt: instants,
      completeAt: orNull(instants),
      unavailable: orNull(fc.constantFrom('forbidden', 'runtime_unreachable')),
    }),
    { maxLength: 2 },
  ),
  unread: fc.array(fc.constantFrom('*', 'pods'), { maxLength: 1 }),
  agent: orNull(
    fc.record({
      epoch: digits,
      registeredAt: instants,
      evidence: fc.constant('e9'),
      identityEpoch: digits,
      identitySince: instants,
      identityChanged: fc.boolean(),
      places: fc.record({
        runs: fc.array(
          fc.record({
            identity: fc.constantFrom('x', 'y'),
            epoch: digits,
            position: digits,
            at: instants,
          }),
          { maxLength: 3 },
        ),
        retired: fc.array(fc.record({ identity: fc.constantFrom('x', 'y'), at: instants }), { maxLength: 1 }),
      }),
    }),
  ),
  lease: orNull(
    fc.record({
      command: fc.constantFrom('web@lab.r1.a1.build.1', 'web@lab.r1.a1.apply.1'),
      fence: digits,
      holder: fc.constant('builder-a'),
      grantedAt: instants,
      acknowledged: fc.boolean(),
      until: instants,
      ended: fc.boolean(),
    }),
  ),
  workers: fc.array(fc.record({ worker: fc.constant('w'), seenAt: instants, busyUntil: orNull(instants) }), {
    maxLength: 2,
  }),
  blind: fc.array(interval, { maxLength: 2 }),
  awakeUntil: instants,
  recoveredAt: fc.option(instants, { nil: null, freq: 8 }),
  lost: fc.option(fc.record({ from: instants, to: instants }), { nil: null, freq: 8 }),
}) as fc.Arbitrary<Liveness>;

const allFacts: fc.Arbitrary<Facts> = fc.record({
  proven: fc.record({
    from: number,
    revisions: fc.array(revision, { maxLength: 3 }),
    leasedApply: orNull(mark),
    observed: fc.record({
      parts: fc.array(part, { maxLength: 3 }),
      silences: fc.array(silence, { maxLength: 2 }),
      lastJudged: orNull(fc.constantFrom('held', 'unmet', 'contradicted')),
    }),
  }),
  liveness,
  recorded: orNull(
    fc.record({
      state: fc.constantFrom(...STATES),
      revision: number,
      attempt: number,
      since: instants,
      position: digits,
    }),
  ),
}) as fc.Arbitrary<Facts>;

const deadlines = fc.record(
  Object.fromEntries(Object.keys(DEADLINES).map((name) => [name, fc.constantFrom(1, 60_000, 1e9)])),
) as unknown as fc.Arbitrary<RevisionIntent['deadlines']>;
const revisionIntent: fc.Arbitrary<RevisionIntent> = fc.record({
  revision: number,
  kind: fc.constantFrom(...REVISION_KINDS),
  origin: fc.oneof(
    digest.map((d) => ({ kind: 'source' as const, digest: d })),
    artifact.map((image) => ({ kind: 'image' as const, image })),
    digest.map((d) => ({ kind: 'artifact' as const, digest: d })),
    fc.constant({ kind: 'observe' as const }),
    fc.constant({ kind: 'none' as const }),
  ),
  replicas: number,
  port: fc.constantFrom(8080, 'auto' as const, null),
  command: fc.constant(null),
  stabilityMs: fc.constantFrom(0, 3000),
  deadlines,
  accepts: fc.array(fc.record({ revision: number, attempt: number }), { maxLength: 1 }),
  template: orNull(fc.constantFrom('t1', 't2')),
  spec: fc.constant({}),
  git: fc.constant(null),
  actor: fc.constant('ana'),
  createdAt: instants,
});
const intents: fc.Arbitrary<Intent> = fc.record({
  service: fc.constant('web@lab'),
  revisions: fc.array(revisionIntent, { maxLength: 4 }),
});

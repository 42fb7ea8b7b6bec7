import { z } from 'zod';
import { SERVICE_ACTIONS } from '../actions.ts';
import type { Claim } from '../claim.ts';
import { PROBLEM_CODES } from '../problem.ts';
import { digitsSchema } from '../report.ts';
import { CAUSE_CODES, KINDS, MOVERS, OUTCOMES, OWNERS, ROLES, STAGES, STATES } from '../vocabulary.ts';

/** UTC, written with a Z. Stored as milliseconds since 1970: no time zone, no daylight saving, no 2038 (F43). */
export const instant = z.iso.datetime();
const state = z.enum(STATES);
const number = z.int().min(0);

const params = z.record(z.string(), z.union([z.string(), z.number()]));

const operatorDetail = z.object({
  stage: z.enum(STAGES).nullable(),
  attempt: number,
  fence: digitsSchema.nullable(),
  holder: z.string().nullable(),
  holderLastHeardAt: instant.nullable(),
  correlation: z.string(),
  lastEvidence: z.object({ id: z.string(), kind: z.string(), at: instant }).nullable(),
  rejected: number,
  text: z.string(),
});

const action = z.enum(SERVICE_ACTIONS);
const risk = z
  .object({ code: z.enum(CAUSE_CODES), detail: z.string() })
  .optional()
  .describe('It may be requested, and is not safe.');
const actionDecision = z
  .union([
    z.object({ action, allowed: z.literal(true), risk }),
    z.object({
      action,
      allowed: z.literal(false),
      whyNot: z.object({
        code: z.enum(PROBLEM_CODES),
        detail: z.string(),
        mayForce: z.boolean().describe('An operator may force it all the same, with a reason.'),
      }),
    }),
    z.object({
      action,
      allowed: z.null().describe('Not decided in lists and streams: read the service.'),
      risk,
    }),
  ])
  .meta({
    id: 'ActionDecision',
    description: 'What the server would answer if the action were requested now, whatever the role.',
  });

/** The claim as it is described and checked. The compiler refuses it if it lacks a field of `Claim`. */
export const claimSchema = z
  .object({
    service: z.string(),
    state,
    since: instant,
    desired: z.object({
      revision: number,
      attempt: number,
      artifact: z.string().nullable(),
      replicas: number,
    }),
    serving: z.object({ revision: number, attempt: number, asOf: instant, validUntil: instant }).nullable(),
    lastServing: z
      .object({ revision: number, attempt: number, asOf: instant, ageMs: z.number() })
      .nullable()
      .describe('While nothing is proven to serve: what was last seen serving, and is not proven gone.'),
    nothingServes: z
      .object({ asOf: instant, validUntil: instant.nullable() })
      .optional()
      .describe(
        'The proof that no revision answers; absent where one does, and where it is not known. Without `validUntil` the ledger alone proves it.',
      ),
    formerPlace: z
      .object({ identity: z.string(), copies: number, asOf: instant })
      .nullable()
      .describe('Copies in a place that the target had before, which were never proven gone.'),
    certificate: z
      .object({ notAfter: instant, endsSoon: z.boolean() })
      .optional()
      .describe('The certificate that clients of https were shown; absent where there is none.'),
    outcome: z.enum(OUTCOMES),
    proof: z.object({
      reached: z.array(state),
      stoppedAt: state.nullable(),
      evidence: z.array(z.string()),
    }),
    path: z
      .array(z.object({ state, reached: z.boolean(), current: z.boolean() }))
      .describe('The states that the active revision passes, in order; the proof stands at the current one.'),
    freshness: z.object({
      asOf: instant.nullable(),
      ageMs: z.number().nullable(),
      freshForMs: z.number().nullable(),
      validUntil: instant.nullable(),
    }),
    queued: z.array(z.object({ revision: number, attempt: number, since: instant, actor: z.string() })),
    lastKnown: z.object({ state, at: instant, ageMs: z.number() }).nullable(),
    cause: z.object({ code: z.enum(CAUSE_CODES), params }).nullable(),
    expecting: z
      .object({
        evidence: z.enum(KINDS),
        from: z.enum(ROLES),
        by: instant.nullable(),
        endsAt: instant.optional(),
      })
      .nullable(),
    timeout: z
      .object({
        stage: z.enum(STAGES),
        expected: z.enum(KINDS),
        retrySafe: z.boolean(),
        owner: z.enum(MOVERS),
      })
      .nullable(),
    message: z.object({ code: z.string(), title: z.string(), body: z.string() }),
    next: z.object({
      owner: z.enum(MOVERS),
      action: z.string().nullable(),
      retrySafe: z.boolean(),
      retryHelps: z
        .literal(false)
        .optional()
        .describe('Another try of the same revision ends the same way; absent where it may end otherwise.'),
      elsewhere: z
        .literal(true)
        .optional()
        .describe('Another tool deploys it: it is tried again there, and nothing is retried here.'),
    }),
    actions: z
      .array(actionDecision)
      .describe(
        'One for each action that can be requested; empty in a claim that is read at a past instant.',
      ),
    position: digitsSchema,
    now: instant,
    operator: operatorDetail.optional().describe('Only for operators and admins.'),
  })
  .meta({
    id: 'Claim',
    description: 'What the platform proves of a service, computed when it is read.',
  }) satisfies z.ZodType<Omit<Claim, 'operator'>>;

/** The answer to every action. */
/** One field in which a configuration differs from another. A secret is shown as `{"secret": true}`. */
export const fieldChangeSchema = z.object({
  field: z.string(),
  kind: z.enum(['added', 'changed', 'removed']),
  from: z.unknown().optional(),
  to: z.unknown().optional(),
});

export const actedSchema = z.object({
  service: z.string(),
  revision: number,
  attempt: number,
  rolledBackTo: number
    .optional()
    .describe('Of a rollback: the revision whose artifact and configuration it restores.'),
  changes: z
    .array(fieldChangeSchema)
    .optional()
    .describe(
      'What it changes in the configuration of the service; empty: nothing. A teardown says nothing.',
    ),
  supersedes: z
    .object({ revision: number, attempt: number, since: instant, actor: z.string() })
    .optional()
    .describe('The revision in progress whose place it takes, and whose it is.'),
  claim: claimSchema,
});

export const transitionSchema = z.object({
  position: digitsSchema,
  at: instant,
  from: state.nullable(),
  to: state,
  owner: z.enum(OWNERS),
  evidence: z.string(),
  revision: number,
  attempt: number,
});

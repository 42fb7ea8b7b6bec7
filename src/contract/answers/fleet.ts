import { z } from 'zod';
import { specSchema } from '../intent.ts';
import { observationAnswerSchema, workloadSchema } from '../observation.ts';
import { digitsSchema } from '../report.ts';
import { COMMAND_KINDS, REJECTIONS, RUNTIMES } from '../vocabulary.ts';
import { instant } from './claim.ts';
import { pageOf } from './history.ts';

const number = z.int().min(0);

const agentItem = z.object({
  id: z.string(),
  agent: z.string().nullable(),
  target: z.string(),
  instance: z.string(),
  epoch: digitsSchema,
  version: z.string().nullable(),
  identity: z.string().nullable(),
  state: z.enum(['alive', 'stale', 'fenced']),
  asOf: instant.nullable(),
  watchAgeMs: z.number().nullable(),
  skewMs: z.number().nullable().describe('How far ahead its clock is, by the `at` of its last report.'),
  forbidden: z.array(z.string()),
  scopes: z.array(
    z.object({
      scope: z.string(),
      asOf: instant.nullable().describe('Null: no report has been able to read anything of it yet.'),
      unavailable: z.string().nullable(),
      stalled: z.boolean().describe('What was seen of it is too old to count.'),
      denied: z
        .array(z.object({ verb: z.string(), resource: z.string() }))
        .describe('The permissions that its agent lacks to read it.'),
      absent: z.boolean().describe('Its namespace does not exist in the cluster.'),
    }),
  ),
  observation: observationAnswerSchema.describe('The rule of its target; null: none.'),
  observeOnly: z.boolean().describe('It applies nothing: whatever is deployed to its target is refused.'),
  registeredAt: instant,
  seenAt: instant.nullable(),
});
export const agentsSchema = pageOf(agentItem);

export const spansSchema = pageOf(
  z.object({
    epoch: digitsSchema,
    from: instant,
    until: instant,
    firstSeq: digitsSchema.nullable(),
    lastSeq: digitsSchema.nullable(),
  }),
);

export const workersSchema = pageOf(
  z.object({
    worker: z.string(),
    instance: z.string(),
    kinds: z.array(z.string()),
    state: z.enum(['busy', 'online', 'offline']),
    lastSeen: instant.nullable(),
    holds: z.array(z.object({ lease: z.string(), command: z.string(), fence: digitsSchema, until: instant })),
  }),
);

export const commandsSchema = pageOf(
  z.object({
    command: z.string(),
    kind: z.enum(COMMAND_KINDS),
    service: z.string(),
    revision: number,
    attempt: number,
    state: z.enum(['held', 'recorded', 'published', 'offered', 'leased']),
    waitsFor: z.string(),
    since: instant,
    holder: z.object({ worker: z.string(), instance: z.string(), until: instant }).nullable(),
    lapses: number,
  }),
);

export const targetSchema = z.object({
  target: z.string(),
  runtime: z.enum(RUNTIMES).nullable(),
  agent: z
    .object({
      agent: z.string().optional().describe('Only for operators and admins.'),
      instance: z.string().optional().describe('Only for operators and admins.'),
      state: z.enum(['alive', 'stale']),
    })
    .nullable(),
  services: number,
  notOnRecord: z
    .array(z.string())
    .describe(
      'Reported under numbers of ours, and there is no such service: deployed in what a restore has lost.',
    ),
});
export const targetsSchema = pageOf(targetSchema);
export const observationSchema = z.object({
  target: z.string(),
  version: number,
  namespaces: z.array(z.string()).nullable().describe('Null: nothing is observed.'),
  selector: z.string().nullable(),
  ask: z.boolean().describe('Its agent may send requests to the apps.'),
  since: instant.nullable(),
  actor: z.string().nullable(),
  absent: z
    .array(z.object({ namespace: z.string(), asOf: instant }))
    .describe('Namespaces of the rule that do not exist in the cluster, as its agent last found.'),
});
export const retirementSchema = z.object({ target: z.string(), identity: z.string(), retiredAt: instant });

export const tokenSchema = z.object({
  id: z.string(),
  role: z.string(),
  name: z.string(),
  org: z.string(),
  target: z.string(),
  service: z.string(),
  createdAt: instant,
  expiresAt: instant.nullable(),
  revokedAt: instant.nullable(),
  lastUsedAt: instant.nullable(),
});
export const newTokenSchema = tokenSchema.extend({ token: z.string().describe('Shown this once.') });
/** `session` names a browser's session, and is no secret; null for a token. */
export const sessionSchema = z.object({
  role: z.string(),
  org: z.string(),
  name: z.string(),
  session: z.string().nullable(),
});

/** A link that signs a browser in once; it goes behind `#link=` in the address of the page. */
export const signInLinkSchema = z.object({ link: z.string(), expiresAt: z.string() });

/** An offered lease, with all that its holder needs to do the work. */
const offeredLease = z.object({
  id: z.string(),
  command: z.string(),
  kind: z.enum(COMMAND_KINDS),
  service: z.string(),
  revision: number,
  attempt: number,
  fence: digitsSchema,
  ttlMs: number,
  input: z.object({
    source: z.string().nullish().describe('Of a build: the digest of its source.'),
    artifact: z.string().nullish().describe('Of an apply: a digest, or an image.'),
    spec: z
      .object(specSchema.shape)
      .optional()
      .describe('Whole: defaults fill it; an apply has what the build found where it was silent.'),
    accepts: z
      .array(z.object({ revision: number, attempt: number }))
      .optional()
      .describe('Of an apply: stamps of instances that may stay, because a scale keeps them.'),
  }),
});

/** The offer to a worker or an agent. */
export const offerSchema = z.object({
  lease: offeredLease.optional().describe('Absent where `max` was named.'),
  leases: z.array(offeredLease).optional().describe('Where `max` was named: as many at most.'),
});
export const heartbeatSchema = z.object({
  ttlMs: number,
  cancelRequested: z.boolean(),
  superseded: z.boolean(),
});
export type HeartbeatAnswer = z.infer<typeof heartbeatSchema>;

/** The answers to heartbeats of several leases, in their order. */
export const heartbeatsSchema = z.object({
  beats: z.array(
    z.union([
      heartbeatSchema.extend({ id: z.string() }),
      z.object({
        id: z.string(),
        code: z.string().describe('`lease_lost`: stop this work at once.'),
        detail: z.string(),
        holder: z.record(z.string(), z.string()).optional(),
        until: instant.optional(),
      }),
    ]),
  ),
});

export const verdictsSchema = z.object({
  leases: z.array(offeredLease).optional().describe('Where `next` was named: the work that it asked for.'),
  results: z.array(
    z.object({
      id: z.string(),
      verdict: z.enum(['admitted', 'rejected']),
      reason: z.enum(REJECTIONS).optional(),
      position: digitsSchema,
      duplicate: z.literal(true).optional(),
    }),
  ),
});
export const artifactSchema = z.object({ digest: z.string(), size: number });
export const acceptedSchema = z.object({ accepted: number });

export const registeredSchema = z.object({
  epoch: digitsSchema,
  reportEveryMs: number,
  freshForMs: number,
  now: instant,
  observation: observationAnswerSchema,
  names: z
    .array(z.object({ service: z.string(), workload: workloadSchema }))
    .describe('Workloads that have other names than their own, because others had these first.'),
  namespaces: z
    .array(z.string())
    .optional()
    .describe('Namespaces with services on record: one that is empty by now is still to be reported.'),
  defaultNamespace: z
    .string()
    .nullable()
    .describe('The namespace whose workloads are named without it, as the first registration named it.'),
});
export const beatsAnswerSchema = z.object({
  now: instant,
  observation: observationAnswerSchema,
  beats: z.array(z.object({ scope: z.string(), seq: digitsSchema, resync: z.boolean() })),
});
export const reportedSchema = z.object({
  seq: digitsSchema,
  now: instant,
  resync: z.boolean(),
  rejected: z.array(
    z.object({
      index: number,
      uid: z.string().optional(),
      service: z.string().optional(),
      errors: z.array(z.string()),
    }),
  ),
  observation: observationAnswerSchema,
});

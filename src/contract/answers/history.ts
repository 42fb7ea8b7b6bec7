import { z } from 'zod';
import { gitSchema, specSchema } from '../intent.ts';
import { warningSchema } from '../observation.ts';
import { containerSchema, digitsSchema, instanceSchema } from '../report.ts';
import {
  COMMAND_KINDS,
  OUTCOMES,
  PHASES,
  REJECTIONS,
  REVISION_KINDS,
  ROLES,
  STAGES,
  STATES,
} from '../vocabulary.ts';
import { claimSchema, fieldChangeSchema, instant, transitionSchema } from './claim.ts';

const number = z.int().min(0);

const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    unreadable: z
      .array(z.string())
      .optional()
      .describe('What belongs into the list and cannot be read any more, by its name.'),
  });
export const pageOf = <T extends z.ZodType>(item: T) =>
  listOf(item).extend({ cursor: z.string().nullable().describe('Null on the last page.') });

/** The revision that a service should run, as far as a list shows it. */
const wantedRevision = z.object({
  revision: number,
  kind: z.enum(REVISION_KINDS),
  actor: z.string(),
  managedBy: z.string().nullable().describe('The tool that deploys it, where that is not Evident.'),
  git: z.object(gitSchema.shape).nullable(),
  createdAt: instant,
  copies: z
    .object({ ready: number, wanted: number })
    .nullable()
    .describe(
      'By the last report, whose age the claim says. Null: nothing was reported of the service yet, or copies of it cannot be judged, as on a silent node.',
    ),
});
/** A service as lists show it. By itself it also has its spec, in which a secret only says that it is set. */
const listedService = z.object({
  ref: z.string(),
  name: z.string(),
  target: z.string(),
  org: z.string(),
  urls: z.array(z.string()),
  createdAt: instant.nullable().describe('Null: it cannot be read any more.'),
  wanted: wantedRevision.nullable().describe('Null: its record cannot be read any more.'),
  servingCopies: number
    .nullable()
    .describe(
      'Ready copies of the revision that serves, by the last report, while another one is wanted. Null: they are the same, or it is not known.',
    ),
  failingLine: z
    .string()
    .nullable()
    .describe(
      'Of what failed or is degraded: the line of its log that names the cause, else its last one. Null: it has none, or it was not read yet.',
    ),
  holding: z
    .object({ since: instant, unknownMs: number })
    .nullable()
    .describe(
      'Where silences of the last day alone interrupted its state: since when it holds, and for how long of that it was not known.',
    ),
  claim: claimSchema,
});
/** In it, a secret only says that it is set. */
const specView = specSchema.extend({
  env: z.record(z.string(), z.union([z.string(), z.object({ secret: z.literal(true) })])).optional(),
});
const images = z.array(z.object({ container: z.string(), image: z.string() }));
/** The origin of a revision as the cluster names it; null: it does not. */
const provenance = {
  managedBy: z
    .string()
    .nullable()
    .describe('Argo CD, Flux or Helm by what they leave on it, else its writer.'),
  fieldManager: z.string().nullable().describe('Whoever wrote its template last.'),
  release: z.string().nullable(),
  commit: z.string().nullable().describe('Only where the object or the tool that deployed it names one.'),
  images: images.describe('As the template names them.'),
};
const workloadView = z.object({
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  ...provenance,
  declared: z.object({ replicas: number.nullable(), template: z.string().nullable(), images }),
  observed: z
    .object({
      revision: number.nullable(),
      pods: number,
      ready: number,
      unknown: number,
      otherPods: number.describe('Of other templates, or without one.'),
      heldBack: z
        .object({ pods: number, ready: number })
        .optional()
        .describe(
          'Of the other pods, those that keep an older template on purpose; absent where there are none.',
        ),
      digests: z.array(z.string()).describe('As the nodes name what they run.'),
      saidBy: z.array(z.string()).describe('Whose word it rests on: kubelet, endpoint, request, api.'),
    })
    .describe('By the last report; the claim says how fresh that is.'),
  warnings: z
    .array(warningSchema)
    .optional()
    .describe('Events of the cluster; only for operators and admins.'),
});
export const serviceSchema = listedService.extend({
  spec: z.object(specView.shape),
  workload: workloadView
    .nullable()
    .describe('What another tool deploys and a rule of the target observes; null for every other service.'),
});
export const servicesSchema = pageOf(listedService);

export const attemptSchema = z.object({
  attempt: number,
  outcome: z.enum(OUTCOMES),
  startedAt: instant,
  endedAt: instant.nullable(),
  stages: z.array(z.object({ stage: z.enum(STAGES), ms: z.number() })),
  build: z
    .array(z.object({ step: number, total: number.nullable(), message: z.string() }))
    .optional()
    .describe('What its builder did; only with one revision or attempt, and only for operators and admins.'),
});
/** The store was restored or failed over: history has a gap there (F54). */
const recoverySchema = z.object({
  at: instant,
  lostSince: instant
    .nullable()
    .describe('The newest instant on record before it: what was recorded from then until `at` is lost.'),
  void: z
    .object({ from: digitsSchema, to: digitsSchema })
    .describe('No position above `from` up to `to` is used.'),
  evidence: z.string(),
});
export const revisionSchema = z.object({
  revision: number,
  kind: z.enum(REVISION_KINDS),
  actor: z.string(),
  git: z.object(gitSchema.shape).nullable(),
  artifact: z.string().nullable(),
  artifactSize: number
    .nullable()
    .optional()
    .describe('In bytes, if they are in our store; only with one revision.'),
  replicas: number,
  provenance: z
    .object(provenance)
    .nullable()
    .describe('Of a revision that a rule of the target found; null for every other.'),
  createdAt: instant,
  attempts: z.array(attemptSchema),
  recoveries: z
    .array(recoverySchema)
    .describe('While it was the newest on record: what was requested between it and the next may be lost.'),
  changed: z
    .object({ against: number, fields: z.array(fieldChangeSchema), more: number })
    .nullable()
    .optional()
    .describe(
      'In a list: the first few fields in which it differs from the newest before it that was not cancelled, without long values, and how many more there are. Null: nothing configured it before.',
    ),
});

/** One revision, whole. */
export const wholeRevisionSchema = revisionSchema.extend({
  origin: z.object({ kind: z.string() }).loose().describe('What it was made of.'),
  spec: z.object(specView.shape),
  derivesFrom: number
    .nullable()
    .describe('The revision that a restart, a scaling or a rollback was derived from.'),
  against: number
    .nullable()
    .describe('The revision that `changes` compares it with; null: with no configuration at all.'),
  changes: z.array(fieldChangeSchema),
});

export const transitionsSchema = pageOf(transitionSchema).extend({
  recoveries: z.array(recoverySchema).describe('Between or after these items, by position.'),
});

/** The states of a service over a window of time, for a drawing of a few pixels' height. */
export const ribbonSchema = z.object({
  ref: z.string(),
  from: instant.describe('Later than asked where nothing older is on record, or too many changes are.'),
  to: instant,
  stretches: z
    .array(z.object({ state: z.enum(STATES), from: instant, to: instant }))
    .describe('In order, without a gap from the first change of the service on.'),
  ms: z
    .partialRecord(z.enum(STATES), number)
    .describe('The time in each state, exactly, also where stretches are drawn together.'),
  holding: z
    .object({ since: instant, unknownMs: number })
    .nullable()
    .describe(
      'For how long the last state is known to hold, silences included, after which it was as before, and how long those were. Null: it is not known.',
    ),
  ticks: z
    .array(
      z.object({
        ...{ at: instant, revision: number, attempt: number },
        kind: z.enum([...REVISION_KINDS, 'exit']).nullable(),
        startedAt: instant
          .optional()
          .describe('Of an exit: when the life began that it ended, by the clock of its machine.'),
        instance: z.string().optional().describe('Of an exit: the instance, where it is still shown.'),
        count: number
          .optional()
          .describe(
            'The exits that this one stands for, where many followed each other; left out: it alone.',
          ),
      }),
    )
    .describe(
      'The begin of each attempt: a deploy, a restart, a rollback. Null: its record cannot be read. And each exit of an instance, at the instant at which it was first seen: `exit`.',
    ),
});
export const ribbonsSchema = listOf(ribbonSchema);

export const evidencePageSchema = pageOf(
  z.object({
    id: z.string(),
    position: digitsSchema,
    kind: z.string(),
    service: z
      .string()
      .nullable()
      .describe('Null: what was refused did not name one, or it was decided above every service.'),
    revision: number.nullable(),
    attempt: number.nullable(),
    command: z.string().nullable(),
    fence: digitsSchema.nullable(),
    source: z.object({ role: z.enum(ROLES), name: z.string(), instance: z.string() }),
    receivedAt: instant,
    observedAt: z.string().nullable(),
    verdict: z.enum(['admitted', 'rejected']),
    reason: z.enum(REJECTIONS).nullable(),
    body: z.unknown(),
  }),
);

const { message, node, fence, ...observed } = instanceSchema.shape;
export const instancesSchema = listOf(
  z.object({
    ...observed,
    phase: z.enum(PHASES),
    containers: z.array(z.object(containerSchema.shape)),
    message: message.describe('Only for operators and admins.'),
    node: node.describe('Only for operators and admins.'),
    fence: fence.optional().describe('Only for operators and admins.'),
    exits: z
      .object({ count: number, first: instant, last: instant })
      .nullable()
      .describe('All exits that were seen since it was last well for long. Null: none.'),
    asOf: instant,
    validUntil: instant
      .nullable()
      .describe('From then on the row is last known. Null: it is already, whatever its age.'),
  }),
);

export const leasesSchema = pageOf(
  z.object({
    lease: z.string(),
    command: z.string(),
    kind: z.enum(COMMAND_KINDS),
    fence: digitsSchema,
    holder: z.object({ worker: z.string(), instance: z.string() }),
    grantedAt: instant,
    acknowledgedAt: instant.nullable(),
    endedAt: instant.nullable(),
    end: z.string().nullable(),
  }),
);

/** A line as it was sent; the last three only for operators and admins. */
export const logLineSchema = z.object({
  service: z.string(),
  revision: number,
  attempt: number,
  stream: z.enum(['build', 'run']),
  instance: z.string().nullable(),
  seq: digitsSchema,
  at: instant,
  line: z.string(),
  notice: z.literal(true).optional().describe('It stands where lines are missing.'),
  command: z.string().nullish(),
  fence: digitsSchema.nullish(),
  epoch: digitsSchema.nullish(),
});

import { z } from 'zod';
import { DIGITS } from './digits.ts';
import { NAMESPACE_NAME } from './names.ts';
import { WARNINGS, warningSchema, workloadSchema } from './observation.ts';
import { PHASES } from './vocabulary.ts';

export const digitsSchema = z.string().regex(DIGITS);
const count = z.int().min(0);

/** A container beside or inside an instance. Ephemeral ones are shown, never judged. */
export const containerSchema = z.object({
  name: z.string(),
  kind: z.enum(['main', 'init', 'sidecar', 'ephemeral']).default('main'),
  ready: z.boolean(),
  restarts: count.default(0),
  reason: z.string().nullish(),
  /** The digest of what it runs, by its node's word. */
  digest: z.string().max(200).nullish(),
});

/** The kubelet of its node, the endpoints of a service, a request to the instance itself, or the API server. */
const WITNESSES = ['kubelet', 'endpoint', 'request', 'api'] as const;

const portNumber = z.int().min(1).max(65_535);

/** Numbers and names beside the reason of an instance, for its sentence. No free text can enter one (S15). */
/** A label of a node with its value, as kubectl takes it: no free text (S15). */
export const NODE_LABEL = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,315}=[A-Za-z0-9._-]{0,63}$/;

/** The type of a condition of a pod: no free text (S15). */
export const CONDITION_TYPE = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,315}$/;

const reasonDetailsSchema = z.object({
  /** The port that it was given. */
  port: portNumber.nullish(),
  /** The ports on which it listens instead. */
  listens: z.array(portNumber).min(1).max(8).nullish(),
  /** The status with which its health check was answered. */
  status: z.int().min(100).max(999).nullish(),
  exitCode: z.int().min(0).max(255).nullish(),
  /** The container that it is about, where an instance has several: the name of one in a cluster, a DNS label. */
  container: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/)
    .nullish(),
  /** The readiness gate that is not met: the type of a condition. */
  gate: z.string().regex(CONDITION_TYPE).nullish(),
  /** The labels that its node must have, where none has them. */
  labels: z.array(z.string().regex(NODE_LABEL)).min(1).max(3).nullish(),
});
export type ReasonDetails = z.infer<typeof reasonDetailsSchema>;

/** Typed facts only: environment values, commands, annotations and raw objects never leave the target (S15). */
export const instanceSchema = z.object({
  uid: z.string().min(1).max(200),
  name: z.string().max(300).default(''),
  service: z.string(),
  revision: count.nullable().default(null),
  attempt: count.nullable().default(null),
  fence: digitsSchema.nullable().default(null),
  template: z.string().max(200).nullable().default(null),
  artifact: z.string().max(512).nullable().default(null),
  phase: z.enum(PHASES),
  ready: z.boolean(),
  restarts: count.default(0),
  containers: z.array(containerSchema).default([]),
  reason: z.string().max(100).nullish(),
  message: z.string().max(4096).nullish(),
  /** Details that are not understood count as none. */
  details: reasonDetailsSchema.nullish().catch(null),
  node: z.string().max(300).nullish(),
  /** Names the party whose word `ready` rests on; none: nobody's that can be believed. */
  saidBy: z.enum(WITNESSES).nullish(),
  /** A text that is no instant counts as none. */
  startedAt: z.iso.datetime({ offset: true }).nullish().catch(null),
  /** Its node asks the app itself, by a readiness probe; else its node only says that it runs. */
  probed: z.boolean().nullish(),
  /**
   * Its own runtime remembers that it ended twice or more since this instant, and its run of now is no longer than those
   * were: whoever sees it for the first time sees a crash loop, and not one lucky moment of it.
   */
  restlessSince: z.iso.datetime({ offset: true }).nullish().catch(null),
  /** It is ready, and counts only from then on, because its workload wants it to be ready for a while (`minReadySeconds`). */
  countsFrom: z.iso.datetime({ offset: true }).nullish().catch(null),
});
export type Instance = z.infer<typeof instanceSchema>;

export const serviceEntrySchema = z.object({
  service: z.string(),
  route: z
    .object({
      answers: z.boolean(),
      revision: count.nullable().default(null),
      attempt: count.nullable().default(null),
      /** The port speaks no HTTP: it was found to accept connections, and no more. */
      by: z.literal('connect').nullish(),
      /** Why it is not proven, where that is not the app's doing: a runtime reason of the stage `route`. */
      reason: z.string().max(100).nullish(),
      /** The certificate that clients of https are shown. What is not understood counts as none. */
      certificate: z.object({ notAfter: z.iso.datetime(), endsSoon: z.boolean() }).nullish().catch(null),
    })
    .nullish(),
  generation: z.object({ desired: digitsSchema, observed: digitsSchema }).nullish(),
  /** In observe mode: the live pod template and replica target. */
  template: z.string().max(200).nullish(),
  replicas: count.nullish(),
  /** The object that it is, where a rule of the target covers it. */
  workload: workloadSchema.nullish(),
  /**
   * The last Job of a CronJob, or that it is suspended. Its pods exit when they are done, so they are no instances. Of a
   * pod by itself that ended well: `succeeded`, with no replicas. Of a Deployment that is paused and was never rolled
   * out: `suspended`.
   */
  job: z.enum(['none', 'active', 'succeeded', 'failed', 'suspended']).nullish(),
  /** While a run of a CronJob is active: how the last one that finished ended; `none` if none has. Absent: not said. */
  jobBefore: z.enum(['none', 'succeeded', 'failed']).nullish(),
  /** It ended badly for good: nothing starts it again, such as a pod by itself that is never restarted. */
  isOver: z.boolean().nullish(),
  /**
   * Copies that keep an older template on purpose, beside `replicas` of the newest: how many the workload declares in all,
   * and how many of those that are kept are ready.
   */
  heldBack: z.object({ declared: count, kept: count, ready: count }).nullish(),
  /** A change of its template waits until somebody resumes its rollout; what runs is as it was. */
  changeWaits: z.boolean().nullish(),
  /**
   * The cluster's own counts, where they have contradicted the instances for a while; or the workload was deleted and its
   * instances were left behind.
   */
  contradiction: z.enum(['controller', 'endpoints', 'silent_port', 'left_behind']).nullish(),
  urls: z.array(z.string().max(2048)).max(20).nullish(),
  /**
   * The reason why copies are missing, where no instance could say so; for a CronJob, why the run that is under way
   * does not get on.
   */
  reason: z.string().max(100).nullish(),
  warnings: z.array(warningSchema).max(WARNINGS).nullish(),
});
export type ServiceEntry = z.infer<typeof serviceEntrySchema>;

const deniedSchema = z.object({
  verb: z.enum(['get', 'list', 'watch']),
  resource: z.string().regex(/^[a-z0-9.-]{1,253}$/),
});
export type DeniedPermission = z.infer<typeof deniedSchema>;

/** Typed facts about a scope beside its contents: what the agent may not read of it, and that it does not exist. */
export interface ScopeNotes {
  readonly denied: readonly DeniedPermission[];
  readonly absent: boolean;
}

const head = {
  epoch: digitsSchema,
  seq: digitsSchema,
  scope: z.string().min(1).max(200).default('*'),
  watchAgeMs: count.default(0),
  /** The agent's wall clock when it sent this: shown as its skew, and never trusted. */
  at: z.string().max(40).nullish(),
  /** Our own time as the agent last heard it. One in the future makes nothing younger: the earlier instant counts. */
  heard: z.iso.datetime().nullish(),
  heardAgoMs: count.nullish(),
  /** The agent is alive but cannot read what it must: it may not, or the engine does not answer. */
  unavailable: z.enum(['forbidden', 'runtime_unreachable']).nullish(),
  /** The permissions that are missing; those that are not understood count as none. */
  denied: z.array(deniedSchema).max(50).nullish().catch(null),
  /** The namespace of the scope does not exist in the cluster. */
  absent: z.boolean().nullish().catch(null),
  /** The version of the target's rule that the report follows; none: it follows no rule. */
  observation: z.int().min(1).nullish(),
};
const items = { instances: z.array(z.unknown()).default([]), services: z.array(z.unknown()).default([]) };

/** Items stay unknown here: each is validated by itself, so that one bad item never hurts its neighbours. */
const fullReportSchema = z.object({
  ...head,
  complete: z.boolean(),
  ...items,
  /**
   * Workloads of the scope that are there and that the rule leaves out by their labels, by kind and name
   * (`Deployment/web`) or by uid: of those the report proves nothing. One that cannot be read makes the report invalid:
   * left out, it would prove them gone.
   */
  uncovered: z.array(z.string().min(1).max(300)).max(50_000).nullish(),
});
const changeReportSchema = z.object({
  ...head,
  base: digitsSchema,
  changed: z.object(items).default({ instances: [], services: [] }),
  removed: z
    .object({ instances: z.array(z.string()).default([]), services: z.array(z.string()).default([]) })
    .default({ instances: [], services: [] }),
});
const heartbeatReportSchema = z.object({ ...head, base: digitsSchema });

/** Heartbeats of several scopes in one request. Each is judged by itself, as if it had come alone. */
export const beatsSchema = z.object({
  epoch: digitsSchema,
  at: head.at,
  heard: head.heard,
  heardAgoMs: head.heardAgoMs,
  beats: z
    .array(
      z.object({
        scope: z.string().min(1).max(200),
        seq: digitsSchema,
        base: digitsSchema,
        watchAgeMs: count.default(0),
        unavailable: head.unavailable,
        observation: head.observation,
      }),
    )
    .min(1)
    .max(1_000),
});

const described = {
  instances: z.array(instanceSchema).default([]).describe('A complete report names them, if need be none.'),
  services: z.array(serviceEntrySchema).default([]),
};

/** A report as it is meant, for whoever sends one: full, change or heartbeat. */
export const reportSchema = z.union([
  fullReportSchema.extend(described),
  changeReportSchema.extend({ changed: z.object(described).optional() }),
  heartbeatReportSchema,
  beatsSchema,
]);

export type Report =
  | ({ readonly kind: 'full' } & z.infer<typeof fullReportSchema>)
  | ({ readonly kind: 'change' } & z.infer<typeof changeReportSchema>)
  | ({ readonly kind: 'heartbeat' } & z.infer<typeof heartbeatReportSchema>);

/** The shape decides the kind: a full report says `complete`, a change names what changed, a heartbeat neither. */
export function parseReport(input: unknown): { ok: true; report: Report } | { ok: false; errors: string[] } {
  const has = (key: string) => typeof input === 'object' && input !== null && key in input;
  const parsed = has('complete')
    ? absenceSaid(withKind('full', fullReportSchema.safeParse(input)), has('instances'))
    : has('changed') || has('removed')
      ? withKind('change', changeReportSchema.safeParse(input))
      : withKind('heartbeat', heartbeatReportSchema.safeParse(input));
  return parsed;
}

/**
 * That there is nothing must be said: where the list of instances is called by another name, by mistake or by another
 * version, what was not understood would prove absence (F82).
 */
function absenceSaid<T extends ReturnType<typeof parseReport>>(parsed: T, isSaid: boolean) {
  if (!parsed.ok || isSaid || parsed.report.kind !== 'full' || !parsed.report.complete) return parsed;
  return {
    ok: false as const,
    errors: ['instances: required in a complete report; an empty list says none'],
  };
}

function withKind<K extends Report['kind'], T>(kind: K, parsed: z.ZodSafeParseResult<T>) {
  return parsed.success
    ? { ok: true as const, report: { kind, ...parsed.data } as unknown as Report }
    : { ok: false as const, errors: issues(parsed.error) };
}

export function issues(error: Pick<z.core.$ZodError, 'issues'>): string[] {
  return error.issues.map((issue) => `${issue.path.join('.') || 'value'}: ${messageOf(issue)}`);
}

const THINGS: Readonly<Record<string, string>> = { array: 'entries', string: 'characters' };

/** Limits in words; the library's own name types and signs. A message that a schema gives is left as it is. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small' && issue.message.startsWith('Too small:'))
    return limitOf('at least', issue.minimum, THINGS[issue.origin]);
  if (issue.code === 'too_big' && issue.message.startsWith('Too big:'))
    return limitOf('at most', issue.maximum, THINGS[issue.origin]);
  if (issue.code === 'unrecognized_keys')
    return `unknown ${issue.keys.length === 1 ? 'field' : 'fields'} ${issue.keys.join(', ')}`;
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input:'))
    return issue.message.endsWith('received undefined') ? 'is missing' : `must be ${kindOf(issue.expected)}`;
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid '))
    return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
  return issue.message;
}

const KINDS_OF_VALUE: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  record: 'an object',
  int: 'a whole number',
  boolean: 'true or false',
};

const kindOf = (expected: string) => KINDS_OF_VALUE[expected] ?? `a ${expected}`;

function limitOf(side: string, limit: number | bigint, things: string | undefined): string {
  if (things === undefined) return `must be ${side} ${limit}`;
  return side === 'at least' && limit === 1 ? 'must not be empty' : `must have ${side} ${limit} ${things}`;
}

export const registrationSchema = z.object({
  agent: z.string().min(1).max(200),
  instance: z.string().min(1).max(200),
  version: z.string().max(100).default(''),
  identity: z.string().min(1).max(300),
  /** The namespace of a cluster whose workloads are named without it. The first that a target had stays. */
  defaultNamespace: z.string().regex(NAMESPACE_NAME).nullish(),
  /** It observes what other tools deploy, and applies nothing: whatever is deployed to its target is refused. */
  observeOnly: z.boolean().nullish(),
});
export type RegistrationRequest = z.infer<typeof registrationSchema>;

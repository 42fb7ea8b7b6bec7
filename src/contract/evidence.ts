import { z } from 'zod';
import type { Digits } from './digits.ts';
import { DIGEST } from './names.ts';
import { digitsSchema, instanceSchema, serviceEntrySchema } from './report.ts';
import { EXITS_KEPT } from './stability.ts';
import {
  KINDS,
  type Kind,
  OUTCOMES,
  REVISION_KINDS,
  type Rejection,
  type Role,
  STAGES,
  STATES,
} from './vocabulary.ts';

/** The sender. `instance` differs for each process of that name. */
export interface Source {
  readonly role: Role;
  readonly name: string;
  readonly instance: string;
}

const text = z.string().max(4096);
const atMs = z.int().min(0);
const empty = z.object({});

/**
 * The server's judgement of an observation, made in the transaction that stores it: whether the running contract
 * holds for the active attempt, and whether the observation is progress. Recorded beside the observation, so that
 * folding the ledger needs no order between sources (S9). `claim` judges the contract anew and never trusts this for
 * `running` (S1).
 */
const judgedSchema = z.object({
  revision: z.int(),
  attempt: z.int(),
  /**
   * `contradicted`: the ledger alone proved that nothing runs, and an instance is observed. `opaque`: the observation
   * cannot be judged, so the contract is neither held nor broken by it.
   */
  contract: z.enum(['held', 'growing', 'unmet', 'contradicted', 'opaque']),
  /** The copies that were wanted when the contract held; only in observe mode, where another tool changes the number. */
  wanted: z.int().min(0).optional(),
  /**
   * The best that was observed of this attempt: how many instances were ready, and the furthest phase. Set when an
   * observation surpasses it; a restart never does. `known: true` sets only what later observations must surpass, and
   * counts as no progress: it was observed before `runtime.applied`, or of the revision that a `scale` derives from.
   */
  progress: z.object({ ready: z.int(), furthest: z.int(), known: z.boolean() }).nullable(),
  settles: z.enum(['succeeded', 'failed']).nullable(),
  stage: z.enum(STAGES).nullable(),
  cause: z.string().nullable(),
  /** Set when the attempt fails by a crash loop, and when it no longer does. */
  loop: z.boolean().optional(),
  /** Nothing but the window is missing, or others are steady beside a crash loop: no deadline runs. */
  paused: z.boolean().optional(),
});

/** A revision that answers; in observe mode its template is on the instances in place of the stamp. */
const servedStamp = z.object({ revision: z.int(), attempt: z.int(), template: z.string().optional() });
export type ServedStamp = z.infer<typeof servedStamp>;

/** The exits of an instance that were found between the report before and this one (F113). */
const exitsSchema = z.object({
  uid: z.string(),
  count: z.int().min(1).max(EXITS_KEPT),
  /** Its runtime called it a crash loop while it was down. */
  isLoop: z.literal(true).optional(),
});

const observedSchema = z.object({
  epoch: digitsSchema,
  seq: digitsSchema,
  scope: z.string(),
  complete: z.boolean(),
  asOf: atMs,
  /** The instant of the report itself. A change in it is steady from here, though the whole may be no younger. */
  changedAsOf: atMs,
  /** When the silence that this report ends began, if it ends one. */
  silentSince: atMs.nullable(),
  /** When the time that this report ends began, in which no deadline ran. */
  pausedSince: atMs.optional(),
  /** Absent where there are none. */
  exits: z.array(exitsSchema).optional(),
  /** The uids of instances that exited, and have been seen to hold their windows since. */
  outlived: z.array(z.string()).optional(),
  /** An older epoch observed another cluster; only where it observed something. */
  identityEpoch: digitsSchema.optional(),
  /** The places that the name has stood for since the oldest that showed something of it; only where there are several. */
  places: z.array(z.object({ identity: z.string(), epoch: digitsSchema, isRetired: z.boolean() })).optional(),
  /** The times of doubt about places that were retired since: the row that drops what they showed keeps them. */
  inDoubt: z.array(z.object({ from: atMs, to: atMs })).optional(),
  /** The version of the target's rule that the report followed; absent: none. */
  observation: z.int().optional(),
  instances: z.array(instanceSchema),
  entry: serviceEntrySchema.nullable(),
  /** An item about this service could not be read: the report proves nothing about it. */
  corrupt: z.boolean(),
  judged: judgedSchema.nullable(),
  /** Only where it leaves a known state in doubt: that state, and until when it was observed. Calm reports have no row. */
  known: z.object({ state: z.enum(STATES), asOf: atMs }).optional(),
  /** The first template that is seen of a revision that was recorded before its tool had made one. */
  adopts: z.object({ revision: z.int().min(1), template: z.string().max(200) }).optional(),
  /**
   * Only where a report changes what serves: what serves from it on, and what served until the report before it. The
   * server writes it, because fold has no intent to tell whether a route is needed.
   */
  served: z
    .object({
      now: servedStamp.nullable(),
      until: servedStamp.extend({ asOf: atMs }).nullable(),
    })
    .optional(),
});

/** The newest number before it, where numbers between the two were never handed out. */
const aboveSchema = z.int().min(0).optional();

/** The body of every kind. What a worker or agent sends is checked against these; what the platform makes is typed by them. */
export const BODIES = {
  'intent.recorded': z.object({
    kind: z.enum(REVISION_KINDS),
    queued: z.boolean(),
    /** The revision that a queued one waits behind. */
    behind: z.int().min(1).optional(),
    above: aboveSchema,
    actor: z.string(),
  }),
  'teardown.requested': z.object({
    above: aboveSchema,
    actor: z.string(),
    /** No apply was ever leased: the ledger alone proves that nothing runs. */
    absent: z.boolean(),
    force: z.boolean(),
    reason: text.nullable(),
  }),
  'cancel.requested': z.object({
    actor: z.string(),
    /** No lease was acknowledged: the command was withdrawn in the same transaction. */
    immediate: z.boolean(),
    /** It never left the queue, and so never was the active revision. */
    queued: z.boolean(),
  }),
  'retry.requested': z.object({ actor: z.string() }),
  'command.published': empty,
  'command.publish_failed': z.object({ message: text }),
  'command.acknowledged': empty,
  'command.heartbeat': z.object({ silentSince: atMs }),
  'command.released': z.object({ reason: text.default('') }),
  'cancel.acknowledged': empty,
  'build.progress': z.object({
    step: z.int().min(0),
    total: z.int().min(0).optional(),
    message: text.default(''),
  }),
  'build.failed': z.object({
    code: z.string().max(100),
    message: text.default(''),
    exitCode: z.int().optional(),
    retrySafe: z.boolean().optional(),
  }),
  'artifact.stored': z.object({
    digest: z.string().regex(DIGEST),
    size: z.int().min(0),
    plan: z
      .object({
        command: z.union([z.string(), z.array(z.string())]).nullish(),
        port: z.int().min(1).max(65535).nullish(),
      })
      .optional(),
  }),
  'runtime.applied': z.object({
    artifact: z.string().max(512).optional(),
    objects: z.array(z.object({ kind: z.string(), name: z.string() })).optional(),
  }),
  'runtime.apply_failed': z.object({
    code: z.string().max(100),
    message: text.default(''),
    retrySafe: z.boolean(),
    /** The service that is in the way. */
    holder: z.string().max(400).optional(),
  }),
  /** False: the place cannot hold together what an instance starts, and vouches only for what stayed with it. */
  'runtime.removed': z.object({ contained: z.boolean().optional() }),
  'runtime.observed': observedSchema,
  'route.observed': observedSchema,
  'agent.heartbeat': z.object({
    epoch: digitsSchema,
    agent: z.string(),
    identity: z.string(),
    changed: z.boolean(),
  }),
  'lease.lapsed': z.object({ lapses: z.int().min(1), next: z.enum(['requeue', 'fail', 'end']), at: atMs }),
  'stage.timed_out': z.object({
    stage: z.enum(STAGES),
    outcome: z.enum(OUTCOMES),
    at: atMs,
    cause: z.string(),
  }),
  'command.requeued': z.object({
    after: z.enum(['offer', 'lapse', 'registration', 'contradiction', 'recovery', 'retirement']),
  }),
  /** `identity` is the place that took it, and may carry it out: it is offered to no other (F114). */
  'command.held': z.object({ identity: z.string() }),
  'command.withdrawn': z.object({ stage: z.enum(STAGES), at: atMs, why: z.enum(['deadline', 'cancelled']) }),
  'platform.blind': z.object({ from: atMs, to: atMs }),
  'operator.acted': z.object({
    action: z.string(),
    reason: text,
    actor: z.string(),
    /** In `place.retired`: the place that is no more. */
    identity: z.string().optional(),
    /** In `observation.set` and `observation.stopped`: the rule from then on. */
    observation: z
      .object({
        version: z.int(),
        namespaces: z.array(z.string()).nullable(),
        selector: z.string().nullable(),
        ask: z.boolean().optional(),
      })
      .optional(),
    /** In `store.recovered`: positions above `from`, up to and with `to`, are void. */
    void: z.object({ from: digitsSchema, to: digitsSchema }).optional(),
    /** In `store.recovered`: `from` is the newest instant on record; what was confirmed until `to` is lost. */
    lost: z.object({ from: atMs, to: atMs }).optional(),
  }),
} as const satisfies Record<Kind, z.ZodType>;

export type Body<K extends Kind> = z.infer<(typeof BODIES)[K]>;
export type ObservedBody = Body<'runtime.observed'>;
export type Judged = z.infer<typeof judgedSchema>;

export type Verdict =
  | { readonly verdict: 'admitted' }
  | { readonly verdict: 'rejected'; readonly reason: Rejection };

/** An immutable fact of the ledger. `service` is null for what concerns a target or the platform. */
interface EvidenceOf<K extends Kind> {
  readonly org: string;
  readonly position: Digits;
  readonly receivedAt: number;
  readonly id: string;
  readonly kind: K;
  readonly service: string | null;
  readonly target: string | null;
  readonly revision: number | null;
  readonly attempt: number | null;
  readonly command: string | null;
  readonly fence: Digits | null;
  readonly seq: Digits | null;
  readonly source: Source;
  readonly observedAt: string | null;
  readonly body: Body<K>;
}

/** Admitted evidence with the body of its kind: what `fold` takes. */
export type Evidence<K extends Kind = Kind> = K extends Kind ? EvidenceOf<K> : never;

/** A row of the ledger: admitted evidence, or what was refused, kept with its reason (S8). */
export type LedgerRow = Evidence & Verdict;
/** Rejected evidence may not even have a body of its kind. */
export interface RejectedRow extends Omit<EvidenceOf<Kind>, 'kind' | 'body'> {
  readonly kind: string;
  readonly body: unknown;
  readonly verdict: 'rejected';
  readonly reason: Rejection;
}

/** One item of `POST /v1/evidence`. Unknown fields are ignored; the body is checked by its kind. */
export const itemSchema = z.object({
  id: z.string().min(1).max(200),
  kind: z.enum(KINDS),
  service: z.string().min(1).max(200),
  revision: z.int().min(1),
  attempt: z.int().min(1),
  command: z.string().min(1).max(400).nullish(),
  fence: digitsSchema.nullish(),
  seq: digitsSchema.nullish(),
  /** By the sender's clock and in its time zone (F43). Shown, and never trusted: the clock may run ahead of ours. */
  observedAt: z.iso.datetime({ offset: true }).max(40).nullish(),
  body: z.unknown(),
});
export type SubmittedItem = z.infer<typeof itemSchema>;

/** The kinds that workers and agents submit, each with its body. The calls of a lease record the other kinds. */
export const SENT = [
  'command.released',
  'cancel.acknowledged',
  'build.progress',
  'build.failed',
  'artifact.stored',
  'runtime.applied',
  'runtime.apply_failed',
  'runtime.removed',
] as const satisfies readonly Kind[];
export const evidenceItemSchema = z.union(
  SENT.map((kind) => itemSchema.extend({ kind: z.literal(kind), body: BODIES[kind] })),
);

export interface ItemResult {
  readonly id: string;
  readonly verdict: 'admitted' | 'rejected';
  readonly reason?: Rejection;
  readonly position: Digits;
  readonly duplicate?: true;
}

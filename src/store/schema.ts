import type { Transition } from '../contract/claim.ts';
import type { Digits } from '../contract/digits.ts';
import type { LedgerRow, RejectedRow, Source } from '../contract/evidence.ts';
import type { RevisionIntent, StartCommand } from '../contract/intent.ts';
import type { ObservationRule } from '../contract/observation.ts';
import type { Places } from '../contract/places.ts';
import type { ScopeNotes } from '../contract/report.ts';
import type {
  CommandKind,
  Outcome,
  Rejection,
  RevisionKind,
  RuntimeKind,
  Stage,
  State,
  TokenRole,
  WebhookEvent,
  WebhookFormat,
} from '../contract/vocabulary.ts';
import type { ToldEvent, WebhookFilter } from '../contract/webhook.ts';

/**
 * The rows. Intent rows are immutable, the ledger is append-only (S10), and everything else is either a cache
 * of the ledger (services, attempts, transitions) or a span of liveness (leases, agents, scopes, workers,
 * beats).
 */
export interface ServiceRow {
  readonly org: string;
  readonly service: string;
  readonly target: string;
  readonly createdAt: number;
  /** The highest revision issued, and the highest attempt of each that can still be retried. */
  readonly newest: number;
  readonly active: number;
  readonly attempt: number;
  /** The facts as a cache: the result of folding the ledger (S9). JSON; the store does not look inside. */
  readonly proven: unknown;
  /** The instant up to which changes by time alone are recorded as transitions. */
  readonly settledTo: number;
  /**
   * Until this instant time alone changes nothing, so there is nothing to settle. Liveness only extends it.
   */
  readonly steadyUntil: number | null;
  readonly state: State;
  readonly outcome: Outcome;
  readonly since: number;
  readonly position: Digits;
  /** The command that the active attempt waits for. */
  readonly command: string | null;
  /** The next instant at which a decision may be due that neither a lease nor a scope brings up. */
  readonly due: number | null;
  /** True if even a report without news would change the claim: stability, absence, the end of a silence. */
  readonly awaitsReport: boolean;
  /** The only scope whose reports speak of it: a rule of the target found its workload there. `*`: those of any scope. */
  readonly scope: string;
  readonly rejected: number;
  readonly hidden: boolean;
  /** The number of ledger rows since the newest checkpoint, admitted and rejected. */
  readonly sinceCheckpoint: number;
}

/**
 * The facts of a service, folded from the ledger up to a position: reading an instant long ago folds only the
 * rows after the nearest checkpoint. Immutable, and never beyond the result of a rebuild (S9).
 */
export interface CheckpointRow {
  readonly org: string;
  readonly service: string;
  readonly position: Digits;
  readonly receivedAt: number;
  readonly proven: unknown;
}

/**
 * The instant from which the past of an org is kept: earlier records may have been exported and removed, and
 * earlier instants are no longer answered.
 */
export interface RetentionRow {
  readonly org: string;
  readonly keptFrom: number;
  /** The head of the ledger at that instant: every row above it is present. */
  readonly position: Digits;
  /** Ids of evidence up to this position are forgotten: a repetition is judged by itself. */
  readonly idsTo: Digits;
}

/** The settings of the servers, valid from an instant on. */
interface SettingsRow {
  readonly from: number;
  readonly settings: unknown;
}

export interface RevisionRow extends RevisionIntent {
  readonly org: string;
  readonly service: string;
}

export interface AttemptRow {
  readonly org: string;
  readonly service: string;
  readonly revision: number;
  readonly attempt: number;
  readonly kind: RevisionKind;
  readonly startedAt: number;
  readonly outcome: Outcome;
  readonly endedAt: number | null;
  /** The artifact that the revision built, or was observed to run: a rollback needs no ledger to find it. */
  readonly artifact: string | null;
  /** The plan that the build found beside the bytes. */
  readonly port: number | null;
  readonly command: StartCommand | null;
}

export type CommandState =
  | 'held'
  | 'recorded'
  | 'published'
  | 'offered'
  | 'leased'
  | 'done'
  | 'failed'
  | 'withdrawn'
  | 'cancelled'
  | 'superseded';

export interface CommandRow {
  readonly org: string;
  readonly id: string;
  readonly service: string;
  readonly target: string;
  readonly revision: number;
  readonly attempt: number;
  readonly kind: CommandKind;
  readonly state: CommandState;
  /** The highest fence ever issued for the command; grows with every lease. */
  readonly fence: Digits;
  readonly lapses: number;
  readonly availableAt: number;
  readonly cancelRequested: boolean;
}

export type LeaseRowEnd =
  | 'completed'
  | 'failed'
  | 'released'
  | 'cancelled'
  | 'lapsed'
  | 'revoked'
  | 'registration'
  | 'recovery'
  | 'not_taken_up'
  | 'superseded'
  | 'withdrawn';

export interface LeaseRow {
  readonly org: string;
  readonly id: string;
  readonly command: string;
  readonly kind: CommandKind;
  readonly service: string;
  readonly target: string;
  readonly fence: Digits;
  /** The name of the token that acquired the lease; only its bearer may write under it. */
  readonly caller: string;
  readonly worker: string;
  readonly instance: string;
  readonly epoch: Digits | null;
  readonly grantedAt: number;
  readonly acknowledgedAt: number | null;
  /** The end of the offer, then of the lease: the span that heartbeats extend. */
  readonly until: number;
  /**
   * From this instant on the sweeper looks at the lease, while it is open: never later than `until`. A heartbeat leaves
   * it as it is, and so changes no index; the sweeper moves it to the end that it finds.
   */
  readonly sweepAt: number;
  /** The lease was judged lapsed: the next heartbeat must reopen it through the door. */
  readonly silenced: boolean;
  /** False once cancelled or superseded: a heartbeat then no longer extends it. */
  readonly growing: boolean;
  readonly endedAt: number | null;
  readonly end: LeaseRowEnd | null;
  readonly lastSeq: Digits | null;
}

export interface AgentRow {
  readonly org: string;
  readonly target: string;
  readonly agent: string;
  readonly instance: string;
  readonly version: string;
  readonly identity: string;
  readonly epoch: Digits;
  readonly registeredAt: number;
  readonly evidence: string;
  readonly identityEpoch: Digits;
  readonly identitySince: number;
  readonly identityChanged: boolean;
  /** The places that the name has stood for; null in rows from before they were kept. */
  readonly places: Places | null;
  readonly seenAt: number;
  /** The agent's clock minus ours at its last contact; null: the agent does not send its clock. */
  readonly skewMs: number | null;
  /** It applies nothing; null in rows from before agents said so. */
  readonly observeOnly: boolean | null;
}

/**
 * Every agent that ever registered at a target; a fenced one may never come back. Records which agent was
 * current when.
 */
export interface RegistrationRow {
  readonly org: string;
  readonly target: string;
  readonly instance: string;
  readonly epoch: Digits;
  readonly registeredAt: number;
  readonly evidence: string;
  readonly identityEpoch: Digits;
  readonly identitySince: number;
  readonly identityChanged: boolean;
  readonly places: Places | null;
}

/** The last report of a scope, and the span of liveness that it extends. */
export interface ScopeRow {
  readonly org: string;
  readonly target: string;
  readonly scope: string;
  /** The epoch of the last complete report; an agent of a newer epoch first has to send its own. */
  readonly epoch: Digits;
  readonly seqEpoch: Digits;
  readonly seq: Digits;
  readonly base: Digits | null;
  readonly asOf: number;
  readonly receivedAt: number;
  readonly completeAt: number | null;
  readonly spanFrom: number;
  readonly firstSeq: Digits;
  readonly unavailable: 'forbidden' | 'runtime_unreachable' | null;
  /** The scope was judged silent: the next report must reopen it through the door. */
  readonly silenced: boolean;
  /** The sweeper has recorded its silence in the transitions of its services. */
  readonly swept: boolean;
  /** What its last full report says of it beside its contents; null: nothing. */
  readonly notes: ScopeNotes | null;
}

/**
 * A finished stretch: of unbroken liveness of a scope under one epoch, of a lease, or of a worker; for a
 * scope also one in which the agent had contact and its watch had not, so that the past can explain an
 * `unknown`.
 */
export interface SpanRow {
  readonly org: string;
  readonly subject: string;
  readonly from: number;
  readonly until: number;
  readonly firstSeq: Digits | null;
  readonly lastSeq: Digits | null;
  readonly epoch: Digits | null;
  readonly receivedAt: number;
  readonly completeAt: number | null;
  readonly unavailable: ScopeRow['unavailable'];
}

export interface WorkerRow {
  readonly org: string;
  readonly worker: string;
  readonly instance: string;
  readonly kinds: readonly CommandKind[];
  /** Bindings of its token: patterns with `*`. */
  readonly target: string;
  readonly service: string;
  readonly spanFrom: number;
  readonly seenAt: number;
}

/**
 * One row per org, locked from the first position issued to the commit: positions become visible in order.
 */
export interface HeadRow {
  readonly org: string;
  readonly position: Digits;
  readonly at: number;
  readonly recoveredAt: number | null;
  /**
   * Revisions, fences and epochs are issued above this number: lower ones may have been issued in a past that
   * was lost.
   */
  readonly floor: number;
}

/** The identity of a database: its cluster, and the timeline of that cluster which it follows. */
export interface Identity {
  readonly system: string | null;
  readonly timeline: string | null;
}

export type IncarnationBegin = 'created' | 'restored' | 'failed_over' | 'declared';

/**
 * One life of the store: it ends when a restore or a failover may have lost something. The last one is
 * current.
 */
export interface IncarnationRow {
  readonly ordinal: number;
  readonly id: string;
  readonly at: number;
  readonly why: IncarnationBegin;
  /** Null if the database has no identity of its own, or does not disclose it. */
  readonly system: string | null;
  readonly timeline: string | null;
}

/** A jump in an org's ledger: no position above `from`, up to and including `to`, was ever issued here. */
export interface RecoveryRow {
  readonly org: string;
  readonly at: number;
  readonly from: Digits;
  readonly to: Digits;
  readonly evidence: string;
}

interface BeatRow {
  readonly server: string;
  readonly at: number;
  /** The id of its directory of files and its path (src/server/files-mark.ts); null on SQLite, which has one server. */
  readonly files: string | null;
}

export interface BlindRow {
  readonly org: string;
  readonly from: number;
  readonly to: number;
}

/** The (source, id) pairs that the ledger holds: a repeated submission gets the same answer. */
export interface EvidenceIdRow {
  readonly org: string;
  readonly source: string;
  readonly id: string;
  readonly body: string;
  readonly position: Digits;
  readonly reason: Rejection | null;
}

export interface KeyRow {
  readonly org: string;
  readonly token: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly service: string;
  readonly revision: number;
  readonly attempt: number;
  /** The result of the request, if that is not a revision. */
  readonly made: KeyResult | null;
  readonly createdAt: number;
}

/**
 * A result of a request that is not a revision. For a token it holds only parts that are useless without the
 * secret of the caller.
 */
export type KeyResult =
  | { readonly kind: 'token'; readonly org: string; readonly id: string; readonly salt: string }
  | { readonly kind: 'target'; readonly target: string }
  | { readonly kind: 'webhook'; readonly id: string };

/** A target that an administrator has declared. A target also exists from its first service or agent on. */
export interface TargetRow {
  readonly org: string;
  readonly target: string;
  /** The runtime for specs that name none; null: the target's agent decides. */
  readonly runtime: RuntimeKind | null;
  readonly createdAt: number;
  /**
   * Removed from the list, until an agent registers for it, or somebody deploys to it or declares it again.
   */
  readonly removedAt: number | null;
  /** The rule by which workloads of other tools are observed there; null: none was ever set. */
  readonly observation: ObservationRule | null;
  /** Its workloads are named without it. Fixed by the first registration that names one; null: none did. */
  readonly defaultNamespace: string | null;
}

/** A token. Only its hash is stored; the token itself is shown once. */
export interface TokenRow {
  readonly org: string;
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  readonly role: TokenRole;
  /** Bindings of components: patterns with `*`. */
  readonly target: string;
  readonly service: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

/** A link that signs a browser in, once. Only its hash is stored; the link itself is shown once. */
interface LinkRow {
  readonly hash: string;
  readonly org: string;
  /** The id of the token whose session the link opens. */
  readonly token: string;
  readonly expiresAt: number;
  readonly usedAt: number | null;
}

interface ArtifactRow {
  readonly org: string;
  readonly digest: string;
  readonly size: number;
}

/** Rejected reports after the first of their kind: a count instead of a row each. */
interface CounterRow {
  readonly org: string;
  readonly source: string;
  readonly reason: Rejection;
  readonly count: number;
  /** The instant from which `kept` counts; null in rows of older versions, and where nothing is kept. */
  readonly since: number | null;
  /** Rejections since then that have a row of their own. */
  readonly kept: number | null;
  /** The newest of these rows. */
  readonly position: Digits | null;
}

export interface AlarmRow {
  readonly org: string;
  readonly position: Digits;
  readonly code: string;
  readonly service: string | null;
  readonly at: number;
}

export interface TransitionRow extends Transition {
  readonly org: string;
  /**
   * The instant at which it was recorded; `at` is when its rule fired, which may be long before. Grows with
   * the position.
   */
  readonly recordedAt: number;
  readonly stage: Stage | null;
}

/** A receiver outside of the platform. The model never depends on it. */
export interface WebhookRow {
  readonly org: string;
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly filter: WebhookFilter;
  readonly format: WebhookFormat;
  readonly graceMs: number;
  /** Kept as it is, since whatever is sent is signed with it. */
  readonly secret: string;
  /** Signs too until `formerUntil`, so that the receiver can change to the new one. */
  readonly formerSecret: string | null;
  readonly formerUntil: number | null;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly endedAt: number | null;
  readonly endedBecause: 'gone' | 'removed' | null;
  /** Whatever the ledger recorded up to here has become deliveries, or was not asked for. */
  readonly position: Digits;
  /** The number of its newest delivery. */
  readonly issued: number;
  /** The targets that it was told are not known, and has not been told are known again. */
  readonly incidents: Readonly<Record<string, Incident>>;
  /** The server that sends to it, and until when no other does. */
  readonly holder: string;
  readonly heldUntil: number;
}

export interface Incident {
  readonly since: number;
  readonly services: number;
  /** All of its services have been known since; null: some are not. */
  readonly knownSince: number | null;
}

export interface DeliveryRow {
  readonly org: string;
  readonly webhook: string;
  /** Issued one by one for each webhook. */
  readonly nth: number;
  /** Deliveries about one service, or one target, are sent in their order. */
  readonly subject: string;
  readonly told: ToldEvent;
  readonly state: 'waiting' | 'delivered' | 'dead';
  readonly tries: number;
  /** The next try; null: it waits behind an earlier one about its subject, or is over. */
  readonly nextAt: number | null;
  readonly createdAt: number;
  readonly lastAt: number | null;
  readonly lastStatus: number | null;
  readonly problem: string | null;
}

export type AnyLedgerRow = LedgerRow | RejectedRow;

export interface Rows {
  services: ServiceRow;
  revisions: RevisionRow;
  attempts: AttemptRow;
  commands: CommandRow;
  leases: LeaseRow;
  agents: AgentRow;
  registrations: RegistrationRow;
  scopes: ScopeRow;
  spans: SpanRow;
  workers: WorkerRow;
  heads: HeadRow;
  incarnations: IncarnationRow;
  recoveries: RecoveryRow;
  beats: BeatRow;
  blinds: BlindRow;
  ledger: AnyLedgerRow;
  evidenceIds: EvidenceIdRow;
  transitions: TransitionRow;
  keys: KeyRow;
  tokens: TokenRow;
  links: LinkRow;
  targets: TargetRow;
  artifacts: ArtifactRow;
  counters: CounterRow;
  alarms: AlarmRow;
  checkpoints: CheckpointRow;
  retention: RetentionRow;
  settings: SettingsRow;
  webhooks: WebhookRow;
  deliveries: DeliveryRow;
}
export type Table = keyof Rows;

/** The primary key of each table. */
export const KEYS = {
  services: ['org', 'service'],
  revisions: ['org', 'service', 'revision'],
  attempts: ['org', 'service', 'revision', 'attempt'],
  commands: ['org', 'id'],
  leases: ['org', 'id'],
  agents: ['org', 'target'],
  registrations: ['org', 'target', 'instance'],
  scopes: ['org', 'target', 'scope'],
  spans: ['org', 'subject', 'from'],
  workers: ['org', 'worker', 'instance'],
  heads: ['org'],
  incarnations: ['ordinal'],
  recoveries: ['org', 'to'],
  beats: ['server'],
  blinds: ['org', 'from'],
  ledger: ['org', 'position'],
  evidenceIds: ['org', 'source', 'id'],
  transitions: ['org', 'position'],
  keys: ['org', 'token', 'key'],
  tokens: ['org', 'id'],
  links: ['hash'],
  targets: ['org', 'target'],
  artifacts: ['org', 'digest'],
  counters: ['org', 'source', 'reason'],
  alarms: ['org', 'position'],
  checkpoints: ['org', 'service', 'position'],
  retention: ['org'],
  settings: ['from'],
  webhooks: ['org', 'id'],
  deliveries: ['org', 'webhook', 'nth'],
} as const satisfies { readonly [T in Table]: readonly (keyof Rows[T])[] };

export type Key<T extends Table> = Pick<Rows[T], (typeof KEYS)[T][number] & keyof Rows[T]>;

/** A key as text, equal for equal keys: rows in memory are found by it. */
export function keyText<T extends Table>(table: T, key: Key<T>): string {
  const columns = KEYS[table] as readonly string[];
  const values = key as Record<string, unknown>;
  let text = String(values[columns[0] as string]);
  for (let i = 1; i < columns.length; i++) text += `|${values[columns[i] as string]}`;
  return text;
}

/**
 * The source part of an evidence id. Ids are unique per org, role and bearer, whichever of the bearer's
 * processes submits.
 */
export const sourceKey = (source: Source) => `${source.role}/${source.name}`;

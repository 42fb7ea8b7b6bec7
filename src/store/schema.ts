import type { Transition } from '../contract/claim.ts';
import type { Digits } from '../contract/digits.ts';
import type { LedgerRow, RejectedRow, Source } from '../contract/evidence.ts';
import type { RevisionIntent, StartCommand } from '../contract/intent.ts';
import type {
  CommandKind,
  Outcome,
  Rejection,
  RevisionKind,
  Runtime,
  Stage,
  State,
  TokenRole,
} from '../contract/vocabulary.ts';

/**
 * The rows. Intent rows are immutable, the ledger is append-only (S10), and everything else is either a cache of
 * the ledger (services, attempts, transitions) or a span that says what is alive (leases, agents, scopes, workers, beats).
 */
export interface ServiceRow {
  readonly org: string;
  readonly service: string;
  readonly target: string;
  readonly createdAt: number;
  /** The highest revision handed out, and the highest attempt of each that can still be retried. */
  readonly newest: number;
  readonly active: number;
  readonly attempt: number;
  /** Facts as a cache: what folding the ledger gives (S9). JSON; the store does not look inside. */
  readonly proven: unknown;
  /** Up to which instant time has been settled into transitions. */
  readonly settledTo: number;
  /** Before this instant time alone changes nothing: there is nothing to settle. Liveness only moves it on. */
  readonly steadyUntil: number | null;
  readonly state: State;
  readonly outcome: Outcome;
  readonly since: number;
  readonly position: Digits;
  /** The command that the active attempt waits for. */
  readonly command: string | null;
  /** The next instant at which a decision may be due that no lease and no scope will bring up. */
  readonly due: number | null;
  /** A report that shows nothing new would still change the claim: stability, absence, the end of a silence. */
  readonly awaitsReport: boolean;
  readonly rejected: number;
  readonly hidden: boolean;
  /** Rows of the ledger since the newest checkpoint, admitted and refused. */
  readonly sinceCheckpoint: number;
}

/**
 * The facts of a service as the ledger up to a position gives them: what makes an instant long ago cost no more
 * than the rows near it. Immutable, and never above what rebuilding gives (S9).
 */
export interface CheckpointRow {
  readonly org: string;
  readonly service: string;
  readonly position: Digits;
  readonly receivedAt: number;
  readonly proven: unknown;
}

/** From when on the past of an org is kept: what happened before it may have moved out, and no longer answers. */
export interface RetentionRow {
  readonly org: string;
  readonly keptFrom: number;
  /** The head of the ledger at that instant: what stands above it is all there. */
  readonly position: Digits;
  /** Ids of evidence up to here are forgotten: a repetition is judged by itself. */
  readonly idsTo: Digits;
}

/** The settings of the servers, from an instant on. */
export interface SettingsRow {
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
  /** What it built, or was found to run: a rollback needs no ledger to know. */
  readonly artifact: string | null;
  /** What the build found beside the bytes: its plan. */
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
  /** The highest fence ever issued for it; grows with every lease. */
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
  /** The name of the token that asked for it; only its bearer may write under this lease. */
  readonly caller: string;
  readonly worker: string;
  readonly instance: string;
  readonly epoch: Digits | null;
  readonly grantedAt: number;
  readonly acknowledgedAt: number | null;
  /** The end of the offer, then of the lease: the span that heartbeats extend. */
  readonly until: number;
  /** Someone has judged it lapsed: the next heartbeat must reopen it through the door. */
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
  readonly seenAt: number;
  /** How far ahead of ours its clock was when it last told; null: it does not tell. */
  readonly skewMs: number | null;
}

/** Every instance that ever registered at a target; a fenced one may never come back. Says who spoke for it when. */
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
}

/** What an agent last reported of a scope, and the span of liveness that it extends. */
export interface ScopeRow {
  readonly org: string;
  readonly target: string;
  readonly scope: string;
  /** The epoch whose complete report is the last word; a newer one first has to bring its own. */
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
  /** Someone has judged it silent: the next report must reopen it through the door. */
  readonly silenced: boolean;
  /** The sweeper has written its silence into the transitions of its services. */
  readonly swept: boolean;
}

/**
 * A stretch that is over: of unbroken liveness of a scope under one epoch, of a lease, or of a worker; of a scope
 * also one in which the agent was heard and its watch was not, so that the past knows why nothing could be said.
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

/** One row per org, locked from the first position taken to the commit: positions become visible in order. */
export interface HeadRow {
  readonly org: string;
  readonly position: Digits;
  readonly at: number;
  readonly recoveredAt: number | null;
  /** Revisions, fences and epochs are handed out above this: lower ones may have been, in a past that was lost. */
  readonly floor: number;
}

/** What a database says of itself: the cluster it is, and which of that cluster's histories it follows. */
export interface Identity {
  readonly system: string | null;
  readonly timeline: string | null;
}

export type IncarnationBegin = 'created' | 'restored' | 'failed_over' | 'declared';

/** One life of the store: it ends where a restore or a failover may have lost something. The last one is now. */
export interface IncarnationRow {
  readonly ordinal: number;
  readonly id: string;
  readonly at: number;
  readonly why: IncarnationBegin;
  /** Null where the database has no identity of its own, or does not tell it. */
  readonly system: string | null;
  readonly timeline: string | null;
}

/** Where an org's ledger jumped: no position above `from`, up to and with `to`, was ever handed out here. */
export interface RecoveryRow {
  readonly org: string;
  readonly at: number;
  readonly from: Digits;
  readonly to: Digits;
  readonly evidence: string;
}

export interface BeatRow {
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

/** Which (source, id) is already in the ledger: what makes a repeated submission the same answer. */
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
  /** What was made instead, where it is no revision. */
  readonly made: Made | null;
  readonly createdAt: number;
}

/** What a key made that is no revision. Of a token only what is worth nothing without the secret of who asked. */
export type Made =
  | { readonly kind: 'token'; readonly org: string; readonly id: string; readonly salt: string }
  | { readonly kind: 'target'; readonly target: string };

/** A target that an administrator has declared. It is also known from its first service or agent on. */
export interface TargetRow {
  readonly org: string;
  readonly target: string;
  /** What runs there unless a spec says otherwise; null: its agent decides. */
  readonly runtime: Runtime | null;
  readonly createdAt: number;
  /** Taken off the list: until somebody speaks for it, deploys to it or declares it again. */
  readonly removedAt: number | null;
}

/** Who may call. The token itself is shown once and never kept. */
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

/** Signs a browser in, once. The link itself is shown once and never kept. */
export interface LinkRow {
  readonly hash: string;
  readonly org: string;
  /** The id of the token that it stands for. */
  readonly token: string;
  readonly expiresAt: number;
  readonly usedAt: number | null;
}

export interface ArtifactRow {
  readonly org: string;
  readonly digest: string;
  readonly size: number;
}

/** Rejected reports after the first of their kind: a number, not a row each. */
export interface CounterRow {
  readonly org: string;
  readonly source: string;
  readonly reason: Rejection;
  readonly count: number;
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
  /** When it was written down: `at` is when its rule fired, and that may be long before. Grows with the position. */
  readonly recordedAt: number;
  readonly stage: Stage | null;
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
} as const satisfies { readonly [T in Table]: readonly (keyof Rows[T])[] };

export type Key<T extends Table> = Pick<Rows[T], (typeof KEYS)[T][number] & keyof Rows[T]>;

/** A key as text, the same for the same row: what rows are found by in memory. */
export function keyText<T extends Table>(table: T, key: Key<T>): string {
  const columns = KEYS[table] as readonly string[];
  const values = key as Record<string, unknown>;
  let text = String(values[columns[0] as string]);
  for (let i = 1; i < columns.length; i++) text += `|${values[columns[i] as string]}`;
  return text;
}

/** Ids are unique per org and source: the role and the bearer, whichever of its processes speaks. */
export const sourceKey = (source: Source) => `${source.role}/${source.name}`;

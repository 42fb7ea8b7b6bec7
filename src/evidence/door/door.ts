import type { Digits } from '../../contract/digits.ts';
import type { Evidence } from '../../contract/evidence.ts';
import type { Kind, Owner, Rejection } from '../../contract/vocabulary.ts';
import type { Draft, RejectedDraft } from './draft.ts';
import type { JudgedAhead } from './judge-ahead.ts';
import type { OrgTransaction } from './org-transaction.ts';
import type { ServiceFile, Surroundings } from './service-file.ts';

/**
 * The one door into the ledger, as verbs use it (src/evidence/door/open-door.ts opens it). Evidence, facts, transition
 * and follow-up command are written together or not at all.
 */
export interface Door extends OrgTransaction {
  /** Lets other work run, if it is time to; for work that may be large (F80). */
  readonly yieldIfDue?: (() => Promise<void> | undefined) | undefined;

  /** A service as it stands now: changes by time alone since it was last written are recorded first. */
  file(service: string): Promise<ServiceFile | null>;

  /** The file of a service that has no row yet. */
  newFile(service: string): Promise<ServiceFile>;

  /** Reads the rows of these services' files, in three round trips for any number. */
  prefetch(services: readonly string[]): Promise<void>;

  /** True if the surroundings of services of a target are those that were judged ahead, at an instant that has come. */
  isAround(target: string, judged: Surroundings, judgedAt: number): Promise<boolean>;

  /** Records a service as it was judged ahead, in those surroundings; false if its row is another now: open it then. */
  fileJudgedAhead(judged: JudgedAhead): Promise<boolean>;

  /** Admits evidence about a service: into the ledger, into the facts, into the claim. */
  admit<K extends Kind>(file: ServiceFile, draft: Draft<K>): Promise<Evidence<K>>;

  /**
   * Admits evidence that is judged only with later evidence of this transaction: alone it would be judged
   * with the old content of the file.
   */
  admitUnjudged<K extends Kind>(file: ServiceFile, draft: Draft<K>): Promise<Evidence<K>>;

  /** Writes one row of admitted evidence that changes no service by itself. */
  append<K extends Kind>(draft: Draft<K>): Promise<Evidence<K>>;

  /** Keeps rejected evidence with its reason; it changes no claim (S8). Returns its position. */
  reject(draft: RejectedDraft, reason: Rejection): Promise<Digits>;

  /**
   * Records the claim after a change that is no evidence about this service alone: a registration, a restored
   * store.
   */
  rejudge(file: ServiceFile, owner: Owner, evidence: string): Promise<void>;

  alarm(code: string, service: string | null): Promise<void>;
}

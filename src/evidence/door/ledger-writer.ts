import { addDigits, type Digits, maxDigits } from '../../contract/digits.ts';
import type { Evidence, Verdict } from '../../contract/evidence.ts';
import { targetOf } from '../../contract/names.ts';
import type { Kind, Owner, Rejection } from '../../contract/vocabulary.ts';
import type { Settings } from '../../projection/facts.ts';
import type { Standing } from '../../projection/standing.ts';
import type { CachingTx } from '../../store/caching-tx.ts';
import { Conflict } from '../../store/port.ts';
import type { AlarmRow, AnyLedgerRow, HeadRow } from '../../store/schema.ts';
import type { LedgerEntry } from '../ledger-entry.ts';
import type { Draft, RejectedDraft } from './draft.ts';
import type { OrgTransaction } from './org-transaction.ts';
import type { ServiceFile } from './service-file.ts';
import { draftTransition, type TransitionDraft } from './transition-draft.ts';

/**
 * The length of a recovery's jump: more positions than any incarnation issues between two looks of the
 * witness.
 */
export const VOID_POSITIONS = 1_000_000;

/** An alarm as the commit notice carries it. */
type RaisedAlarm = Pick<AlarmRow, 'code' | 'service' | 'position'>;

/**
 * Issues the positions of an org's ledger and writes the row of each: evidence, transitions, alarms. One
 * transaction has one writer, and moves the head once, when it closes.
 */
export class LedgerWriter implements OrgTransaction {
  readonly tx: CachingTx;
  readonly org: string;
  readonly settings: Settings;
  readonly at: number;
  readonly head: HeadRow;
  readonly alarms: RaisedAlarm[] = [];
  /** The rows of the positions that this transaction has issued, in order. */
  readonly entries: LedgerEntry[] = [];
  #position: Digits;
  #skipped: { readonly floor: number } | null = null;

  constructor(tx: CachingTx, settings: Settings, at: number, head: HeadRow) {
    this.tx = tx;
    this.settings = settings;
    this.org = head.org;
    this.at = at;
    this.head = head;
    this.#position = head.position;
  }

  /** The newest position that this transaction has issued, or the head's. */
  get position(): Digits {
    return this.#position;
  }

  get hasGrown(): boolean {
    return this.#position !== this.head.position;
  }

  /** The head as `close` leaves it. */
  get newHead(): HeadRow {
    if (!this.hasGrown) return this.head;
    const recovered = this.#skipped === null ? {} : { recoveredAt: this.at, floor: this.#skipped.floor };
    return { ...this.head, position: this.#position, at: this.at, ...recovered };
  }

  /** Writes one row of admitted evidence. By itself it changes no service. */
  async append<K extends Kind>(draft: Draft<K>, service = draft.service ?? null): Promise<Evidence<K>> {
    const row = this.#row(draft, service, 'admitted');
    await this.#appendEvidence(row as AnyLedgerRow);
    return row as unknown as Evidence<K>;
  }

  /** Writes one row of rejected evidence with its reason. It changes no claim (S8). */
  async reject(
    draft: RejectedDraft,
    reason: Rejection,
  ): Promise<{ readonly service: string | null; readonly position: Digits }> {
    const row = this.#row(draft, draft.service ?? null, 'rejected');
    await this.#appendEvidence({ reason, ...row });
    return row;
  }

  async alarm(code: string, service: string | null): Promise<void> {
    const alarm = { code, service, position: this.#next() };
    this.alarms.push(alarm);
    const row = { org: this.org, ...alarm, at: this.at };
    this.entries.push({ kind: 'alarm', position: row.position, row });
    await this.tx.append('alarms', row);
  }

  /**
   * Writes a transition if the claim changed. A pair that the table does not list is `unknown` and an alarm.
   */
  async recordStanding(
    file: ServiceFile,
    judged: Standing,
    at: number,
    owner: Owner,
    evidence: string,
  ): Promise<void> {
    const { transition, unlisted } = draftTransition(file, judged, { owner, evidence, at, now: this.at });
    if (unlisted !== null) await this.alarm(unlisted, file.service);
    if (transition !== null) await this.recordTransition(file, transition);
  }

  /** Writes the transition of a service, and makes it the recorded one of its file. */
  async recordTransition(file: ServiceFile, transition: TransitionDraft): Promise<void> {
    const { service } = file;
    const position = this.#next();
    const row = { org: this.org, position, service, recordedAt: this.at, ...transition };
    this.entries.push({ kind: 'transition', position, row });
    await this.tx.append('transitions', row);
    const { to: state, revision, attempt, at: since } = transition;
    // mutant: transition-kept
    file.recorded = { state, revision, attempt, since, position };
  }

  /**
   * Jumps over the positions that a recovered store may have lost: no position, revision, fence or epoch
   * issued from here on may be one that was issued before. Returns the void positions.
   */
  skipLostPositions(beyond: Digits, floor: number): { readonly from: Digits; readonly to: Digits } {
    const from = this.#position;
    this.#position = addDigits(maxDigits(from, beyond), VOID_POSITIONS);
    this.#skipped = { floor };
    return { from, to: this.#position };
  }

  /** Moves the head to the newest position, and sends the pending writes. */
  async close(): Promise<void> {
    if (!this.hasGrown) return this.tx.flush();
    const { org, ...set } = this.newHead;
    const moved = await this.tx.update('heads', { org }, { position: this.head.position }, set);
    if (moved === 0) throw new Conflict('the head of the ledger moved');
    await this.tx.flush();
  }

  async #appendEvidence(row: AnyLedgerRow): Promise<void> {
    this.entries.push({ kind: 'evidence', position: row.position, row });
    await this.tx.append('ledger', row);
  }

  #row<V extends Verdict['verdict']>(draft: RejectedDraft, service: string | null, verdict: V) {
    const position = this.#next();
    return {
      org: this.org,
      position,
      receivedAt: this.at,
      id: draft.id ?? `e${position}`,
      service,
      target: draft.target ?? (service ? targetOf(service) : null),
      revision: draft.revision ?? null,
      attempt: draft.attempt ?? null,
      command: draft.command ?? null,
      fence: draft.fence ?? null,
      seq: draft.seq ?? null,
      source: draft.source,
      observedAt: draft.observedAt ?? null,
      kind: draft.kind,
      body: draft.body,
      verdict,
    };
  }

  #next(): Digits {
    // mutant: position-grows
    this.#position = addDigits(this.#position, 1);
    return this.#position;
  }
}

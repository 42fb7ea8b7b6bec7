import type { Digits } from '../../contract/digits.ts';
import type { Evidence } from '../../contract/evidence.ts';
import { targetOf } from '../../contract/names.ts';
import type { RevisionKind } from '../../contract/vocabulary.ts';
import { endingsBy } from '../../projection/endings.ts';
import { NOTHING_PROVEN, type Proven, type RevisionFacts } from '../../projection/facts.ts';
import { fold } from '../../projection/fold.ts';
import { activeOf } from '../../projection/queue.ts';
import type { ReadTx } from '../../store/port.ts';
import type { AnyLedgerRow, AttemptRow, CheckpointRow, RevisionRow, ServiceRow } from '../../store/schema.ts';
import { artifactOf, nextCommand } from '../door/apply-consequences.ts';
import { readFacts } from '../door/facts-cache.ts';
import { newAttempt, provenAtOnce } from '../door/new-attempt.ts';
import { loadIntent } from '../door/service-file.ts';
import { isAdmitted } from './ledger-pages.ts';

/**
 * Rebuilds one service from its ledger alone, row by row: its facts, and every column that is a cache of them
 * (S9). The checkpoint replaces rows that retention has moved out; columns that no checkpoint holds are left
 * out: when the service was created, how much was rejected, whether it is hidden.
 */
export class Rebuilt {
  readonly org: string;
  readonly service: string;
  readonly #base: CheckpointRow | null;
  proven: Proven;
  revisions: readonly RevisionRow[] = [];
  #createdAt: number | null = null;
  #newest: number;
  #rejected = 0;
  #command: string | null = null;
  /** Null: neither a forced teardown nor an intent was fed, and no checkpoint holds the value before. */
  #hidden: boolean | null;
  /** Attempts that began in the rows fed so far, until `takeAttempts` returns them. */
  readonly #attempts = new Map<string, AttemptRow>();

  constructor(org: string, service: string, base: CheckpointRow | null) {
    this.org = org;
    this.service = service;
    this.#base = base;
    this.proven = readFacts(base?.proven) ?? NOTHING_PROVEN;
    this.#newest = this.proven.revisions.at(-1)?.revision ?? 0;
    this.#hidden = base === null ? false : null;
  }

  get active(): RevisionFacts | undefined {
    return activeOf(this.proven);
  }

  get activeIntent(): RevisionRow | undefined {
    return this.revisions.find((r) => r.revision === this.active?.revision);
  }

  /** Revisions in the facts whose intent cannot be read. */
  get unread(): readonly number[] {
    const spoken = this.proven.revisions.map(({ revision }) => revision);
    return spoken.filter((revision) => !this.revisions.some((r) => r.revision === revision));
  }

  /** The position after which rows must be fed. */
  get from(): Digits | undefined {
    return this.#base?.position;
  }

  async add(tx: ReadTx, row: AnyLedgerRow): Promise<void> {
    if (!isAdmitted(row)) {
      // Evidence that was rejected before the service existed is not counted.
      if (this.#createdAt !== null) this.#rejected += 1;
      return;
    }
    this.#createdAt ??= row.receivedAt;
    const before = this.proven;
    this.proven = fold(before, row);
    await loadIntent(tx, this);
    this.#begin(row);
    for (const { revision, attempt, outcome } of endingsBy(before, this.proven, row)) {
      const ended = this.#attempts.get(`${revision}.${attempt}`);
      if (ended?.outcome === 'in_progress') this.#keep({ ...ended, outcome, endedAt: row.receivedAt });
    }
    const bytes = artifactOf(row);
    const builder = this.#attempts.get(`${row.revision}.${row.attempt}`);
    if (bytes !== null && builder !== undefined) this.#keep({ ...builder, ...bytes });
    this.#command = nextCommand(this)?.id ?? this.#command;
    if (row.kind === 'command.requeued' && row.body.after === 'contradiction') this.#command = row.command;
  }

  /** Columns of the service's row that the ledger decides. */
  columns(): Partial<ServiceRow> {
    const { active } = this;
    if (active === undefined) return {};
    const settled = active.attempt.settled?.outcome;
    const outcome = settled ?? (active.recorded?.absent ? 'succeeded' : 'in_progress');
    return {
      target: targetOf(this.service),
      proven: this.proven,
      newest: this.#newest,
      active: active.revision,
      attempt: active.attempt.attempt,
      outcome,
      ...(this.#base === null && this.#createdAt !== null
        ? { createdAt: this.#createdAt, rejected: this.#rejected }
        : {}),
      ...(this.#base === null || this.#command !== null ? { command: this.#command } : {}),
      ...(this.#hidden === null ? {} : { hidden: this.#hidden }),
    };
  }

  /** Attempts that no further row can change, or at the end all of them; each is returned once. */
  takeAttempts(all: boolean): readonly AttemptRow[] {
    const taken: AttemptRow[] = [];
    for (const [key, row] of this.#attempts) {
      const current = this.proven.revisions.some(
        (r) => r.revision === row.revision && r.attempt.attempt === row.attempt,
      );
      if (current && !all) continue;
      taken.push(row);
      this.#attempts.delete(key);
    }
    return taken;
  }

  #begin(e: Evidence): void {
    if (e.kind === 'intent.recorded') {
      this.#hidden = false;
      this.#keep(this.#began(e, e.body.kind));
    } else if (e.kind === 'teardown.requested') {
      const over = e.body.absent ? provenAtOnce(e.receivedAt) : {};
      this.#keep({ ...this.#began(e, 'teardown'), ...over });
    } else if (e.kind === 'operator.acted' && e.body.action === 'teardown') this.#hidden = true;
    else if (e.kind === 'retry.requested') this.#keep(this.#began(e, this.activeIntent?.kind ?? 'deploy'));
  }

  #began(e: Evidence, kind: RevisionKind): AttemptRow {
    return newAttempt({
      org: this.org,
      service: this.service,
      revision: e.revision ?? 0,
      attempt: e.attempt ?? 1,
      kind,
      startedAt: e.receivedAt,
    });
  }

  #keep(row: AttemptRow): void {
    this.#newest = Math.max(this.#newest, row.revision);
    this.#attempts.set(`${row.revision}.${row.attempt}`, row);
  }
}

import { type Digits, ZERO } from '../../contract/digits.ts';
import { CachingTx } from '../../store/caching-tx.ts';
import type { Tx } from '../../store/port.ts';
import type { RevisionRow, ServiceRow } from '../../store/schema.ts';
import { LedgerWriter } from './ledger-writer.ts';
import { intentRowsOf, ServiceFile, type Surroundings } from './service-file.ts';
import { serviceRow } from './service-row.ts';
import { recordPassedTime } from './settle.ts';
import { draftTransition, type TransitionDraft } from './transition-draft.ts';

/**
 * What time alone makes of a service at an instant that is still to come, if nothing that it was judged from changes
 * until then: one transition, and the row.
 */
export interface JudgedAhead {
  /** The file as it is then. `stored` is the row that it was judged from. */
  readonly file: ServiceFile;
  readonly transition: TransitionDraft;
  /** Ascending: the columns that a write of the row changes from each instant on, beside its position and its instant. */
  readonly rows: readonly { readonly from: number; readonly set: Partial<ServiceRow> }[];
  /** From this instant on, time alone may have changed more. */
  readonly until: number;
  /** The text of the event that is sent to the viewers of its org; null if nobody watches. */
  told: ToldAhead | null;
}

/** The claim after the transition as text, but for its position, which is not issued yet. */
export interface ToldAhead {
  /** The instant that it is of: a commit before then is told otherwise. */
  readonly from: number;
  textFor(audience: 'user' | 'operator', position: Digits): string;
}

/** A file whose recorded claim has changed, and what was prepared to tell viewers of it. */
export interface MovedFile {
  readonly file: ServiceFile;
  readonly told: ToldAhead | null;
}

/** Reasons of a silence may follow upon each other, such as one of the watch and one of the agent. */
const ROWS = 3;

/** Takes the transition of a judgement: nothing of it is on record before its instant. */
const NOWHERE = { append: async () => {} } as Partial<Tx> as Tx;

/**
 * Judges a service at an instant to come by the code that judges it then. Null where more than the silence may happen
 * until then, or has to be read: an attempt that is not settled, a command, a deadline. `around` is as of that instant.
 */
export async function judgeAhead(
  stored: ServiceRow,
  revisions: readonly RevisionRow[],
  { settings, platform, target }: Surroundings,
  at: number,
): Promise<JudgedAhead | null> {
  const { org, service } = stored;
  if (stored.command !== null) return null;
  // Beats go on until the instant, or the judgement is not used: see `isAround`.
  const liveness = { settings, ...platform, ...target, awakeUntil: at, lease: null, workers: [] };
  const file = new ServiceFile(stored, { org, service, at }, liveness);
  const { active, recorded: was } = file;
  file.revisions = intentRowsOf(file.proven, revisions);
  if (active === undefined || active.attempt.settled === null || was === null) return null;
  if (was.revision !== active.revision || was.attempt !== active.attempt.attempt) return null;
  if (file.sinceCheckpoint >= settings.checkpointEvery) return null;
  const head = { org, position: ZERO, at, recoveredAt: platform.recoveredAt, floor: 0 };
  const ledger = new LedgerWriter(new CachingTx(NOWHERE), settings, at, head);
  await recordPassedTime(ledger, file);
  const [entry] = ledger.entries;
  if (entry?.kind !== 'transition' || ledger.entries.length > 1 || file.recorded === null) return null;
  const rows: { from: number; set: Partial<ServiceRow> }[] = [];
  for (let from: number | null = at; from !== null && rows.length < ROWS; ) {
    const standing = file.standing(from);
    const next = draftTransition(file, standing, { owner: 'clock', evidence: '', at: from, now: from });
    if (standing.overdue || next.transition !== null || next.unlisted !== null) break;
    const { settledTo, position, ...row } = serviceRow(file, active, file.recorded, from);
    if (row.due !== null) break;
    rows.push({ from, set: changedColumns(stored, row) });
    from = standing.changesAt;
  }
  const last = rows.at(-1);
  if (last === undefined) return null;
  const { from, to, at: fired, owner, evidence, revision, attempt, stage } = entry.row as TransitionDraft;
  const transition = { at: fired, from, to, owner, evidence, revision, attempt, stage };
  const until = file.standing(last.from).changesAt ?? Number.POSITIVE_INFINITY;
  return { file, transition, rows, until, told: null };
}

function changedColumns(was: ServiceRow, row: Partial<ServiceRow>): Partial<ServiceRow> {
  const before: Readonly<Record<string, unknown>> = { ...was };
  return Object.fromEntries(Object.entries(row).filter(([column, value]) => before[column] !== value));
}

/**
 * True if these surroundings, read at this instant, are those of a judgement ahead: the same reports, agent and blindness,
 * and the platform was awake up to the instant that was judged.
 */
export function isAround(now: Surroundings, at: number, judged: Surroundings, judgedAt: number): boolean {
  if (at < judgedAt || now.platform.awakeUntil < judgedAt) return false;
  return textOf(now) === textOf(judged);
}

const textOf = ({ platform: { awakeUntil: _, ...platform }, target }: Surroundings) =>
  JSON.stringify([platform, target]);

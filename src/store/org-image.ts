import { isIntact, keyOf, type Stored } from './broken-row.ts';
import type { CachingTx } from './caching-tx.ts';
import { type HeadRow, keyText, type Rows, type Table } from './schema.ts';
import { NO_TIP } from './tip.ts';

/** A row that is known not to exist. */
const ABSENT = null;

type RememberedRow = Rows[Table] | typeof ABSENT;

interface Entry {
  readonly row: RememberedRow;
  readonly bytes: number;
}

/** Tables whose rows a process remembers. */
const REMEMBERED: ReadonlySet<Table> = new Set([
  'services',
  'revisions',
  'attempts',
  'commands',
  'leases',
  'agents',
  'registrations',
  'tokens',
  'artifacts',
]);

/** Tables into which rows are inserted behind the head alone: that one does not exist is as good to know. */
const ABSENCE_HOLDS: ReadonlySet<Table> = new Set(['agents', 'registrations', 'commands', 'attempts']);

/** Tables of which no row changes without the head: offers, heartbeats and calm reports write the others. */
const BEHIND_HEAD: ReadonlySet<Table> = new Set(['services', 'revisions', 'attempts']);

/** Remembered rows, by table and text of the key: null where there is none, undefined where it is not known. */
interface BehindHead {
  row<T extends Table>(table: T, key: string): Rows[T] | null | undefined;
}

/** Tables of which whole results are remembered. */
const RESULTS: ReadonlySet<Table> = new Set(['scopes', 'blinds', 'beats']);

/** A result of a read by predicate, and the instant of the transaction that read it. */
interface RememberedResult {
  readonly rows: readonly Stored<Table>[];
  readonly readAt: number;
}

/**
 * What a process remembers of the rows behind an org's head, as they were under its tip. What only the head's lock lets
 * change is still so if the head has that tip. The rest may have gone on since: leases and scopes may be fresher.
 */
export class OrgImage {
  #head: HeadRow;
  /** Rows that were used since memory was last short, and those that were used before. */
  #young = new Map<Table, Map<string, Entry>>();
  #old = new Map<Table, Map<string, Entry>>();
  readonly #results = new Map<Table, Map<string, RememberedResult>>();
  #weight = 0;

  constructor(head: HeadRow) {
    this.#head = head;
  }

  get head(): HeadRow {
    return this.#head;
  }

  /** The bytes of the rows that were used lately, about. */
  get weight(): number {
    return this.#weight;
  }

  get isEmpty(): boolean {
    return this.#young.size === 0 && this.#old.size === 0;
  }

  /** The row; null: there is none; undefined: it is not remembered. */
  row<T extends Table>(table: T, key: string): Rows[T] | null | undefined {
    const young = this.#young.get(table)?.get(key);
    if (young !== undefined) return young.row as Rows[T] | null;
    const old = this.#old.get(table)?.get(key);
    if (old !== undefined) this.#put(table, key, old);
    return old?.row as Rows[T] | null | undefined;
  }

  result(table: Table, predicate: string): RememberedResult | undefined {
    return this.#results.get(table)?.get(predicate);
  }

  /** Takes over what a transaction behind this head has left, which is now the head. */
  learn(head: HeadRow, left: CachingTx, readAt: number): void {
    this.#head = head;
    for (const [table, keys] of left.unread) for (const key of keys) this.#forget(table, key);
    for (const { table, key, row } of left.rowsLeft()) this.learnRow(table, key, row);
    for (const table of left.tablesWritten) this.#results.delete(table);
    for (const [table, results] of left.results)
      for (const [predicate, rows] of results) this.learnResult(table, predicate, rows, readAt);
  }

  /**
   * Takes over a row that was read or written after the commit of this head. If the head has moved meanwhile, the row is
   * newer than the memory, which the next write finds out and drops.
   */
  learnRow(table: Table, key: string, row: Stored<Table> | undefined): void {
    if (!REMEMBERED.has(table)) return;
    const kept = rememberedAs(table, row);
    const before = this.#young.get(table)?.get(key);
    if (kept === undefined) this.#forget(table, key);
    else if (before === undefined || before.row !== kept)
      this.#put(table, key, {
        row: kept,
        bytes: bytesAfter(before, kept) ?? ENTRY + key.length + bytesOf(kept),
      });
  }

  /** The same for the rows that a predicate found. */
  learnResult(table: Table, predicate: string, rows: readonly Stored<Table>[], readAt: number): void {
    if (!RESULTS.has(table)) return;
    const known = this.#results.get(table) ?? new Map<string, RememberedResult>();
    this.#results.set(table, known.set(predicate, { rows, readAt }));
  }

  /** Forgets what was not used since this was last called. */
  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#weight = 0;
  }

  #put(table: Table, key: string, entry: Entry): void {
    const rows = this.#young.get(table) ?? new Map<string, Entry>();
    this.#young.set(table, rows);
    this.#weight += entry.bytes - (rows.get(key)?.bytes ?? 0);
    rows.set(key, entry);
  }

  #forget(table: Table, key: string): void {
    this.#weight -= this.#young.get(table)?.get(key)?.bytes ?? 0;
    this.#young.get(table)?.delete(key);
    this.#old.get(table)?.delete(key);
  }
}

/**
 * What to remember of a row; undefined: nothing. A published command may be offered without the head: it is read whenever
 * it is wanted. A row that cannot be read is for the locked path to judge.
 */
function rememberedAs(table: Table, row: Stored<Table> | undefined): RememberedRow | undefined {
  if (row === undefined) return ABSENCE_HOLDS.has(table) ? ABSENT : undefined;
  if (!isIntact(row)) return undefined;
  if (table === 'commands' && (row as Rows['commands']).state === 'published') return undefined;
  return row as Rows[Table];
}

const ENTRY = 64;
const OBJECT = 32;
const PROPERTY = 12;

/** The bytes of a row of which only small columns have changed: facts are large, and are not counted again for each write. */
function bytesAfter(before: Entry | undefined, row: RememberedRow): number | null {
  if (before === undefined || before.row === ABSENT || row === ABSENT) return null;
  const was = before.row as unknown as Readonly<Record<string, unknown>>;
  const now = row as unknown as Readonly<Record<string, unknown>>;
  for (const column in now) {
    const value = now[column];
    if (typeof value === 'object' && value !== null && value !== was[column]) return null;
  }
  return before.bytes;
}

/** The bytes of a row in memory, about: names of properties are shared by rows of one shape. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = OBJECT;
  for (const name in value) bytes += PROPERTY + bytesOf((value as Record<string, unknown>)[name]);
  return bytes;
}

const LIMIT_BYTES = 192 * 1024 * 1024;
/** After two refusals within this time the locked path is taken for as long: another server writes to this org. */
const SHY_MS = 1_000;

/** The images of all orgs of a process, bounded in bytes. */
export class OrgImages {
  readonly #images = new Map<string, OrgImage>();
  readonly #shyUntil = new Map<string, number>();
  readonly #refusedAt = new Map<string, number>();
  readonly #limitBytes: number;

  constructor(limitBytes = LIMIT_BYTES) {
    this.#limitBytes = limitBytes;
  }

  /**
   * The rows that are behind this head, which the caller has read behind its lock: what only that lock lets change. None
   * if what is remembered stood behind another.
   */
  at({ org, tip, position }: HeadRow): BehindHead | undefined {
    const image = this.#images.get(org);
    if (image === undefined || tip === NO_TIP) return undefined;
    // mutant: recalled-tip
    if (image.head.tip !== tip || image.head.position !== position) return undefined;
    return { row: (table, key) => (BEHIND_HEAD.has(table) ? image.row(table, key) : undefined) };
  }

  /** None if nothing is remembered, or if another writer was met lately. */
  of(org: string, now: number): OrgImage | undefined {
    if (now < (this.#shyUntil.get(org) ?? 0)) return undefined;
    return this.#images.get(org);
  }

  /**
   * Remembers what a committed transaction has left behind the head that it found. What was remembered under another tip
   * is forgotten.
   */
  keep(org: string, found: Pick<HeadRow, 'tip'>, head: HeadRow, left: CachingTx, readAt: number): void {
    const known = this.#images.get(org);
    const image = known !== undefined && known.head.tip === found.tip ? known : new OrgImage(head);
    image.learn(head, left, readAt);
    this.#images.set(org, image);
    this.#bound();
  }

  /** Remembers a row that was written without the head. */
  learn(org: string, table: Table, row: Stored<Table>): void {
    const key = keyOf(table, row);
    if (key !== undefined) this.#images.get(org)?.learnRow(table, keyText(table, key), row);
  }

  drop(org: string): void {
    this.#images.delete(org);
  }

  /** Another writer has moved the tip: once it costs a round trip, and if it does so again, memory is of no use for now. */
  dropForNow(org: string, now: number): void {
    this.drop(org);
    const last = this.#refusedAt.get(org) ?? Number.NEGATIVE_INFINITY;
    this.#refusedAt.set(org, now);
    if (now - last < SHY_MS) this.#shyUntil.set(org, now + SHY_MS);
  }

  get bytes(): number {
    let bytes = 0;
    for (const image of this.#images.values()) bytes += image.weight;
    return bytes;
  }

  /** Rows that were used lately take half of the room at most, and the others what they took when they were. */
  #bound(): void {
    if (this.bytes <= this.#limitBytes / 2) return;
    for (const [org, image] of this.#images) {
      image.age();
      if (image.isEmpty) this.#images.delete(org);
    }
    this.#shyUntil.clear();
    this.#refusedAt.clear();
  }
}

import type { MemoryStore } from '../../src/store/memory.ts';
import type {
  AttemptRow,
  CommandRow,
  CommandState,
  KeyRow,
  LeaseRow,
  RevisionRow,
} from '../../src/store/schema.ts';
import { attemptKey, type Books, digitsAsNumber, type ServiceBook } from './books.ts';
import type { Findings } from './findings.ts';

const OPEN: ReadonlySet<CommandState> = new Set(['held', 'recorded', 'published', 'offered', 'leased']);
export const isOpen = ({ state }: CommandRow) => OPEN.has(state);

/** Intents, their commands, keys, leases: S3 (issue), S5, S6, S7, S11, S13. */
export class IntentRules {
  readonly #books: Books;
  readonly #findings: Findings;
  readonly #tables: MemoryStore['tables'];
  /** Rows of the step that is being read; judged when all of them are there. */
  readonly #born: AttemptRow[] = [];
  readonly #keyed: KeyRow[] = [];
  readonly #moved = new Set<ServiceBook>();

  constructor(books: Books, findings: Findings, tables: MemoryStore['tables']) {
    this.#books = books;
    this.#findings = findings;
    this.#tables = tables;
  }

  revision(row: RevisionRow, before: RevisionRow | undefined): void {
    const book = this.#books.service(row.org, row.service);
    if (before !== undefined) this.#broken('S10', `revision ${row.revision} of ${book.name} was rewritten`);
    if (row.kind !== 'observed') this.#owned(row.org, row.actor, `revision ${row.revision} of ${book.name}`);
    book.revisions.set(row.revision, row);
    this.#moved.add(book);
  }

  attempt(row: AttemptRow, before: AttemptRow | undefined): void {
    const book = this.#books.service(row.org, row.service);
    const stamp = attemptKey(row.revision, row.attempt);
    if (before === undefined) this.#born.push(row);
    book.attempts.set(stamp, row);
    book.newestAttempt.set(row.revision, Math.max(row.attempt, book.newestAttempt.get(row.revision) ?? 0));
    this.#moved.add(book);
  }

  command(row: CommandRow, before: CommandRow | undefined, key: string): void {
    const book = this.#books.service(row.org, row.service);
    book.commands.set(row.id, row);
    this.#moved.add(book);
    const known = this.#books.commands.get(key);
    if (known === undefined || before === undefined) {
      this.#books.commands.set(key, {
        row,
        book,
        lastFence: 0,
        endedFence: 0,
        endedBy: '',
        completions: 0,
        lapses: 0,
      });
      this.#intended(book, row);
      return;
    }
    known.row = row;
    if (digitsAsNumber(row.fence) < digitsAsNumber(before.fence))
      this.#broken('S3', `the fence of ${row.id} went from ${before.fence} back to ${row.fence}`);
    if (row.state === 'offered' && before.state !== 'offered' && row.fence === before.fence)
      this.#broken('S3', `${row.id} was offered again under fence ${row.fence}`);
    if (!isOpen(before) && row.state !== before.state)
      this.#broken('S5', `${row.id} was ${before.state} and became ${row.state}`);
  }

  lease(row: LeaseRow, before: LeaseRow | undefined): void {
    const book = this.#books.service(row.org, row.service);
    if (row.endedAt === null) book.openLeases.set(row.id, row);
    else book.openLeases.delete(row.id);
    if (row.kind === 'apply') book.offeredApply = true;
    if (before === undefined) {
      this.#issued(book, row);
      return;
    }
    if (before.endedAt !== null && before.endedAt !== row.endedAt)
      this.#broken('S3', `lease ${row.id} ended at ${before.endedAt} and was written again`);
    if (before.fence !== row.fence || before.command !== row.command || before.caller !== row.caller)
      this.#broken('S3', `lease ${row.id} changed its fence, command or holder`);
  }

  key(row: KeyRow, before: KeyRow | undefined): void {
    if (before !== undefined) this.#broken('S7', `key ${row.key} of ${row.token} was written twice`);
    this.#owned(row.org, row.token, `key ${row.key}`);
    this.#keyed.push(row);
  }

  /** All rows of the step are there: what must come together has come together. */
  stepComplete(): void {
    for (const row of this.#born) {
      this.#commanded(row);
      this.#asked(row);
      this.#startable(row);
    }
    for (const book of this.#moved) {
      this.#terminal(book);
      activate(book);
      this.#queued(book);
    }
    this.#born.length = 0;
    this.#keyed.length = 0;
    this.#moved.clear();
  }

  /** S6: no command without a committed intent. */
  #intended(book: ServiceBook, row: CommandRow): void {
    this.#findings.count('S6');
    const key = `${row.org}|${row.service}|${row.revision}`;
    if (!this.#tables.revisions.has(key) || !this.#tables.attempts.has(`${key}|${row.attempt}`))
      this.#broken('S6', `${row.id} of ${book.name} was born without its revision and attempt`);
  }

  /** S5: a committed intent has its command from the first moment on. */
  #commanded(row: AttemptRow): void {
    const book = this.#books.service(row.org, row.service);
    const { origin } = book.revisions.get(row.revision) ?? {};
    if (origin?.kind === 'observe' || book.intents.get(row.revision)?.absent) return;
    this.#findings.count('S5');
    for (const c of book.commands.values())
      if (c.revision === row.revision && c.attempt === row.attempt) return;
    this.#broken('S5', `r${row.revision} a${row.attempt} of ${book.name} was committed without a command`);
  }

  /** S7: every intent was asked for by exactly one key, in the same commit. Who cancels it there asked for none. */
  #asked(row: AttemptRow): void {
    if (row.kind === 'observed' && row.attempt === 1) return;
    let keys = 0;
    for (const k of this.#keyed)
      if (
        k.org === row.org &&
        k.service === row.service &&
        k.revision === row.revision &&
        k.attempt === row.attempt &&
        !k.fingerprint.startsWith('cancel')
      )
        keys++;
    this.#findings.count('S7.asked');
    if (keys !== 1)
      this.#broken('S7', `r${row.revision} a${row.attempt} of ${row.service} was made by ${keys} keys`);
  }

  /**
   * S5: what runs the bytes of an earlier build has what that build found to start them, as known when it was asked
   * for. No client of the simulator names a command, so that every one of them is found.
   */
  #startable({ org, service, revision, attempt }: AttemptRow): void {
    const book = this.#books.service(org, service);
    const row = book.revisions.get(revision);
    if (attempt > 1 || row?.origin.kind !== 'artifact') return;
    const { digest } = row.origin;
    const asked = book.intents.get(revision)?.position ?? 0;
    const found = [...book.artifacts.values()].find((a) => a.digest === digest && a.position < asked);
    // A revision that derives from one without a command, because its build's plan came later, has none either.
    const kept = [...book.revisions.values()].some(
      (r) =>
        r.revision < revision && r.origin.kind === 'artifact' && r.origin.digest === digest && !r.command,
    );
    if (found === undefined || (kept && row.command === null)) return;
    this.#findings.count('S5.start');
    if (String(row.command) !== String(found.command))
      this.#broken('S5', `r${revision} of ${book.name} does not know how to start ${digest.slice(-6)}`);
    const { port = 'auto' } = row.spec;
    const keeps = row.kind === 'restart' || row.kind === 'scale' || row.kind === 'rollback';
    if (port === 'auto' && !keeps && row.port !== found.port)
      this.#broken('S5', `r${revision} of ${book.name} has port ${row.port}, its build found ${found.port}`);
  }

  /** S11: whatever a commit moved, an attempt that was over is over in the same way. */
  #terminal(book: ServiceBook): void {
    for (const [stamp, { outcome, revision, attempt }] of book.attempts) {
      const ended = book.ended.get(stamp);
      if (ended === undefined) {
        if (outcome !== 'in_progress') book.ended.set(stamp, outcome);
        continue;
      }
      this.#findings.count('S11');
      if (outcome !== ended)
        this.#broken('S11', `r${revision} a${attempt} of ${book.name} was ${ended} and became ${outcome}`);
    }
  }

  /** The highest fence so far, and only one owner at a time. */
  #issued(book: ServiceBook, row: LeaseRow): void {
    this.#findings.count('S3.issued');
    this.#owned(row.org, row.caller, `lease ${row.id}`);
    const command = book.commands.get(row.command);
    if (command?.fence !== row.fence)
      this.#broken(
        'S3',
        `lease ${row.id} has fence ${row.fence}, its command ${command?.fence ?? 'does not exist'}`,
      );
    for (const open of book.openLeases.values())
      if (open.command === row.command && open.id !== row.id)
        this.#broken('S3', `${row.id} was granted while ${open.id} had not ended`);
  }

  /** Under `queue` a later revision is held until every earlier one is terminal. */
  #queued(book: ServiceBook): void {
    for (const [revision, { queued }] of book.intents) {
      if (!queued) continue;
      for (const command of book.commands.values()) {
        if (command.revision !== revision || command.state === 'held' || !isOpen(command)) continue;
        this.#findings.count('S6.queue');
        const earlier = inProgressBefore(book, revision);
        if (earlier !== null)
          this.#broken(
            'S6',
            `${command.id} is ${command.state} while r${earlier.revision} a${earlier.attempt} before it is in progress`,
          );
      }
    }
  }

  #owned(org: string, name: string, what: string): void {
    this.#findings.count('S13');
    if (!name.startsWith(`${org}:`)) this.#broken('S13', `${what} in ${org} belongs to ${name}`);
  }

  #broken(invariant: string, detail: string): void {
    this.#findings.broken(invariant, detail);
  }
}

function inProgressBefore(book: ServiceBook, revision: number): AttemptRow | null {
  for (const row of book.attempts.values()) {
    if (row.revision >= revision || row.outcome !== 'in_progress') continue;
    if (!book.intents.get(row.revision)?.absent) return row;
  }
  return null;
}

/** The active revision: the newest, but one that queued only when every earlier one is terminal. */
function activate(book: ServiceBook): void {
  for (;;) {
    const { revision, attempt } = book.active;
    const terminal =
      revision === 0 ||
      book.intents.get(revision)?.absent ||
      (book.attempts.get(attemptKey(revision, attempt))?.outcome ?? 'in_progress') !== 'in_progress';
    if (!terminal) return;
    let next = Number.POSITIVE_INFINITY;
    for (const [candidate, { cancelledInQueue }] of book.intents)
      if (candidate > revision && candidate < next && !cancelledInQueue) next = candidate;
    if (next === Number.POSITIVE_INFINITY) return;
    book.active = { revision: next, attempt: book.newestAttempt.get(next) ?? 1 };
  }
}

import { leaseId } from '../../src/contract/command-id.ts';
import { BODIES, type Body, type Evidence } from '../../src/contract/evidence.ts';
import { type CommandKind, KINDS, type Kind, type Role } from '../../src/contract/vocabulary.ts';
import { canonicalJson } from '../../src/store/canonical.ts';
import type { MemoryStore } from '../../src/store/memory.ts';
import { type AnyLedgerRow, sourceKey } from '../../src/store/schema.ts';
import {
  attemptKey,
  type Books,
  type CommandBook,
  digitsAsNumber,
  type OrgBook,
  type ServiceBook,
} from './books.ts';
import { noteProgress } from './contract.ts';
import type { Findings } from './findings.ts';

/** Only the role in the right column of the model's table may create a kind. */
const OWNERS: Readonly<Record<Kind, readonly Role[]>> = {
  'intent.recorded': ['api'],
  'cancel.requested': ['api'],
  'retry.requested': ['api'],
  'teardown.requested': ['api'],
  'command.published': ['publisher'],
  'command.publish_failed': ['publisher'],
  'command.acknowledged': ['worker', 'agent'],
  'command.heartbeat': ['worker', 'agent'],
  'command.released': ['worker', 'agent'],
  'cancel.acknowledged': ['worker', 'agent'],
  'build.progress': ['worker'],
  'build.failed': ['worker'],
  'artifact.stored': ['worker'],
  'runtime.applied': ['agent'],
  'runtime.apply_failed': ['agent'],
  'runtime.removed': ['agent'],
  'runtime.observed': ['watcher'],
  'route.observed': ['watcher'],
  'agent.heartbeat': ['agent'],
  'lease.lapsed': ['sweeper'],
  'stage.timed_out': ['sweeper'],
  'command.requeued': ['sweeper'],
  'command.held': ['sweeper'],
  'command.withdrawn': ['sweeper'],
  'platform.blind': ['sweeper'],
  'operator.acted': ['operator'],
};
/** Caps the leases of one command that may lapse. */
const LAPSES = 3;
const KNOWN: ReadonlySet<string> = new Set(KINDS);

/** Kinds of evidence that end a command's work for good: at most one of these counts (S4). */
const COMPLETES: ReadonlySet<Kind> = new Set([
  'artifact.stored',
  'runtime.applied',
  'runtime.removed',
  'build.failed',
  'runtime.apply_failed',
]);
/** Kinds of evidence that end a lease; later writes under it are history. */
const ENDS: ReadonlySet<Kind> = new Set([
  ...COMPLETES,
  'cancel.acknowledged',
  'command.released',
  'lease.lapsed',
  'stage.timed_out',
]);

/** The kind of command that each kind of evidence is about: it proves nothing of another kind. */
const ABOUT: { readonly [K in Kind]?: CommandKind } = {
  'build.progress': 'build',
  'build.failed': 'build',
  'artifact.stored': 'build',
  'runtime.applied': 'apply',
  'runtime.removed': 'remove',
};

/** The ledger, row by row in the order of positions: S3, S4, S8, S10, S13. */
export class LedgerRules {
  readonly #books: Books;
  readonly #findings: Findings;
  readonly #tables: MemoryStore['tables'];
  /** The first row of every (source, id): ids are unique per org and source. */
  readonly #sent = new Map<string, AnyLedgerRow>();

  constructor(books: Books, findings: Findings, tables: MemoryStore['tables']) {
    this.#books = books;
    this.#findings = findings;
    this.#tables = tables;
  }

  row(row: AnyLedgerRow, before: AnyLedgerRow | undefined): void {
    const org = this.#books.org(row.org);
    if (before !== undefined) this.#broken('S10', `row ${row.position} of ${row.org} was written again`);
    this.position(org, row.position);
    if (row.receivedAt < org.receivedAt) {
      this.#broken('S10', `row ${row.position} was received at ${row.receivedAt}, before ${org.receivedAt}`);
    }
    org.receivedAt = row.receivedAt;
    this.#ownOrg(row);
    this.#once(row);
    if (row.verdict === 'rejected') this.#rejected(org, row);
    else if (KNOWN.has(row.kind)) this.#admitted(org, row as Evidence);
    else this.#broken('S8', `row ${row.position} of the unknown kind ${row.kind} was admitted`);
  }

  /** Every position is used once, by a row, a transition or an alarm (S10). */
  position(org: OrgBook, position: string): void {
    const at = digitsAsNumber(position);
    if (at !== org.position + 1)
      this.#broken('S10', `position ${position} of ${org.org} follows ${org.position}`);
    org.position = at;
    this.#findings.count('S10');
  }

  /** The commit is whole: what it refused has moved no claim (S8). */
  committed(org: OrgBook): void {
    const { commit } = org;
    if (commit.rejected > 0 && commit.admitted === 0) {
      this.#findings.count('S8');
      if (commit.transition !== null)
        this.#broken(
          'S8',
          `a commit with nothing but refused evidence moved ${commit.transition.service} from ${commit.transition.from} to ${commit.transition.to} (${commit.transition.owner})`,
        );
    }
    commit.admitted = 0;
    commit.rejected = 0;
    commit.transition = null;
  }

  /** By convention every caller's name carries its org (S13). */
  #ownOrg({ org, source, position, kind }: AnyLedgerRow): void {
    if (source.role === 'sweeper' || source.role === 'publisher' || source.name === 'observe') return;
    this.#findings.count('S13');
    // The watcher of a target is named by the target; the agent that spoke is in its instance.
    const bearer = source.role === 'watcher' && !source.name.includes(':') ? source.instance : source.name;
    if (!bearer.startsWith(`${org}:`))
      this.#broken('S13', `${kind} at ${position} in the ledger of ${org} came from ${bearer}`);
  }

  /** The same id and body again is no new row; another body under the same id never counts. */
  #once(row: AnyLedgerRow): void {
    if (row.command === null || row.source.role === 'sweeper' || row.source.role === 'publisher') return;
    const key = `${row.org}|${sourceKey(row.source)}|${row.id}`;
    const first = this.#sent.get(key);
    if (first === undefined) {
      this.#sent.set(key, row);
      return;
    }
    this.#findings.count('S8.same_id');
    const reason = row.verdict === 'rejected' ? row.reason : null;
    const said = `${row.id} of ${row.source.name} is at ${first.position} and again at ${row.position}`;
    if (reason !== 'conflicting_duplicate' && reason !== 'invalid') this.#broken('S8', said);
    else if (reason === 'conflicting_duplicate' && isRepeated(first, row))
      this.#broken('S8', `${said}: the same words, and yet called conflicting`);
  }

  /** A person writes one row for each reason, however much it submits (F125). */
  #onceAPerson(row: AnyLedgerRow): void {
    if (row.verdict !== 'rejected' || (row.source.role !== 'api' && row.source.role !== 'operator')) return;
    const key = `${row.org}|${sourceKey(row.source)}|rejected|${row.reason}`;
    const first = this.#sent.get(key);
    this.#sent.set(key, row);
    this.#findings.count('S8.person');
    if (first !== undefined)
      this.#broken(
        'S8',
        `${row.source.name} has two rows for ${row.reason}: ${first.position}, ${row.position}`,
      );
  }

  #rejected(org: OrgBook, row: AnyLedgerRow): void {
    this.#onceAPerson(row);
    org.commit.rejected++;
    if (row.verdict === 'rejected' && !row.reason)
      this.#broken('S8', `row ${row.position} was refused without a reason`);
    if (row.service === null) return;
    const book = this.#books.services.get(`${row.org}|${row.service}`);
    book?.rejectedIds.add(row.id);
  }

  #admitted(org: OrgBook, row: Evidence): void {
    org.commit.admitted++;
    if (!OWNERS[row.kind].includes(row.source.role))
      this.#broken('S8', `${row.kind} at ${row.position} was admitted from the role ${row.source.role}`);
    if (row.service === null) {
      org.looseIds.add(row.id);
      return;
    }
    if (!this.#tables.services.has(`${row.org}|${row.service}`))
      this.#broken(
        'S13',
        `${row.kind} at ${row.position} is about ${row.service}, which ${row.org} does not have`,
      );
    const book = this.#books.service(row.org, row.service);
    book.admitted.push(row);
    book.admittedIds.add(row.id);
    if (row.command !== null) this.#underCommand(book, row, row.command);
    if (row.kind === 'retry.requested') this.#retried(book, row);
    note(book, row);
  }

  /** Retry makes attempt k+1 of the active revision, when attempt k is over. */
  #retried({ active, name }: ServiceBook, { revision, attempt, position }: Evidence): void {
    this.#findings.count('S11.retried');
    if (revision !== active.revision || attempt !== active.attempt + 1)
      this.#broken(
        'S11',
        `retry at ${position} made r${revision} a${attempt} of ${name}, after r${active.revision} a${active.attempt}`,
      );
  }

  #underCommand(book: ServiceBook, row: Evidence, id: string): void {
    const command = this.#books.commands.get(`${row.org}|${id}`);
    if (command === undefined) {
      this.#broken('S6', `${row.kind} at ${row.position} was admitted under ${id}, which nobody recorded`);
      return;
    }
    if (
      command.row.revision !== row.revision ||
      command.row.attempt !== row.attempt ||
      command.book !== book
    ) {
      this.#broken(
        'S3',
        `${row.kind} at ${row.position} speaks of ${row.service} r${row.revision} a${row.attempt}, its command ${id} does not`,
      );
    }
    const about = ABOUT[row.kind];
    if (about !== undefined && about !== command.row.kind)
      this.#broken('S3', `${row.kind} at ${row.position} was admitted under ${id}`);
    const { role } = row.source;
    if (role === 'worker' || role === 'agent') {
      this.#current(book, row);
      this.#readable(row);
    }
    if (row.kind === 'lease.lapsed') this.#lapsed(row, command);
    if (row.fence !== null) this.#fenced(row, command, digitsAsNumber(row.fence), id);
    if (!COMPLETES.has(row.kind)) return;
    this.#findings.count('S4');
    command.completions++;
    if (command.completions > 1)
      this.#broken('S4', `${row.kind} at ${row.position} is the second completion of ${id}`);
  }

  /** The third lapse of a build or an apply ends it, and so the attempt; a removal is never given up. */
  #lapsed(row: Evidence<'lease.lapsed'>, command: CommandBook): void {
    command.lapses++;
    if (command.lapses < LAPSES || command.row.kind === 'remove') return;
    this.#findings.count('S5.third_lapse');
    if (row.body.next === 'requeue' || command.row.state === 'published')
      this.#broken('S5', `${command.row.id} lapsed ${command.lapses} times, and is offered again`);
  }

  /** Evidence under a command of an older revision or attempt is history. */
  #current({ active }: ServiceBook, row: Evidence): void {
    this.#findings.count('S3.current');
    const [revision, attempt] = [row.revision ?? 0, row.attempt ?? 0];
    if (revision < active.revision || (revision === active.revision && attempt < active.attempt)) {
      this.#broken(
        'S3',
        `${row.kind} at ${row.position} of ${row.service} r${revision} a${attempt} was admitted while r${active.revision} a${active.attempt} was active`,
      );
    }
  }

  /** The body of admitted evidence fits its kind: anything else is `invalid`. */
  #readable(row: Evidence): void {
    this.#findings.count('S8.body');
    if (!BODIES[row.kind].safeParse(row.body).success)
      this.#broken('S8', `${row.kind} at ${row.position} was admitted with ${JSON.stringify(row.body)}`);
  }

  #fenced(row: Evidence, command: CommandBook, fence: number, id: string): void {
    this.#findings.count('S3');
    const issued = digitsAsNumber(command.row.fence);
    const said = `${row.kind} at ${row.position} under ${id} carries fence ${fence}`;
    if (fence < command.lastFence) this.#broken('S3', `${said}, after ${command.lastFence} was admitted`);
    if (fence < issued) this.#broken('S3', `${said}, below ${issued}, the highest issued`);
    if (fence > issued) this.#broken('S3', `${said}, but only ${issued} was issued`);
    const afterLapse = row.kind === 'command.requeued' && command.endedBy === 'lease.lapsed';
    const afterOffer = row.kind === 'command.requeued' && row.body.after === 'offer';
    if (fence <= command.endedFence && !afterLapse)
      this.#broken('S3', `${said}, which ${command.endedBy} had ended`);
    const lease = this.#tables.leases.get(`${row.org}|${leaseId(id, String(fence))}`);
    if (lease === undefined) this.#broken('S3', `${said}, of which there is no lease`);
    else if (lease.endedAt !== null && lease.endedAt < row.receivedAt)
      this.#broken(
        'S3',
        `${said} and came at ${row.receivedAt}, but its lease ended at ${lease.endedAt} (${lease.end})`,
      );
    const { role, name } = row.source;
    if ((role === 'worker' || role === 'agent') && lease !== undefined && lease.caller !== name)
      this.#broken('S3', `${said} from ${name}, but ${lease.caller} held the lease`);
    if (afterOffer && lease?.end !== 'not_taken_up')
      this.#broken('S3', `${said}, whose offer was ${lease?.end ?? 'not withdrawn'}`);
    command.lastFence = fence;
    const ends =
      ENDS.has(row.kind) ||
      row.kind === 'command.held' ||
      (row.kind === 'command.requeued' &&
        (afterOffer || row.body.after === 'registration' || row.body.after === 'recovery'));
    if (!ends || fence <= command.endedFence) return;
    command.endedFence = fence;
    command.endedBy = row.kind;
  }

  #broken(invariant: string, detail: string): void {
    this.#findings.broken(invariant, detail);
  }
}

/** Fields that nobody knows are left out of a row: of an empty body it cannot be told what was sent. */
function isRepeated(a: AnyLedgerRow, b: AnyLedgerRow): boolean {
  if (Object.keys(a.body as object).length === 0) return false;
  const words = ({ kind, service, revision, attempt, command, fence, body }: AnyLedgerRow) =>
    canonicalJson([kind, service, revision, attempt, command, fence, body]);
  return a.verdict === 'admitted' && words(a) === words(b);
}

/** Notes what the row proves, as far as a check needs it. The first of its kind counts. */
function note(book: ServiceBook, row: Evidence): void {
  const stamp = attemptKey(row.revision ?? 0, row.attempt ?? 0);
  switch (row.kind) {
    case 'intent.recorded':
      intended(book, row, row.body.queued, false);
      return;
    case 'teardown.requested':
      intended(book, row, false, row.body.absent);
      return;
    case 'retry.requested':
      if (row.revision === book.active.revision)
        book.active = { revision: row.revision, attempt: row.attempt ?? 0 };
      return;
    case 'cancel.requested':
      cancelled(book, row.revision ?? 0, stamp, row.body);
      return;
    case 'command.published':
      book.published.add(stamp);
      return;
    case 'runtime.observed':
    case 'route.observed':
      book.observedAt = digitsAsNumber(row.position);
      if (row.body.instances.length > 0) book.shown.add(book.active.revision);
      return;
    case 'command.requeued':
      if (row.body.after !== 'offer') book.requeued.set(row.command ?? '', row.receivedAt);
      return;
    case 'command.released':
      book.requeued.set(row.command ?? '', row.receivedAt);
      return;
    case 'build.failed':
    case 'runtime.apply_failed':
      book.retrySafe.set(stamp, row.body.retrySafe ?? true);
      return;
    case 'artifact.stored':
      if (!book.artifacts.has(row.revision ?? 0))
        book.artifacts.set(row.revision ?? 0, {
          digest: row.body.digest,
          port: row.body.plan?.port ?? null,
          command: row.body.plan?.command ?? null,
          position: digitsAsNumber(row.position),
        });
      return;
    case 'runtime.applied':
      if (book.applied.has(stamp)) return;
      book.applied.set(stamp, {
        at: row.receivedAt,
        lastReceivedAt: book.view.lastReceivedAt,
        asOfAtCommit: book.view.asOf,
        artifact: row.body.artifact ?? null,
      });
      noteProgress(book, row.receivedAt);
      return;
    case 'runtime.removed':
      book.removed.set(stamp, row.receivedAt);
      if (row.body.contained === false) book.uncontained.add(stamp);
      else book.uncontained.delete(stamp);
      return;
  }
}

/** A revision that does not have to queue is active at once. */
function intended(book: ServiceBook, row: Evidence, queued: boolean, absent: boolean): void {
  const revision = row.revision ?? 0;
  book.intents.set(revision, {
    queued,
    absent,
    cancelledInQueue: false,
    position: digitsAsNumber(row.position),
  });
  if (!queued && revision > book.active.revision) book.active = { revision, attempt: row.attempt ?? 1 };
}

function cancelled(book: ServiceBook, revision: number, stamp: number, body: Body<'cancel.requested'>): void {
  book.cancels.add(stamp);
  const intent = book.intents.get(revision);
  if (body.queued && intent !== undefined) intent.cancelledInQueue = true;
}

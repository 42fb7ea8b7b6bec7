import type { Claim } from '../../src/contract/claim.ts';
import type { Evidence } from '../../src/contract/evidence.ts';
import type { DeadlineName } from '../../src/contract/intent.ts';
import type { AttemptRow, ScopeRow, ServiceRow, TransitionRow } from '../../src/store/schema.ts';
import { attemptKey, type Books, type ServiceBook } from './books.ts';
import { crashLoop, wantedOf } from './contract.ts';
import type { Findings } from './findings.ts';
import { withoutBlindness } from './lease-rules.ts';

/** The time that the sweeper may need, paused and killed on the way, to record an unknown state. */
const GIVES_UP_MS = 12_000;

interface Pause {
  readonly from: number;
  readonly to: number;
}

/** A deadline may speak only after its time, and a policy only as it was asked for. */
export class RepairRules {
  readonly #books: Books;
  readonly #findings: Findings;
  /** Since when a service is `unknown`, and how long it was in all: time that observation deadlines do not count. */
  readonly #unknown = new Map<ServiceBook, { since: number | null; spans: { from: number; to: number }[] }>();

  constructor(books: Books, findings: Findings) {
    this.#books = books;
    this.#findings = findings;
  }

  /** Called with the service's book as it was before this row. */
  transition(row: TransitionRow): void {
    const book = this.#books.service(row.org, row.service);
    this.#breaks(book, row);
    const unknown = this.#unknown.get(book) ?? { since: null, spans: [] };
    if (unknown.since !== null && row.to !== 'unknown') {
      unknown.spans.push({ from: unknown.since, to: row.at });
      unknown.since = null;
    }
    if (row.to === 'unknown') unknown.since ??= row.at;
    this.#unknown.set(book, unknown);
  }

  /** For an attempt that was running: since when it may be broken, and since when it certainly was observed so. */
  readonly #broken = new Map<ServiceBook, { stamp: number; earliest: number; seen: number | null }>();

  #breaks(book: ServiceBook, row: TransitionRow): void {
    const stamp = attemptKey(row.revision, row.attempt);
    const broken = this.#broken.get(book);
    if (row.to === 'running' || broken?.stamp !== stamp) this.#broken.delete(book);
    if (row.to === 'running' || !book.ran.has(stamp)) return;
    // A place that is retired lets the new one be judged; the deadline begins with what that one reports next.
    const isSeen = (row.to === 'degraded' || row.to === 'failed') && row.owner !== 'operator';
    const seen = isSeen ? row.at : null;
    const known = this.#broken.get(book);
    if (known === undefined) this.#broken.set(book, { stamp, earliest: row.at, seen });
    else known.seen ??= seen;
    if (row.to !== 'failed' || row.stage !== 'runtime' || hasLoop(book, stamp)) return;
    this.#findings.count('deadline.degradedMs');
    const end = this.#freshFor(book, known?.earliest ?? row.at, this.#deadline(book, row, 'degradedMs'));
    if (row.at < end)
      this.#findings.broken(
        'deadline',
        `${book.name} failed at runtime at ${row.at}, but was not broken for its degradedMs before ${end}`,
      );
  }

  /** Counted only while somebody could see: neither in silence nor while the platform was blind. */
  #freshFor(book: ServiceBook, start: number, ms: number, pauses: readonly Pause[] = []): number {
    const { since, spans } = this.#unknown.get(book) ?? { since: null, spans: [] };
    const silences = since === null ? spans : [...spans, { from: since, to: Number.POSITIVE_INFINITY }];
    const uncounted = [...silences, ...pauses].map((span) => ({ ...span, org: book.org }));
    return withoutBlindness(start, ms, [...uncounted, ...this.#books.org(book.org).blinds]);
  }

  #deadline(book: ServiceBook, { revision }: { revision: number | null }, name: DeadlineName): number {
    return book.revisions.get(revision ?? 0)?.deadlines[name] ?? Number.POSITIVE_INFINITY;
  }

  /**
   * A deadline that has passed has spoken, once a server has beaten since: `degraded` and `starting` do not outlast
   * theirs, and nobody waits for ever on what nobody can see. `beat` is the last one.
   */
  overstays(book: ServiceBook, claim: Claim, now: number, beat: number): void {
    const { desired, state } = claim;
    const stamp = attemptKey(desired.revision, desired.attempt);
    const applied = book.applied.get(stamp)?.at;
    const late = (name: DeadlineName, end: number) => {
      if (beat >= end)
        this.#findings.broken(
          'deadline',
          `${book.name} is ${state}, ${claim.outcome}, although its ${name} ended at ${end} and a server beat at ${beat}`,
        );
    };
    // Nothing but the window is missing: that takes a failure back, also one whose deadline had passed before.
    const isPaused = book.pausedSince !== null;
    const { pauses } = book;
    const broken = this.#broken.get(book);
    if (state === 'degraded' && !isPaused && broken?.stamp === stamp && broken.seen !== null) {
      this.#findings.count('overstays.degraded');
      late(
        'degradedMs',
        this.#freshFor(book, broken.seen, this.#deadline(book, desired, 'degradedMs'), pauses),
      );
    }
    if (state === 'starting' && !isPaused && applied !== undefined) {
      this.#findings.count('overstays.starting');
      const start = Math.max(applied, book.movedAt);
      late('startMs', this.#freshFor(book, start, this.#deadline(book, desired, 'startMs'), pauses));
    }
    if (state !== 'unknown' || claim.outcome !== 'in_progress' || applied === undefined) {
      this.#waits.delete(book);
      return;
    }
    this.#findings.count('overstays.unknown');
    if (beat > 0) this.#awakeFrom ??= beat;
    const waits = this.#waits.get(book);
    const from = waits?.stamp === stamp ? waits.from : now;
    this.#waits.set(book, { stamp, from });
    const { blinds } = this.#books.org(book.org);
    const stage = withoutBlindness(applied, this.#deadline(book, desired, 'startMs'), blinds);
    late('startMs', withoutBlindness(Math.max(stage, from, this.#awakeFrom ?? now), GIVES_UP_MS, blinds));
  }

  /** Before the first beat of all nobody was awake who could have given up; a server beats before it serves. */
  #awakeFrom: number | null = null;

  /**
   * Since when anybody could read that an attempt waits for what nobody can see. Not since when it is on record so:
   * that it was applied may be committed long after, and progress may put off what is seen beyond this deadline.
   */
  readonly #waits = new Map<ServiceBook, { readonly stamp: number; readonly from: number }>();

  readonly #unknowns = new Map<ServiceBook, { readonly at: number; readonly transition: string }>();

  /** Somebody has read `unknown` because of a silence that is not on record yet. */
  noteUnknown(book: ServiceBook, claim: Claim, now: number): void {
    const silent = claim.cause?.code === 'stale_runtime' || claim.cause?.code === 'watch_stalled';
    const last = book.lastTransition;
    if (claim.state !== 'unknown' || !silent || last === null || last.to === 'unknown') return;
    if (!this.#unknowns.has(book)) this.#unknowns.set(book, { at: now, transition: last.position });
  }

  /** A report that was heard in time and committed late: then nobody was silent. */
  heard({ org, target, receivedAt, asOf }: ScopeRow, freshForMs: number): void {
    for (const [book, { at }] of this.#unknowns)
      if (book.org === org && book.view.target === target && receivedAt <= at && at < asOf + freshForMs)
        this.#unknowns.delete(book);
  }

  /** The sweeper records it, or the next write does, once per silence. */
  stored(book: ServiceBook, row: ServiceRow, lastReceivedAt: number): void {
    const noted = this.#unknowns.get(book);
    if (noted === undefined || row.settledTo <= noted.at) return;
    this.#unknowns.delete(book);
    if (lastReceivedAt !== row.settledTo) return;
    this.#findings.count('S2.recorded');
    if (book.lastTransition?.position === noted.transition)
      this.#findings.broken(
        'S2',
        `${book.name} was unknown at ${noted.at}, and a write at ${row.settledTo} did not record it`,
      );
  }

  /** Called with the service's book as it was before this row. */
  row(row: Evidence): void {
    if (row.service === null) return;
    const book = this.#books.service(row.org, row.service);
    if (row.kind === 'teardown.requested' && !row.body.force) this.#seen(book, row);
    if (row.kind === 'command.withdrawn' && row.body.why === 'deadline') this.#withdrawn(book, row);
    if (row.kind === 'stage.timed_out') this.#timedOut(book, row);
  }

  /** A teardown of an unobserved service is refused, unless forced or repeated. */
  #seen(book: ServiceBook, row: Evidence): void {
    const last = book.lastTransition;
    if (last === null || book.revisions.get(last.revision)?.kind === 'teardown') return;
    this.#findings.count('teardown guarded');
    if (last.to === 'unknown')
      this.#findings.broken('teardown', `${book.name} was torn down at ${row.position} while unknown`);
  }

  #withdrawn(book: ServiceBook, row: Evidence<'command.withdrawn'>): void {
    const names = { publish: 'publishMs', queue: 'queueMs', apply_queue: 'applyQueueMs' } as const;
    const name = names[row.body.stage as keyof typeof names];
    if (name !== undefined) this.#notBefore(book, row, name, this.#startOf(book, row));
  }

  #timedOut(book: ServiceBook, row: Evidence<'stage.timed_out'>): void {
    const { stage, outcome } = row.body;
    const stamp = attemptKey(row.revision ?? 0, row.attempt ?? 0);
    if (stage === 'apply' && row.body.cause === 'identity_changed') {
      // An apply that a former place took waits for nobody in the new one: it is held as long as it could be queued (F114).
      this.#notBefore(book, row, 'applyQueueMs', book.view.replacedAt);
      return;
    }
    if (stage === 'stop') {
      this.#notBefore(book, row, 'stopMs', this.#startOf(book, row));
      return;
    }
    if (stage === 'build' || stage === 'apply') {
      const name = stage === 'build' ? 'buildMs' : 'applyMs';
      this.#notBefore(book, row, name, this.#acknowledgedAt(book, row, stage));
      return;
    }
    const applied = book.applied.get(stamp)?.at;
    if (applied === undefined) return;
    this.#notBefore(book, row, 'startMs', applied);
    if (outcome !== 'failed') return;
    const ms = this.#deadline(book, row, 'startMs');
    const progress = book.progress.filter((p) => p.stamp === stamp && p.at < row.receivedAt).at(-1)?.at ?? 0;
    if (progress > applied) this.#findings.count('deadline.progress');
    const end = this.#freshFor(book, Math.max(applied, progress), ms);
    this.#findings.count('deadline.fresh');
    if (row.receivedAt < end)
      this.#findings.broken(
        'deadline',
        `${book.name} failed at ${row.receivedAt}, but it was observed for ${ms} ms only at ${end}`,
      );
  }

  #startOf(book: ServiceBook, row: Evidence): number {
    const retried = book.admitted.find(
      (e) => e.kind === 'retry.requested' && e.revision === row.revision && e.attempt === row.attempt,
    );
    return retried?.receivedAt ?? book.revisions.get(row.revision ?? 0)?.createdAt ?? 0;
  }

  #acknowledgedAt(book: ServiceBook, row: Evidence, stage: 'build' | 'apply'): number {
    const first = book.admitted.find(
      (e) =>
        e.kind === 'command.acknowledged' &&
        e.revision === row.revision &&
        e.attempt === row.attempt &&
        e.command?.includes(`.${stage}.`),
    );
    return first?.receivedAt ?? 0;
  }

  #notBefore(book: ServiceBook, row: Evidence, name: DeadlineName, start: number): void {
    const ms = book.revisions.get(row.revision ?? 0)?.deadlines[name];
    if (ms === undefined) return;
    this.#findings.count(`deadline.${name}`);
    const end = withoutBlindness(start, ms, this.#books.org(row.org).blinds);
    if (row.receivedAt < end)
      this.#findings.broken(
        'deadline',
        `${row.kind} at ${row.position} of ${book.name} came at ${row.receivedAt}, but ${name} ends at ${end}`,
      );
  }

  readonly #superseded: AttemptRow[] = [];

  superseded(row: AttemptRow, before: AttemptRow | undefined): void {
    if (row.outcome === 'superseded' && before?.outcome === 'in_progress') this.#superseded.push(row);
  }

  /** All rows of the step are there, and with them the revision that superseded what was in progress. */
  stepComplete(): void {
    for (const row of this.#superseded) this.#allowed(row);
    this.#superseded.length = 0;
  }

  /** Only `newest` supersedes; rollback, restart, scale and teardown are always that. */
  #allowed(row: AttemptRow): void {
    const { revisions, intents } = this.#books.service(row.org, row.service);
    this.#findings.count('policy');
    for (const newer of revisions.values()) {
      if (newer.revision <= row.revision || intents.get(newer.revision)?.queued) continue;
      // A service that another tool deploys cannot wait: observing it begins at once.
      const waits = newer.origin.kind !== 'observe';
      const chooses = waits && (newer.kind === 'deploy' || newer.kind === 'config');
      if (!chooses || (newer.spec.concurrency ?? 'newest') === 'newest') return;
    }
    const retried = this.#books.service(row.org, row.service).newestAttempt.get(row.revision) ?? 0;
    if (retried > row.attempt) return;
    this.#findings.broken(
      'policy',
      `r${row.revision} a${row.attempt} of ${row.service} was superseded, but nothing newer asked for that`,
    );
  }
}

/** A crash loop waits for no deadline. */
function hasLoop(book: ServiceBook, stamp: number): boolean {
  const row = book.revisions.get(book.active.revision);
  const sight = book.view.sight(book.service);
  if (book.loopFailed === stamp || row === undefined || sight === null) return book.loopFailed === stamp;
  return crashLoop(wantedOf(book, row, book.active.attempt, sight), sight) !== null;
}

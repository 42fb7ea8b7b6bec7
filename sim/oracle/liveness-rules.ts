import type { Claim } from '../../src/contract/claim.ts';
import type { OracleInputs } from '../oracle-port.ts';
import { attemptKey, type Books, type ServiceBook } from './books.ts';
import { crashLoop, isTrue, isUnjudged, longestWindow, wantedOf, wholeAsOf } from './contract.ts';
import type { Findings } from './findings.ts';
import { iso, movedEnd } from './held-claim.ts';
import { isOpen } from './intent-rules.ts';
import { truthText } from './truth-rules.ts';

/** Room for a few turns of everybody: sweeper, publisher, worker, agent. */
const TURNS_MS = 12_000;
/** Events that may go on once faults have stopped (L5). */
const STORM = 6;
const STORM_MS = 15_000;

/** After faults have stopped: L1, L2, L3, L5. */
export class LivenessRules {
  readonly #books: Books;
  readonly #findings: Findings;
  readonly #around: OracleInputs;

  constructor(books: Books, findings: Findings, around: OracleInputs) {
    this.#books = books;
    this.#findings = findings;
    this.#around = around;
  }

  service(book: ServiceBook, claim: Claim, now: number): void {
    if (!this.#isAwake(now)) {
      this.#findings.count('L.platform_asleep');
      return;
    }
    this.#leases(book, now);
    this.#storm(book, now);
    this.#commands(book, claim, now);
    this.#recorded(book, claim, now);
    this.#removedAgain(book, claim, now);
    this.#agrees(book, claim, now);
  }

  /** After calm and a sweeper's turn, the state that is shown is also recorded, and a failed attempt is over. */
  #recorded(book: ServiceBook, claim: Claim, now: number): void {
    if (now - Date.parse(claim.since) < this.#around.settings.blindAfterMs) return;
    this.#findings.count('L1.recorded');
    if (book.row?.state !== claim.state)
      this.#findings.broken('L1', `${book.name} is ${claim.state}, but on record it is ${book.row?.state}`);
    if (claim.state === 'failed' && claim.outcome === 'in_progress')
      this.#findings.broken('L1', `${book.name} has failed, but nobody has recorded how it ended`);
  }

  /** A schedule can end while every server is still paused: then nobody could have repaired anything. */
  #isAwake(now: number): boolean {
    for (const beat of this.#around.store.tables.beats.values())
      if (beat.at > now - this.#around.settings.blindAfterMs) return true;
    return false;
  }

  /** L3: no lease outlives its end by more than the sweeper needs. */
  #leases(book: ServiceBook, now: number): void {
    const org = this.#books.org(book.org);
    for (const lease of book.openLeases.values()) {
      this.#findings.count('L3');
      const end = movedEnd(lease, this.#around.settings.leaseTtlMs, org.blinds);
      if (now > end + TURNS_MS)
        this.#findings.broken(
          'L3',
          `lease ${lease.id} ended at ${iso(end)} and is still open at ${iso(now)}`,
        );
    }
  }

  /** L5: no retry storm. */
  #storm(book: ServiceBook, now: number): void {
    this.#findings.count('L5');
    const granted = new Map<string, number>();
    for (const lease of this.#around.store.tables.leases.values()) {
      if (lease.org !== book.org || lease.service !== book.service || lease.grantedAt < now - STORM_MS)
        continue;
      const n = (granted.get(lease.command) ?? 0) + 1;
      granted.set(lease.command, n);
      if (n > STORM)
        this.#findings.broken('L5', `${lease.command} was leased ${n} times within ${STORM_MS} ms of calm`);
    }
    if (granted.size > STORM)
      this.#findings.broken(
        'L5',
        `${granted.size} commands of ${book.name} were leased within ${STORM_MS} ms of calm`,
      );
  }

  /** L1: every command resolves; whoever waits for a deadline does not wait beyond it. */
  #commands(book: ServiceBook, claim: Claim, now: number): void {
    const by = claim.expecting?.by;
    const { active } = book;
    if (claim.outcome === 'in_progress') {
      this.#findings.count('L1.in_progress');
      if (by != null && Date.parse(by) + TURNS_MS < now)
        this.#findings.broken(
          'L1',
          `${book.name} is ${claim.state} and in progress, although its deadline passed at ${by}`,
        );
    } else {
      this.#findings.count('L1.settled');
      const recorded = book.attempts.get(attemptKey(active.revision, active.attempt));
      if (recorded?.outcome !== claim.outcome)
        this.#findings.broken(
          'L1',
          `${book.name} r${active.revision} a${active.attempt} is told to be ${claim.outcome}, but recorded as ${recorded?.outcome}`,
        );
    }
    for (const command of book.commands.values()) {
      this.#findings.count('L1');
      if (!isOpen(command) || command.state === 'held') continue;
      const mine = command.revision === active.revision && command.attempt === active.attempt;
      if (!mine)
        this.#findings.broken(
          'L1',
          `${command.id} is ${command.state}, but r${active.revision} a${active.attempt} is active`,
        );
      else if (claim.outcome !== 'in_progress' && command.kind !== 'remove')
        this.#findings.broken('L1', `${command.id} is ${command.state}, but its attempt is ${claim.outcome}`);
    }
  }

  /** An instance observed after its absence was proven is removed again: there is an open removal, or one since. */
  #removedAgain(book: ServiceBook, claim: Claim, now: number): void {
    const { revision, attempt } = claim.desired;
    if (claim.state !== 'unknown' || claim.cause?.code !== 'contradictory') return;
    if (this.#contradictsItself(book, claim)) return;
    const since = Date.parse(claim.since);
    const told = Math.max(
      book.removed.get(attemptKey(revision, attempt)) ?? 0,
      book.applied.get(attemptKey(revision, attempt))?.at ?? 0,
    );
    const { leaseTtlMs } = this.#around.settings;
    if (now < Math.max(since, told + leaseTtlMs) + TURNS_MS) return;
    this.#findings.count('L1.removed_again');
    for (const command of book.commands.values())
      if (command.kind === 'remove' && command.revision === revision && isOpen(command)) return;
    this.#findings.broken('L1', `${book.name} is contradicted since ${claim.since}, and nobody removes it`);
  }

  /** A workload of another tool may contradict itself for as long as it is there, and nobody here can mend it. */
  #contradictsItself(book: ServiceBook, { desired }: Claim): boolean {
    const row = book.revisions.get(desired.revision);
    const sight = book.view.sight(book.service);
    if (row === undefined || sight === null || row.origin.kind !== 'observe') return false;
    return isUnjudged(wantedOf(book, row, desired.attempt, sight), sight);
  }

  /** L2: claims reach ground truth within freshness and one report. */
  #agrees(book: ServiceBook, claim: Claim, now: number): void {
    const { settings, world } = this.#around;
    const { revision, attempt } = claim.desired;
    const row = book.revisions.get(revision);
    const sight = book.view.sight(book.service);
    // Each of several scopes has to report: a schedule can end while one of them still waits for a paused server.
    const isWatched = sight !== null && now < wholeAsOf(sight) + settings.freshForMs && !book.view.untold;
    const isContradicted = this.#contradictsItself(book, claim);
    if (!isWatched || row === undefined || this.#books.isShared(book) || isContradicted) {
      this.#findings.count('L2.unwatched');
      return;
    }
    const truth = world.now(book.service);
    const unchangedFor = this.#around.trueNow() - truth.at;
    const wanted = wantedOf(book, row, attempt, sight);
    // An instance that exited has to hold a longer window.
    const windowMs = longestWindow(sight, row.stabilityMs);
    const isDue = unchangedFor > settings.freshForMs + windowMs + TURNS_MS;
    const holds = isTrue(wanted, truth) && (wanted.observe || wanted.appliedAt !== null);
    const strange = truth.instances.some((i) => i.phase === 'unknown' || i.reason !== null);
    // A copy in a crash loop is named for as long as it loops, also one more than is wanted (F113).
    const loops = crashLoop(wanted, sight) !== null;
    // What no rule covers any more is called running by nobody.
    const fate = book.view.coverage?.fateOf(book.service) ?? 'there';
    if (fate === 'there' && holds && isDue && !strange && !loops && claim.state !== 'cancelled') {
      this.#findings.count('L2.running');
      const told = now - (wanted.appliedAt ?? 0) > windowMs + TURNS_MS;
      if (told && claim.state !== 'running')
        this.#findings.broken(
          'L2',
          `${book.name} is ${claim.state} (${claim.cause?.code ?? ''}), but ${truthText(truth)}`,
        );
    }
    if (claim.state === 'running' && isDue && !isTrue(wanted, truth))
      this.#findings.broken('L2', `${book.name} is called running, but ${truthText(truth)}`);
    const removed = book.removed.get(attemptKey(revision, attempt));
    // By scopes of which nobody said how many there are, absence may stay unproven.
    const provable = row.kind === 'teardown' && !book.view.isPartitioned;
    if (provable && removed !== undefined && truth.instances.length === 0 && isDue) {
      this.#findings.count('L2.stopped');
      if (claim.state !== 'stopped' && now - removed > TURNS_MS)
        this.#findings.broken(
          'L2',
          `${book.name} is ${claim.state} (${claim.cause?.code ?? ''}), but nothing runs`,
        );
    }
    if (claim.state === 'stopped' && isDue && truth.instances.length > 0)
      this.#findings.broken('L2', `${book.name} is called stopped, but ${truthText(truth)}`);
  }
}

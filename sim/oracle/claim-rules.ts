import type { Claim } from '../../src/contract/claim.ts';
import { leaseId } from '../../src/contract/command-id.ts';
import { type CommandKind, UNKNOWN_CAUSES, type UnknownCause } from '../../src/contract/vocabulary.ts';
import type { LeaseRow } from '../../src/store/schema.ts';
import type { OracleInputs } from '../oracle-port.ts';
import { attemptKey, type Books, type ServiceBook } from './books.ts';
import { crashLoop, hasSteady, oracleReading, steadyEntry, wantedOf, wholeAsOf } from './contract.ts';
import type { Counter } from './counters.ts';
import type { Findings } from './findings.ts';
import { type Held, iso, movedEnd } from './held-claim.ts';
import { isOpen } from './intent-rules.ts';
import { withoutBlindness } from './lease-rules.ts';
import type { ObservationRules } from './observation-rules.ts';
import { TruthRules } from './truth-rules.ts';
import { WaitingRules } from './waiting-rules.ts';
import { WordingRules } from './wording-rules.ts';

const UNKNOWN: ReadonlySet<string> = new Set(UNKNOWN_CAUSES);
const WAITS: ReadonlySet<string> = new Set(['waiting_for_worker', 'artifact_ready']);
const STALE_CAUSES: ReadonlySet<string> = new Set(['stale_runtime', 'never_observed', 'watch_stalled']);

const RESTS_ON_SIGHT: ReadonlySet<string> = new Set(['starting', 'running', 'degraded', 'failed']);

/** No claim is stronger than its evidence (S1), and none outlives it (S2). One rule per state. */
export class ClaimRules {
  readonly #books: Books;
  readonly #findings: Findings;
  readonly #around: OracleInputs;
  readonly #truth: TruthRules;
  readonly #wording: WordingRules;
  readonly #observations: ObservationRules;
  readonly waiting: WaitingRules;

  constructor(books: Books, findings: Findings, around: OracleInputs, observations: ObservationRules) {
    this.#observations = observations;
    this.#books = books;
    this.#findings = findings;
    this.#around = around;
    this.#truth = new TruthRules(books, findings, around);
    this.#wording = new WordingRules(findings, around.settings.freshForMs);
    this.waiting = new WaitingRules(books, findings, around.store.tables, around.settings);
  }

  /** `timeKept`: the store's clock has not been set back, so that what time alone brought stays. */
  check(book: ServiceBook, claim: Claim, now: number, slackMs: number, timeKept: boolean): void {
    const { revision, attempt } = claim.desired;
    const row = book.revisions.get(revision);
    if (row === undefined) {
      this.#broken('S1', book, claim, `speaks of revision ${revision}, which nobody recorded`);
      return;
    }
    const sight = book.view.sight(book.service);
    const held: Held = {
      book,
      org: this.#books.org(book.org),
      claim,
      now,
      stamp: attemptKey(revision, attempt),
      revision: row,
      sight,
      wanted: wantedOf(book, row, attempt, sight),
    };
    this.#instant(held);
    this.#speaksOfActive(held);
    this.#outcome(held, timeKept);
    this.#cites(held);
    this.#state(held, slackMs);
    if (timeKept) this.#wording.validUntil(held, this.#changesBy(held));
    this.#wording.lastKnown(held);
    this.#wording.copy(held);
    this.#wording.secondCopy(held);
    if (timeKept) this.#wording.former(held);
    if (timeKept && WAITS.has(claim.state)) this.waiting.claim(book, claim, now);
    if (claim.state === 'failed') this.#wording.failure(held);
    this.#former(held);
    this.#observations.claim(held);
    this.#truth.serving(held, slackMs);
    this.#truth.lastServing(held);
    this.#truth.nothingServes(held, slackMs);
  }

  /** An instant at which time alone certainly changes the claim: null if none does, undefined if the oracle cannot know. */
  #changesBy(held: Held): number | null | undefined {
    const { book, claim, stamp, wanted, org } = held;
    const freshUntil = () =>
      book.view.untold ? undefined : this.#freshAsOf(held) + this.#around.settings.freshForMs;
    switch (claim.state) {
      case 'starting':
      case 'running':
      case 'degraded':
        return freshUntil();
      case 'failed':
        if (!wanted.observe && !book.applied.has(stamp)) return null;
        return book.view.untold ? undefined : this.#seenAsOf(held) + this.#around.settings.freshForMs;
      case 'stopping':
        if (wanted.observe) return freshUntil();
        return claim.expecting?.by == null ? undefined : Date.parse(claim.expecting.by);
      case 'stopped':
        if (isByLedger(held)) return null;
        // `stopped` from before another place came stays, as long as the last report of the former place counts.
        return book.view.replaced && !book.view.untold
          ? book.view.replacedAsOf + this.#around.settings.freshForMs
          : freshUntil();
      case 'cancelled':
        return null;
      case 'building':
      case 'applying_runtime_state':
      case 'cancelling': {
        const lease = ownedLease(held);
        return lease === null ? undefined : movedEnd(lease, this.#around.settings.leaseTtlMs, org.blinds);
      }
      case 'accepted':
      case 'waiting_for_worker':
      case 'artifact_ready':
        return claim.expecting?.by == null ? undefined : Date.parse(claim.expecting.by);
      case 'unknown':
        return undefined;
    }
  }

  /** The claim is of now, by the store's clock. */
  #instant({ book, claim, now }: Held): void {
    if (Date.parse(claim.now) !== now)
      this.#broken('S2', book, claim, `is of ${claim.now}, not of ${iso(now)}`);
  }

  #speaksOfActive({ book, claim }: Held): void {
    this.#findings.count('S1.desired');
    const { active } = book;
    if (claim.desired.revision !== active.revision || claim.desired.attempt !== active.attempt)
      this.#broken('S1', book, claim, `is not about r${active.revision} a${active.attempt}, the active one`);
  }

  /** S11: an outcome that was once shown never changes again. */
  #outcome({ book, claim, stamp }: Held, timeKept: boolean): void {
    const recorded = book.attempts.get(stamp)?.outcome ?? 'in_progress';
    const earlier = book.outcomes.get(stamp) ?? recorded;
    if (earlier !== 'in_progress') {
      this.#findings.count('S11.claim');
      if (claim.outcome !== earlier)
        this.#broken('S11', book, claim, `has outcome ${claim.outcome}, but it was ${earlier}`);
    }
    if (claim.outcome !== 'in_progress' && (timeKept || recorded !== 'in_progress'))
      book.outcomes.set(stamp, claim.outcome);
  }

  /** S8, S14: what it cites is in the ledger, about this service, and was admitted. */
  #cites({ book, claim, org }: Held): void {
    this.#findings.count('S8.cited');
    for (const id of claim.proof.evidence) {
      if (book.admittedIds.has(id) || org.looseIds.has(id)) continue;
      if (book.rejectedIds.has(id)) this.#broken('S8', book, claim, `cites ${id}, which was refused`);
      else this.#broken('S14', book, claim, `cites ${id}, which is not in its ledger`);
    }
  }

  #state(held: Held, slackMs: number): void {
    const { book, claim, stamp, revision } = held;
    switch (claim.state) {
      case 'accepted':
        this.#accepted(held);
        return;
      case 'waiting_for_worker':
        this.#waiting(held);
        return;
      case 'building':
        this.#owned(held, 'build');
        return;
      case 'artifact_ready':
        this.#artifactReady(held);
        return;
      case 'applying_runtime_state':
        this.#owned(held, 'apply');
        return;
      case 'starting':
        this.#findings.count('S1.starting');
        if (!held.wanted.observe && !book.applied.has(stamp))
          this.#broken('S1', book, claim, 'rests on no admitted runtime.applied');
        this.#seen(held, 'S2.starting');
        this.#noCrashLoop(held);
        return;
      case 'running':
        this.#running(held, slackMs);
        return;
      case 'degraded':
        this.#findings.count('S1.degraded');
        if (!book.ran.has(stamp))
          this.#broken('S1', book, claim, 'says degraded of an attempt that never was running');
        this.#notHeld(held);
        this.#seen(held, 'S2.degraded');
        this.#noCrashLoop(held);
        return;
      case 'failed':
        this.#failed(held);
        return;
      case 'cancelling':
        this.#cancelling(held);
        return;
      case 'cancelled':
        this.#findings.count('S1.cancelled');
        if (!book.cancels.has(stamp)) this.#broken('S1', book, claim, 'rests on no recorded cancel');
        this.#nobodyWorks(held);
        return;
      case 'stopping':
        this.#findings.count('S1.stopping');
        // Nothing is wanted of what somebody removed at its target.
        if (held.wanted.observe && (held.wanted.replicas === 0 || fateOf(held) === 'removed'))
          this.#seen(held, 'S2.stopped');
        else if (revision.kind !== 'teardown') this.#broken('S1', book, claim, 'is no teardown');
        return;
      case 'stopped':
        this.#stopped(held);
        return;
      case 'unknown':
        this.#unknown(held);
        return;
    }
  }

  #accepted({ book, claim, stamp, wanted }: Held): void {
    this.#findings.count('S1.accepted');
    if (wanted.observe) return;
    if (!hasCommand(book, stamp)) this.#broken('S1', book, claim, 'has no command');
  }

  #waiting(held: Held): void {
    const { book, claim, stamp } = held;
    this.#findings.count('S1.waiting');
    if (!book.published.has(stamp)) this.#broken('S1', book, claim, 'was never published');
    const owner = ownedLease(held);
    if (owner !== null) this.#broken('S1', book, claim, `waits, but ${owner.worker} holds ${owner.id}`);
  }

  /** A worker or agent acknowledged the lease of the newest fence, and its end is not reached. */
  #owned(held: Held, kind: CommandKind): void {
    const { book, claim, stamp, org, now } = held;
    this.#findings.count(kind === 'build' ? 'S1.building' : 'S1.applying');
    for (const command of book.commands.values()) {
      if (command.kind !== kind || attemptKey(command.revision, command.attempt) !== stamp) continue;
      const lease = book.openLeases.get(leaseId(command.id, command.fence));
      if (lease === undefined || lease.acknowledgedAt === null) continue;
      const end = movedEnd(lease, this.#around.settings.leaseTtlMs, org.blinds);
      if (now >= end) this.#broken('S1', book, claim, `outlives ${lease.id}, which ended at ${iso(end)}`);
      this.#heard(held, lease);
      return;
    }
    this.#broken('S1', book, claim, `rests on no acknowledged ${kind} lease of the newest fence`);
  }

  /** A holder that did not renew its lease when it should have is never called at work; three renewals are due in each. */
  #heard({ book, claim, org, now }: Held, lease: LeaseRow): void {
    const { leaseTtlMs } = this.#around.settings;
    const lastReceivedAt = lease.until - leaseTtlMs;
    const isSilent = now >= withoutBlindness(lastReceivedAt, Math.ceil(leaseTtlMs / 3), org.blinds);
    if (isSilent) this.#findings.count('S1.holder_silent');
    if (isSilent && claim.message.body.includes('at work'))
      this.#broken('S1', book, claim, `calls ${lease.worker} at work, last heard at ${iso(lastReceivedAt)}`);
    if (isSilent !== (claim.cause?.code === 'holder_silent'))
      this.#broken('S1', book, claim, `was last heard of ${lease.worker} at ${iso(lastReceivedAt)}`);
  }

  /** Our store holds the bytes. */
  #artifactReady({ book, claim, revision }: Held): void {
    this.#findings.count('S1.artifact_ready');
    const { origin } = revision;
    const digest =
      origin.kind === 'artifact'
        ? origin.digest
        : origin.kind === 'source'
          ? book.artifacts.get(revision.revision)?.digest
          : undefined;
    if (digest === undefined || !this.#around.store.tables.artifacts.has(`${book.org}|${digest}`))
      this.#broken('S1', book, claim, `says so of ${digest ?? 'no artifact'}, which the store does not hold`);
  }

  #running(held: Held, slackMs: number): void {
    const { book, claim, wanted, sight, now } = held;
    this.#findings.count('S1.running');
    book.loopFailed = null;
    if (wanted.observe) this.#findings.count('S1.running.observed');
    if (book.view.isPartitioned) this.#findings.count('S1.running.scopes');
    this.#seen(held, 'S2.running');
    if (book.view.untold) return;
    const { missing, counted } = oracleReading(wanted, sight);
    if (missing !== null || sight === null) {
      this.#broken('S1', book, claim, `but by the accepted reports ${missing}`);
      return;
    }
    const { freshForMs } = this.#around.settings;
    for (const i of counted)
      if (now >= i.asOf + freshForMs)
        this.#broken(
          'S1',
          book,
          claim,
          `counts on ${i.uid}, last seen as of ${iso(i.asOf)}, ${now - i.asOf} ms ago`,
        );
    if (wanted.port && now >= sight.entryAsOf + freshForMs)
      this.#broken('S1', book, claim, `counts on a route last seen as of ${iso(sight.entryAsOf)}`);
    this.#truth.running(held, sight, counted, slackMs);
  }

  /** At the runtime's stages only over fresh sight of the broken contract; before them only when nobody works any more. */
  #failed(held: Held): void {
    const { book, claim, stamp, wanted } = held;
    if (!wanted.observe && !book.applied.has(stamp)) {
      this.#findings.count('S1.failed_command');
      this.#nobodyWorks(held);
      return;
    }
    this.#findings.count('S1.failed_observed');
    if (claim.cause?.code === 'crash_loop') this.#loopFails(held);
    this.#notHeld(held);
    // The `runtime.applied` alone observes nothing, and so nothing broken.
    this.#seen(held, 'S2.failed', this.#seenAsOf(held));
  }

  /** A fresh observation of a crash loop is `failed` at once, and stays so, unless others are steady (F113). */
  #noCrashLoop({ book, claim, stamp, wanted, sight }: Held): void {
    if (book.view.untold || sight === null || wanted.replicas === 0) return;
    this.#findings.count('crash_loop.none');
    if (hasSteady(wanted, sight)) {
      book.loopFailed = null;
      if (crashLoop(wanted, sight) !== null) this.#findings.count('crash_loop.one_copy');
      return;
    }
    const looping = crashLoop(wanted, sight);
    if (looping !== null)
      this.#broken(
        'S1',
        book,
        claim,
        `but ${looping.uid} exits again and again (${looping.restarts} restarts)`,
      );
    else if (book.loopFailed === stamp)
      this.#broken('S1', book, claim, 'but it failed by a crash loop, and nothing has been steady since');
  }

  /** One bad copy is no outage of what ran: while others are steady it is degraded. */
  #loopFails({ book, claim, stamp, wanted, sight }: Held): void {
    this.#findings.count('crash_loop.told');
    book.loopFailed = stamp;
    if (book.view.untold || sight === null || !book.ran.has(stamp)) return;
    this.#findings.count('crash_loop.at_runtime');
    if (book.view.isPartitioned || wholeAsOf(sight) < sight.asOf) return;
    if (hasSteady(wanted, sight)) this.#broken('S1', book, claim, 'but others of it are steady');
  }

  #cancelling(held: Held): void {
    const { book, claim, stamp } = held;
    this.#findings.count('S1.cancelling');
    if (!book.cancels.has(stamp)) this.#broken('S1', book, claim, 'rests on no recorded cancel');
    if (ownedLease(held) === null) this.#broken('S1', book, claim, 'but nobody holds a lease any more');
  }

  /** Absence is proven: by the ledger alone, or by a complete report after the apply or removal. */
  #stopped(held: Held): void {
    const { book, claim, stamp, revision, sight } = held;
    const present = sight?.instances ?? [];
    const shown = `but ${present.map((i) => i.uid).join(', ')} was seen as of ${iso(sight?.asOf ?? 0)}`;
    if (isByLedger(held)) {
      this.#findings.count('S1.stopped.ledger');
      if (book.offeredApply)
        this.#broken('S1', book, claim, 'rests on the ledger alone, but an apply was leased');
      if (present.length > 0 && !book.view.untold) this.#broken('S1', book, claim, shown);
      this.#truth.neverApplied(held);
      return;
    }
    this.#findings.count('S1.stopped');
    const claimsAll = claim.cause?.code !== 'uncontained';
    if (claimsAll && book.uncontained.has(stamp))
      this.#broken('S1', book, claim, 'but what left its instances was never proven gone');
    if (!claimsAll) this.#findings.count('S1.stopped.uncontained');
    if (book.view.replaced && this.#wasStopped(held)) return;
    this.#seen(held, 'S2.stopped');
    if (book.view.isPartitioned) {
      // The protocol does not say how many scopes there are: one that has not reported yet may hold an instance.
      this.#findings.count('S1.stopped.scopes_unchecked');
      return;
    }
    if (book.view.untold || held.wanted.observe) return;
    // If it was never applied and yet was observed, a report has to come after the teardown itself.
    const requestedAt = book.intents.get(revision.revision)?.absent ? revision.createdAt : undefined;
    const orderedAt =
      revision.kind === 'teardown' ? (book.removed.get(stamp) ?? requestedAt) : book.applied.get(stamp)?.at;
    if (orderedAt === undefined) this.#broken('S1', book, claim, 'but the runtime was never told');
    else if (present.length > 0) this.#broken('S1', book, claim, shown);
    else if (sight === null || sight.absentAsOf < orderedAt)
      this.#broken('S1', book, claim, `but no complete report is as of ${iso(orderedAt)} or later`);
    else this.#truth.stopped(held, sight);
  }

  /** Absence that the former place had proven stays until it is too old: nothing was left behind there. */
  #wasStopped({ book, now }: Held): boolean {
    const { lastTransition, view } = book;
    const wasProven = lastTransition?.to === 'stopped' && lastTransition.at <= view.replacedAt;
    const isFresh = now < view.replacedAsOf + this.#around.settings.freshForMs;
    if (!wasProven || !isFresh || view.left(book.service) > 0) return false;
    this.#findings.count('S1.stopped.former');
    return true;
  }

  /** Reports of the new place never show that copies in the former one are stopped, gone or running (F114). */
  #former({ book, claim, stamp, wanted, revision }: Held): void {
    const { view } = book;
    if (view.left(book.service) === 0 || view.untold) return;
    this.#findings.count('S1.former');
    if (claim.state === 'stopped')
      this.#broken('S1', book, claim, 'but a former place showed it, and nobody has shown that it is gone');
    if (book.succeeded === view.replacements || hasSucceededSince(book, view.replacedAt)) return;
    const begunAt = wanted.observe ? revision.createdAt : book.applied.get(stamp)?.at;
    if (claim.state === 'running' && begunAt !== undefined && begunAt >= view.replacedAt) {
      book.succeeded = view.replacements;
      return;
    }
    if (claim.next.retrySafe)
      this.#broken('S1', book, claim, 'calls another try safe, but copies in a former place may run');
    if (begunAt !== undefined && RESTS_ON_SIGHT.has(claim.state))
      this.#broken('S1', book, claim, 'but a former place showed it, of which the new one says nothing');
  }

  /** No false red: what is said to be broken must have been seen broken. */
  #notHeld({ book, claim, wanted, sight }: Held): void {
    if (book.view.untold || wanted.replicas === 0) return;
    this.#findings.count('S1.not_held');
    const { missing, counted } = oracleReading(wanted, sight);
    if (missing !== null || sight === null) return;
    // With several scopes each has to be seen again: what one said before the last of them came up says nothing after,
    // nor what it said before anybody knew that its template is a revision.
    const last = Math.max(
      ...counted.map((i) => i.firstReceivedAt),
      steadyEntry(wanted, sight)?.firstReceivedAt ?? 0,
      wanted.observe ? wanted.revision.createdAt : 0,
    );
    const isAgain = !book.view.isPartitioned || sight.lastReceivedAt > last;
    if (isAgain) this.#broken('S1', book, claim, 'but the accepted reports show the contract held, stable');
  }

  #nobodyWorks({ book, claim, stamp }: Held): void {
    for (const command of book.commands.values())
      if (attemptKey(command.revision, command.attempt) === stamp && isOpen(command))
        this.#broken('S1', book, claim, `but ${command.id} is still ${command.state}`);
    for (const lease of book.openLeases.values()) {
      const command = book.commands.get(lease.command);
      if (command !== undefined && attemptKey(command.revision, command.attempt) === stamp)
        this.#broken('S1', book, claim, `but ${lease.worker} still holds ${lease.id}`);
    }
  }

  /** S2: whatever rests on observation needs one inside the freshness window. */
  #seen(held: Held, name: Counter, asOf = this.#freshAsOf(held)): void {
    const { book, claim, now } = held;
    if (book.view.untold) return;
    this.#findings.count(name);
    if (book.view.replaced) {
      this.#broken(
        'S2',
        book,
        claim,
        'but the target has another identity, which has shown nothing complete yet',
      );
      return;
    }
    if (held.sight?.corrupt) this.#broken('S1', book, claim, 'but an item about it could not be read');
    const { freshForMs } = this.#around.settings;
    if (now >= asOf + freshForMs) {
      const age = Number.isFinite(asOf) ? `is ${now - asOf} ms old` : 'is not there';
      this.#broken(
        'S2',
        book,
        claim,
        `but the newest accepted observation ${age}, fresh for ${freshForMs} ms`,
      );
    }
  }

  #seenAsOf({ sight }: Held): number {
    return sight?.asOf ?? Number.NEGATIVE_INFINITY;
  }

  /** The agent that applied it spoke of the target then. */
  #freshAsOf(held: Held): number {
    const { book, stamp, revision } = held;
    const applied = revision.kind === 'teardown' ? undefined : book.applied.get(stamp);
    return Math.max(this.#seenAsOf(held), applied?.at ?? Number.NEGATIVE_INFINITY);
  }

  /** Uncertain only where it is: a fresh observation is not called stale. */
  #unknown({ book, claim, sight, stamp, now }: Held): void {
    const code = claim.cause?.code ?? '';
    if (!UNKNOWN.has(code)) this.#broken('S2', book, claim, 'says so for no cause of the model');
    else this.#findings.count(`S2.unknown.${code as UnknownCause}`);
    if (!STALE_CAUSES.has(code) || book.view.untold || sight === null) return;
    const { freshForMs } = this.#around.settings;
    // A report from before the apply shows nothing of what came of it, nor is one that was received before that
    // was on record known as one about it.
    const applied = book.applied.get(stamp);
    const isSince =
      applied === undefined || (book.view.asOf >= applied.at && book.view.asOf > applied.asOfAtCommit);
    if (now < book.view.asOf + freshForMs && isSince)
      this.#broken(
        'S2',
        book,
        claim,
        `says ${code}, but a report is as of ${iso(book.view.asOf)}, ${now - book.view.asOf} ms ago`,
      );
  }

  #broken(invariant: string, book: ServiceBook, { state, desired, cause }: Claim, detail: string): void {
    if (this.#findings.first !== null) return;
    const why = cause === null ? '' : ` (${cause.code})`;
    this.#findings.broken(
      invariant,
      `the claim of ${book.name}, ${state}${why} at r${desired.revision} a${desired.attempt}, ${detail}`,
    );
  }
}

const fateOf = ({ book }: Held) => book.view.coverage?.fateOf(book.service) ?? 'there';

function hasCommand(book: ServiceBook, stamp: number): boolean {
  for (const command of book.commands.values())
    if (attemptKey(command.revision, command.attempt) === stamp) return true;
  return false;
}

/** No apply was ever leased, and nothing was ever seen to the contrary. */
function isByLedger({ book, revision }: Held): boolean {
  return (book.intents.get(revision.revision)?.absent ?? false) && !book.shown.has(revision.revision);
}

/** An acknowledged lease of the attempt that has not ended. */
function ownedLease({ book, stamp }: Held): LeaseRow | null {
  for (const lease of book.openLeases.values()) {
    const command = book.commands.get(lease.command);
    if (command === undefined || lease.acknowledgedAt === null) continue;
    if (attemptKey(command.revision, command.attempt) === stamp && command.fence === lease.fence)
      return lease;
  }
  return null;
}

/** An attempt that began in the new place held there, however short: a queued revision may have followed it at once. */
function hasSucceededSince({ attempts, applied }: ServiceBook, replacedAt: number): boolean {
  for (const [stamp, { outcome }] of attempts)
    if (outcome === 'succeeded' && (applied.get(stamp)?.at ?? 0) >= replacedAt) return true;
  return false;
}

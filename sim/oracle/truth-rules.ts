import type { Stamp } from '../../src/contract/intent.ts';
import type { OracleInputs } from '../oracle-port.ts';
import { isUp, type TruthMoment } from '../world.ts';
import { attemptKey, type Books, type ServiceBook } from './books.ts';
import { answers, isTrue, type RunningConditions } from './contract.ts';
import type { Findings } from './findings.ts';
import type { Held } from './held-claim.ts';
import type { OracleInstance, Sight } from './views.ts';

/** Claims against the ground truth: what really ran at the instant that the newest accepted report shows (S1). */
export class TruthRules {
  readonly #books: Books;
  readonly #findings: Findings;
  readonly #around: OracleInputs;

  constructor(books: Books, findings: Findings, around: OracleInputs) {
    this.#books = books;
    this.#findings = findings;
    this.#around = around;
  }

  running({ book, wanted }: Held, sight: Sight, counted: readonly OracleInstance[], slackMs: number): void {
    this.#findings.count('S1.running.truth');
    this.#age(book, sight, slackMs, 'running');
    const truths = this.#at(book, sight.seenAt);
    if (truths.some((truth) => isTrue(wanted, truth))) return;
    // Seen one by one, by reports that were not complete: each has to be true of its own instant.
    const isPieced = counted.some((i) => i.seenAt !== sight.seenAt) || sight.entrySeenAt !== sight.seenAt;
    if (isPieced && counted.every((i) => this.#ran(book, i)) && this.#routed(book, wanted, sight)) return;
    this.#findings.broken(
      'S1',
      `${book.name} is called running, but at the instant that was seen (true ${sight.seenAt}) ${truthText(truths[0])}`,
    );
  }

  #ran(book: ServiceBook, { uid, seenAt }: OracleInstance): boolean {
    return this.#at(book, seenAt).some((truth) => truth.instances.some((i) => i.uid === uid && isUp(i)));
  }

  #routed(book: ServiceBook, wanted: RunningConditions, sight: Sight): boolean {
    return !wanted.port || this.#at(book, sight.entrySeenAt).some((truth) => answers(wanted, truth.route));
  }

  stopped({ book }: Held, sight: Sight): void {
    this.#findings.count('S1.stopped.truth');
    const truths = this.#at(book, sight.seenAt);
    if (truths.every((truth) => truth.instances.length > 0))
      this.#findings.broken(
        'S1',
        `${book.name} is called stopped, but at the instant that was seen (true ${sight.seenAt}) ${truthText(truths[0])}`,
      );
  }

  /** Proven by the ledger alone it does not age: then nothing may ever have run but a stray that nobody has shown. */
  neverApplied({ book }: Held): void {
    if (this.#books.isShared(book)) return;
    this.#findings.count('S1.stopped.ledger.truth');
    const { world } = this.#around;
    const truth = world.now(book.service);
    const applied = world.effects();
    if (truth.instances.some((i) => applied.has(`${book.service}.r${i.revision}.a${i.attempt}`)))
      this.#findings.broken('S1', `${book.name} is called stopped, never applied, but ${truthText(truth)}`);
  }

  /** `serving` names what the route named, or without one the highest with a ready instance, of what was handed out. */
  serving({ book, claim, sight, now, wanted }: Held, slackMs: number): void {
    const { serving } = claim;
    if (serving === null || book.view.untold) return;
    this.#findings.count('S1.serving');
    const said = `${book.name} is said to serve r${serving.revision} a${serving.attempt}`;
    const { createdAt = 0 } = book.revisions.get(serving.revision) ?? {};
    // Open: the facts do not keep when a superseded revision was requested, so a stray that had its number before may
    // be shown as of an instant before it (seed 111). What was ever applied is checked.
    const isStray =
      serving.revision < claim.desired.revision &&
      !book.applied.has(attemptKey(serving.revision, serving.attempt));
    if (Date.parse(serving.asOf) < createdAt && !isStray)
      this.#findings.broken('S1', `${said} as of ${serving.asOf}, before anybody had asked for it`);
    if (now >= Date.parse(serving.validUntil))
      this.#findings.broken('S2', `${said} until ${serving.validUntil}, which has passed`);
    const { freshForMs } = this.#around.settings;
    if (sight === null || book.view.replaced || now >= sight.asOf + freshForMs) {
      this.#findings.broken('S2', `${said}, but no accepted observation is fresh`);
      return;
    }
    this.#age(book, sight, slackMs, 'serving');
    // The facts keep no attempts of older revisions: of those only the revision is proven.
    const isHistory = ({ revision }: Stamp) =>
      revision < claim.desired.revision && book.revisions.has(revision);
    const isIssued = (stamp: Stamp) =>
      book.attempts.has(attemptKey(stamp.revision, stamp.attempt)) || isHistory(stamp);
    if (wanted.observe) return;
    // Items of incomplete reports are true at their own instants: any since the oldest that counts. The route may have
    // been seen later than another scope, which the whole is no younger than.
    const oldest = Math.min(sight.entrySeenAt, sight.seenAt, ...sight.instances.map((i) => i.seenAt));
    const newest = Math.max(sight.entrySeenAt, sight.seenAt);
    const truths = this.#around.world.between(book.service, oldest - 1, newest);
    const isNamed = truths.some((truth) => {
      const named = truth.route ?? highestReady(truth, isIssued);
      return named?.revision === serving.revision && named.attempt === serving.attempt;
    });
    // Scopes are seen one by one: what is left of one may be the highest only beside what another no longer shows,
    // and nobody tells of a route while the one that would is silent.
    const isPieced = () =>
      sight.entry?.answers !== true &&
      sight.instances.some(
        (i) =>
          (i.seenAt !== sight.seenAt || sight.entrySeenAt !== sight.seenAt) &&
          i.revision === serving.revision &&
          i.attempt === serving.attempt &&
          this.#ran(book, i),
      );
    if (!isNamed && !isPieced())
      this.#findings.broken('S1', `${said}, but at the instant that was seen ${truthText(truths[0])}`);
    else if (!isIssued(serving)) this.#findings.broken('S1', `${said}, which was never handed out`);
  }

  /** While nothing is proven to serve, what was seen serving and is not proven gone is named (F116). */
  lastServing({ book, claim, sight, now }: Held): void {
    const { serving, lastServing: last } = claim;
    if (serving !== null) {
      if (last !== null)
        this.#findings.broken('S1', `${book.name} serves, and still is said to have served last`);
      const { revision, attempt } = serving;
      book.served = { revision, attempt, asOf: Date.parse(serving.asOf) };
      return;
    }
    if (book.view.untold || book.view.replaced || sight === null) return;
    const shows = ({ revision, attempt }: Stamp) =>
      sight.instances.some((i) => i.revision === revision && i.attempt === attempt);
    const { served } = book;
    if (served !== null) this.#findings.count('S1.last_serving');
    if (last === null) {
      if (served !== null && shows(served))
        this.#findings.broken(
          'S1',
          `${book.name} is forgotten to have served r${served.revision} a${served.attempt}, which was there when last seen`,
        );
      return;
    }
    const said = `${book.name} is said to have served r${last.revision} a${last.attempt} last`;
    if (!book.revisions.has(last.revision))
      this.#findings.broken('S1', `${said}, which was never handed out`);
    const isSame = served?.revision === last.revision && served.attempt === last.attempt;
    if (served !== null && !isSame && shows(served) && Date.parse(last.asOf) < served.asOf)
      this.#findings.broken(
        'S1',
        `${said}, but r${served.revision} a${served.attempt} served later and was there when last seen`,
      );
    if (Date.parse(last.asOf) + last.ageMs !== now)
      this.#findings.broken('S2', `${said}, as of ${last.asOf}, ${last.ageMs} ms ago`);
    const isLeftOut = book.view.coverage?.fateOf(book.service) === 'not_observed';
    const isLeft = book.view.left(book.service) > 0 || isLeftOut;
    if (!isLeft && !book.view.isPartitioned && sight.absentAsOf > Date.parse(last.asOf) && !sight.corrupt)
      this.#findings.broken('S1', `${said}, but a complete report has shown nothing of it since`);
  }

  /** Nothing is said to serve only while nothing did at the instant that was seen, or by the ledger if nothing was ever applied. */
  nothingServes({ book, claim, sight, now }: Held, slackMs: number): void {
    const { nothingServes: nothing, serving } = claim;
    if (nothing === undefined || book.view.untold) return;
    const said = `${book.name} is said to serve nothing`;
    if (serving !== null) this.#findings.broken('S1', `${said}, and to serve r${serving.revision}`);
    if (nothing.validUntil === null) {
      if (this.#books.isShared(book)) return;
      this.#findings.count('S1.nothing_serves.ledger');
      const truth = this.#around.world.now(book.service);
      const applied = this.#around.world.effects();
      if (truth.instances.some((i) => applied.has(`${book.service}.r${i.revision}.a${i.attempt}`)))
        this.#findings.broken('S1', `${said} by the ledger alone, but ${truthText(truth)}`);
      return;
    }
    this.#findings.count('S1.nothing_serves');
    if (now >= Date.parse(nothing.validUntil))
      this.#findings.broken('S2', `${said} until ${nothing.validUntil}, which has passed`);
    const { freshForMs } = this.#around.settings;
    if (sight === null || book.view.replaced || now >= sight.asOf + freshForMs) {
      this.#findings.broken('S2', `${said}, but no accepted observation is fresh`);
      return;
    }
    this.#age(book, sight, slackMs, 'serving nothing');
    // A route without a copy behind it, which controllers that lag leave for a while, answers nobody (seed 1819). Scopes are
    // seen one by one: at no single instant need all of them have shown nothing.
    const isPieced =
      book.view.isPartitioned ||
      (sight.entry !== null && sight.entrySeenAt !== sight.seenAt) ||
      sight.instances.some((i) => i.seenAt !== sight.seenAt);
    const truths = this.#at(book, sight.seenAt);
    if (!isPieced && truths.every(({ instances }) => instances.some(isUp)))
      this.#findings.broken('S1', `${said}, but at the instant that was seen ${truthText(truths[0])}`);
  }

  /** A fresh observation is no older than the window in true time; a store clock that was set back gives slack. */
  #age(book: ServiceBook, sight: Sight, slackMs: number, said: string): void {
    if (!sight.bounded) return;
    this.#findings.count('S2.true_age');
    const age = this.#around.trueNow() - sight.seenAt;
    const { freshForMs } = this.#around.settings;
    // By its formula `asOf` may be younger than a stalled watch by the time that the report was on its way.
    if (age >= freshForMs + slackMs + sight.watchAgeMs + 1)
      this.#findings.broken(
        'S2',
        `${book.name} is called ${said} over a view that is truly ${age} ms old, fresh for ${freshForMs} ms`,
      );
  }

  /** An observation within a millisecond may show the world before or after whatever happened in it. */
  #at(book: ServiceBook, instant: number): readonly TruthMoment[] {
    return this.#around.world.between(book.service, instant - 1, instant);
  }
}

function highestReady({ instances }: TruthMoment, isIssued: (stamp: Stamp) => boolean): Stamp | null {
  let found: Stamp | null = null;
  for (const i of instances) {
    if (!isUp(i) || !isIssued(i)) continue;
    if (
      found === null ||
      i.revision > found.revision ||
      (i.revision === found.revision && i.attempt > found.attempt)
    )
      found = i;
  }
  return found;
}

export function truthText(truth: TruthMoment | undefined): string {
  const { instances, route } = truth ?? { instances: [], route: null };
  const each = instances.map(
    (i) =>
      `${i.uid} r${i.revision} a${i.attempt} ${i.phase}${isUp(i) ? ' up' : i.ready ? ' ready' : ''} ${i.artifact.slice(-6)}`,
  );
  const routed = route === null ? 'no route' : `the route at r${route.revision} a${route.attempt}`;
  return `there was ${each.length === 0 ? 'nothing' : each.join(', ')} and ${routed}`;
}

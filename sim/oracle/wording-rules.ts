import type { Claim } from '../../src/contract/claim.ts';
import { attemptKey, digitsAsNumber, type ServiceBook } from './books.ts';
import { isUnjudged, oracleReading } from './contract.ts';
import type { Findings } from './findings.ts';
import type { Held } from './held-claim.ts';

/** Stages whose timeout is the user's move (docs/protocol.md 2). */
const USERS: ReadonlySet<string> = new Set(['build', 'image', 'start', 'readiness', 'route', 'runtime']);
/** The states that a deadline or an apply may have made of each, before anything could be judged. */
const BECOMES: { readonly [state: string]: string } = {
  applying_runtime_state: 'starting',
  starting: 'failed',
  degraded: 'failed',
};

const STALE: ReadonlySet<string> = new Set(['stale_runtime', 'watch_stalled']);

/** Evidence recorded since the state became unknown, or that made it unknown by being stale, was never fresh. */
function wasOldWhenItCame({ book, claim }: Held): boolean {
  const { lastTransition: last, observedAt } = book;
  if (observedAt > digitsAsNumber(last?.position ?? '0')) return true;
  return last?.owner === 'watcher' && STALE.has(claim.cause?.code ?? '');
}

/** Checks a claim's words beside its state: `validUntil`, `lastKnown`, and whether a retry is safe. */
export class WordingRules {
  readonly #findings: Findings;
  readonly #freshForMs: number;

  constructor(findings: Findings, freshForMs: number) {
    this.#findings = findings;
    this.#freshForMs = freshForMs;
  }

  /**
   * `validUntil` is the first instant at which time alone changes the claim. `bound` is one at which it certainly
   * does: null where nothing does, undefined where the oracle cannot tell.
   */
  validUntil({ book, claim, now }: Held, bound: number | null | undefined): void {
    const told = claim.freshness.validUntil;
    const until = told === null ? null : Date.parse(told);
    if (until !== null && until <= now) this.#broken(book, claim, 'valid_until', `is valid until ${told}`);
    if (bound === undefined) return;
    if (bound === null) {
      this.#findings.count('valid_until.null');
      if (until !== null)
        this.#broken(book, claim, 'valid_until', `is valid until ${told}, but time alone changes nothing`);
      return;
    }
    if (bound <= now) return;
    this.#findings.count('valid_until');
    if (until === null || until > bound)
      this.#broken(
        book,
        claim,
        'valid_until',
        `is valid until ${told ?? 'for ever'}, but time alone changes it at ${new Date(bound).toISOString()}`,
      );
  }

  /** While `unknown`: the state that was known before of this attempt. Otherwise nothing. */
  lastKnown(held: Held): void {
    const { book, claim, now, stamp, wanted, sight } = held;
    const { lastKnown } = claim;
    if (claim.state !== 'unknown') {
      if (lastKnown !== null) this.#broken(book, claim, 'last_known', `knows ${lastKnown.state} from before`);
      return;
    }
    if (lastKnown !== null && Date.parse(lastKnown.at) + lastKnown.ageMs !== now)
      this.#broken(
        book,
        claim,
        'last_known',
        `knew ${lastKnown.state} at ${lastKnown.at}, ${lastKnown.ageMs} ms ago`,
      );
    const known = book.lastKnown;
    if (known === null || known.stamp !== stamp) return;
    // A rollout of another tool leaves no `runtime.applied`: a start that became opaque is not remembered.
    if (wanted.observe && (known.state === 'starting' || known.state === 'stopping')) return;
    this.#findings.count('last_known');
    if (lastKnown === null)
      this.#broken(book, claim, 'last_known', `has forgotten that it was ${known.state} before`);
    else if (wasOldWhenItCame(held)) this.#shownBefore(held, lastKnown.state);
    else if (lastKnown.state !== known.state && lastKnown.state !== BECOMES[known.state])
      this.#broken(book, claim, 'last_known', `knew ${lastKnown.state}, but on record it was ${known.state}`);
    else if (lastKnown.state === 'failed' && book.lastTransition?.to === 'unknown') {
      // A deadline may have failed it while it was seen, and none after that. What shows the same, and came late, was
      // fresh in hindsight until it was stale, but told nobody of what could not be judged.
      const hindsight = STALE.has(claim.cause?.code ?? '') ? this.#freshForMs : 0;
      const seenUntil = Math.max(book.lastTransition.at, (sight?.asOf ?? book.view.replacedAsOf) + hindsight);
      if (Date.parse(lastKnown.at) > seenUntil)
        this.#broken(book, claim, 'last_known', `knew failed at ${lastKnown.at}, when nothing was known`);
    }
  }

  /** A report that was old when it came is about an instant that nobody had observed then: it has to show it. */
  #shownBefore({ book, claim, wanted, sight }: Held, state: string): void {
    // What is left out or gone is not shown any more: what was judged while it was there stands.
    const isThere = (book.view.coverage?.fateOf(book.service) ?? 'there') === 'there';
    if (state !== 'running' || !isThere || book.view.untold || !STALE.has(claim.cause?.code ?? '')) return;
    this.#findings.count('last_known.shown');
    const { missing } = oracleReading(wanted, sight);
    if (missing !== null && !isUnjudged(wanted, sight))
      this.#broken(book, claim, 'last_known', `knew running, but ${missing}`);
  }

  /** Trying again is safe, except where the failure's own evidence says otherwise. */
  failure({ book, claim, stamp }: Held): void {
    this.#findings.count('retry_safe');
    const said = book.retrySafe.get(attemptKey(claim.desired.revision, claim.desired.attempt)) ?? true;
    const { view } = book;
    const isDoubled = view.left(book.service) > 0 && book.succeeded !== view.replacements && !view.untold;
    if (!said) this.#findings.count('retry_safe.denied');
    if (!isDoubled && claim.next.retrySafe !== said)
      this.#broken(book, claim, 'retry_safe', `says ${claim.next.retrySafe}, its evidence ${said}`);
    const { timeout } = claim;
    if (timeout === null) return;
    this.#findings.count('timeout');
    if (timeout.owner !== (USERS.has(timeout.stage) ? 'user' : 'platform') || timeout.retrySafe !== said)
      this.#broken(book, claim, 'timeout', `answers ${JSON.stringify(timeout)} of r/a ${stamp}`);
  }

  /** Copies in a former place were last seen with its last report, and not when they last changed (F114). */
  former({ book, claim }: Held): void {
    const { formerPlace } = claim;
    if (formerPlace === null || book.view.untold) return;
    const seenUntil = book.view.leftSeenUntil(book.service, formerPlace.identity);
    if (seenUntil === null) return;
    this.#findings.count('former_seen');
    if (Date.parse(formerPlace.asOf) < seenUntil)
      this.#broken(
        book,
        claim,
        'former_seen',
        `saw a former place last at ${formerPlace.asOf}, but its reports went on`,
      );
  }

  /** While copies in a former place are in doubt, nothing that starts another is offered as safe (F114). */
  secondCopy({ book, claim }: Held): void {
    const isDoubted = claim.cause?.code === 'identity_changed';
    if (!isDoubted && claim.formerPlace !== null) return;
    for (const decision of claim.actions) {
      if (decision.action !== 'restart' || decision.allowed === false) continue;
      if (isDoubted) this.#findings.count('second_copy');
      if (isDoubted !== (decision.risk !== undefined))
        this.#broken(book, claim, 'second_copy', `a restart is ${isDoubted ? 'offered as safe' : 'a risk'}`);
    }
  }

  /** A sentence about one copy names one that the reports show to be so (F115). */
  copy({ book, claim, sight }: Held): void {
    if (claim.cause?.code !== 'not_answering') return;
    this.#findings.count('copy_named');
    const hung = sight?.instances.filter((i) => !i.ready && i.reason === 'not_answering') ?? [];
    const { instance } = claim.cause.params;
    if (!hung.some(({ name }) => name === instance))
      this.#broken(
        book,
        claim,
        'copy_named',
        `names ${instance ?? 'no copy'}, and ${hung.map(({ name }) => name).join(', ') || 'none'} hangs`,
      );
  }

  #broken(book: ServiceBook, { state, desired, cause }: Claim, invariant: string, detail: string): void {
    this.#findings.broken(
      invariant,
      `the claim of ${book.name}, ${state} (${cause?.code ?? ''}) at r${desired.revision} a${desired.attempt}, ${detail}`,
    );
  }
}

import type { Claim } from '../../contract/claim.ts';
import { compareDigits, type Digits } from '../../contract/digits.ts';
import { StoreTimeout } from '../../store/time-limit.ts';
import type { LastRead, ServiceClaims } from './last-read.ts';
import type { Viewers } from './viewers.ts';
import type { ClaimEvent } from './watch-event.ts';

const RETRY_MS = 1_000;
const OVERDUE_MS = 250;
/** A claim that is valid for longer is read again when half of that is over. */
const RENEWED_MS = 2_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The part of the feed that the timers need: how far it has read the ledger. */
interface LedgerReader {
  read(): Promise<void>;
  isBehind(position: Digits): boolean;
}

/**
 * Sends the claim of each watched service anew at the instant at which time alone changes it (S2). Before that instant
 * it is read again, so that a store that is away just then leaves no viewer without the latest contact of the agent.
 */
export class ClaimTimers {
  readonly #ledger: LedgerReader;
  readonly #viewers: Viewers;
  readonly #lastRead: LastRead;
  readonly #failed: (error: unknown) => void;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #lastSent = new Map<string, { readonly gist: string; readonly position: Digits }>();
  #stopped = false;

  constructor(ledger: LedgerReader, viewers: Viewers, lastRead: LastRead, failed: (error: unknown) => void) {
    this.#ledger = ledger;
    this.#viewers = viewers;
    this.#lastRead = lastRead;
    this.#failed = failed;
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  has(service: string): boolean {
    return this.#timers.has(service);
  }

  /** Sets the timer for a claim that was just sent. */
  schedule(service: string, claim: Claim): void {
    if (!this.#viewers.hasOneOfAlone(service)) {
      this.#forget(service);
      return;
    }
    this.#lastSent.set(service, { gist: gistOf(claim), position: claim.position });
    const ms = validForMs(claim);
    if (ms === null) {
      clearTimeout(this.#timers.get(service));
      this.#timers.delete(service);
      return;
    }
    // An overdue claim changes with the next beat, whose time is unknown.
    if (ms <= 1) this.#checkIn(service, OVERDUE_MS);
    else this.#checkIn(service, ms > RENEWED_MS ? ms / 2 : ms + 1);
  }

  /** Reads the service again, and sends its claim if it differs from the last one. */
  async check(service: string): Promise<void> {
    clearTimeout(this.#timers.get(service));
    this.#timers.delete(service);
    if (!this.#viewers.hasOneOfAlone(service)) return this.#forget(service);
    let claims: ServiceClaims | null;
    try {
      claims = await this.#lastRead.readSoon(service, this.#viewers.widestAudience(service));
    } catch (error) {
      await this.#checkWithoutStore(service);
      if (error instanceof StoreTimeout) return;
      throw error;
    }
    if (claims === null) return;
    const { position } = claims.claim;
    // The claim is newer than the ledger as this feed has read it: then not time alone has changed it, and
    // the transition is sent first. Reads twice, because a reading in flight may have begun before; the timer
    // is set in case the store is gone by now.
    for (let reads = 0; reads < 2 && this.#ledger.isBehind(position); reads++) {
      this.#checkIn(service, RETRY_MS);
      await this.#ledger.read();
    }
    if (this.#ledger.isBehind(position)) return;
    const before = this.#lastSent.get(service);
    // A newer claim was sent while this read was in flight. The next read is accepted even if a restore has
    // lowered the head.
    if (before !== undefined && compareDigits(position, before.position) < 0) {
      this.#lastSent.set(service, { ...before, position });
      return this.#checkIn(service, OVERDUE_MS);
    }
    this.schedule(service, claims.claim);
    await this.#sendIfChanged(service, claims, before?.gist);
  }

  /** Sends the claim that the last read yields now, where the store does not answer, and tries again. */
  async #checkWithoutStore(service: string): Promise<void> {
    this.#checkIn(service, RETRY_MS);
    const claims = await this.#lastRead.judgeAgain(service);
    const before = this.#lastSent.get(service);
    if (claims === null || before === undefined) return;
    this.#lastSent.set(service, { ...before, gist: gistOf(claims.claim) });
    const ms = validForMs(claims.claim);
    if (ms !== null && ms > 1 && ms < RETRY_MS) this.#checkIn(service, ms + 1);
    await this.#sendIfChanged(service, claims, before.gist);
  }

  #checkIn(service: string, ms: number): void {
    clearTimeout(this.#timers.get(service));
    if (this.#stopped) return;
    const timer = setTimeout(
      () => void this.check(service).catch(this.#failed),
      Math.min(ms, LONGEST_TIMER_MS),
    );
    this.#timers.set(service, timer);
  }

  #forget(service: string): void {
    clearTimeout(this.#timers.get(service));
    this.#timers.delete(service);
    this.#lastSent.delete(service);
    this.#lastRead.forget(service);
  }

  async #sendIfChanged(service: string, claims: ServiceClaims, before: string | undefined): Promise<void> {
    if (before === undefined || before === gistOf(claims.claim)) return;
    for (const audience of ['user', 'operator'] as const) {
      const viewers = this.#viewers.ofAlone(service, audience);
      if (viewers.length === 0) continue;
      const data = await claims.claimFor(audience);
      if (data === null) continue;
      const event: ClaimEvent = { event: 'claim', data };
      for (const viewer of viewers) viewer.send(event);
    }
  }
}

/** The part of a claim that a viewer acts on: a new age alone is not sent. */
const gistOf = (claim: Claim) =>
  JSON.stringify([
    ...[claim.state, claim.cause, claim.outcome],
    ...[claim.serving?.revision ?? null, claim.nothingServes !== undefined],
  ]);

/** The time for which the claim changes only by evidence; null: without bound. */
function validForMs({ now, freshness: { validUntil } }: Claim): number | null {
  return validUntil === null ? null : Date.parse(validUntil) - Date.parse(now);
}

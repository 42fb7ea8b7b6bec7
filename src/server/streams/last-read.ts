import type { Claim } from '../../contract/claim.ts';
import type { Host } from '../../evidence/door/host.ts';
import { claimNow } from '../../evidence/read.ts';
import { withTimeLimit } from '../../store/time-limit.ts';
import { freshness, type Targets } from './freshness.ts';
import { RepeatableSnapshot } from './snapshot.ts';

export type Audience = 'user' | 'operator';

/** Viewers receive what time alone changes within a second (S2), also while the store does not answer. */
const PATIENCE_MS = 700;

/** The claims of a service from one snapshot, all of the same instant. */
export interface ServiceClaims {
  readonly claim: Claim;
  claimFor(audience: Audience): Promise<Claim | null>;
}

interface ReadService {
  readonly audience: Audience;
  readonly snapshot: RepeatableSnapshot;
  readonly readAt: number;
}

/** A read in flight, shared by all who want its answer. */
interface PendingRead<T> {
  readonly answer: Promise<T>;
  readonly since: number;
}

/**
 * Keeps what a feed last read, and the store's clock since then. While the store does not answer, time goes on all the
 * same: a claim that time has overtaken must not stay on display (S2).
 */
export class LastRead {
  readonly #host: Host;
  readonly #org: string;
  /** Some viewer is bound to certain services. */
  readonly #isAnyNarrow: () => boolean;
  readonly #services = new Map<string, ReadService>();
  readonly #readings = new Map<string, PendingRead<ServiceClaims | null>>();
  #readingTargets: PendingRead<Targets> | null = null;
  #targets: Targets | null = null;
  #clock: { readonly now: number; readonly readAt: number } | null = null;

  constructor(host: Host, org: string, isAnyNarrow: () => boolean) {
    this.#host = host;
    this.#org = org;
    this.#isAnyNarrow = isAnyNarrow;
  }

  /** Reads the service from the store, and keeps its snapshot; null if there is no such service. */
  async read(service: string, audience: Audience): Promise<ServiceClaims | null> {
    const snapshot = new RepeatableSnapshot();
    const readAt = performance.now();
    const { store } = this.#host;
    const answer = await claimNow({ ...this.#host, store: snapshot.of(store) }, this.#org, service, audience);
    if (!answer.ok) return null;
    const now = Date.parse(answer.claim.now);
    this.#setClock(now, readAt);
    const last = { audience, snapshot, readAt };
    if ((this.#services.get(service)?.readAt ?? 0) <= readAt) this.#services.set(service, last);
    return this.#claimsOf(last, service, answer.claim, now);
  }

  /** Like `read`, but fails as `StoreTimeout` after PATIENCE_MS, and starts no second read while one is in flight. */
  readSoon(service: string, audience: Audience): Promise<ServiceClaims | null> {
    const key = `${audience} ${service}`;
    const inFlight = this.#readings.get(key);
    if (inFlight !== undefined) return soon(inFlight);
    const reading = { answer: this.read(service, audience), since: performance.now() };
    this.#readings.set(key, reading);
    const over = () => this.#readings.delete(key);
    reading.answer.then(over, over);
    return soon(reading);
  }

  /** Judges the last snapshot of the service at the present instant, without the store; null if there is none. */
  async judgeAgain(service: string): Promise<ServiceClaims | null> {
    const last = this.#services.get(service);
    const now = this.#now();
    if (last === undefined || now === null) return null;
    const claim = await this.#claim(last, service, 'user', now);
    return claim === null ? null : this.#claimsOf(last, service, claim, now);
  }

  /** The service was read with all that this audience sees. */
  has(service: string, audience: Audience): boolean {
    const last = this.#services.get(service);
    return last !== undefined && (audience === 'user' || last.audience === 'operator');
  }

  get hasTargets(): boolean {
    return this.#targets !== null;
  }

  forget(service: string): void {
    this.#services.delete(service);
  }

  /** Reads how fresh each target is, or repeats the last read where the store does not answer soon; null: none yet. */
  async targets(failed: (error: unknown) => void): Promise<Targets | null> {
    try {
      this.#readingTargets ??= { answer: this.#readTargets(), since: performance.now() };
      return await soon(this.#readingTargets);
    } catch (error) {
      failed(error);
      const now = this.#now();
      return this.#targets === null || now === null ? null : { ...this.#targets, now };
    }
  }

  async #readTargets(): Promise<Targets> {
    const readAt = performance.now();
    try {
      this.#targets = await freshness(this.#host, this.#org, this.#isAnyNarrow());
      this.#setClock(this.#targets.now, readAt);
      return this.#targets;
    } finally {
      this.#readingTargets = null;
    }
  }

  #claimsOf(last: ReadService, service: string, claim: Claim, now: number): ServiceClaims {
    return { claim, claimFor: (audience) => this.#claim(last, service, audience, now) };
  }

  /** An operator who joined while the store was down receives the user's claim if no more was read. */
  async #claim(last: ReadService, service: string, audience: Audience, now: number): Promise<Claim | null> {
    const host = { ...this.#host, store: last.snapshot.at(now) };
    const read = last.audience === 'operator' ? audience : 'user';
    const answer = await claimNow(host, this.#org, service, read);
    return answer.ok ? answer.claim : null;
  }

  /** Counts from the beginning of the read: an answer that took long makes nothing younger than it is. */
  #setClock(now: number, readAt: number): void {
    if ((this.#clock?.readAt ?? 0) <= readAt) this.#clock = { now, readAt };
  }

  #now(): number | null {
    if (this.#clock === null) return null;
    return Math.round(this.#clock.now + performance.now() - this.#clock.readAt);
  }
}

/** A read that has been in flight for longer than PATIENCE_MS already is not waited for again. */
const soon = <T>({ answer, since }: PendingRead<T>): Promise<T> =>
  withTimeLimit(answer, Math.max(0, since + PATIENCE_MS - performance.now()));

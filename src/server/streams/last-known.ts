import type { Claim } from '../../contract/claim.ts';
import type { Host } from '../../evidence/door/host.ts';
import { claimNow } from '../../evidence/read.ts';
import { inTime } from '../../store/in-time.ts';
import { freshness, type Targets } from './freshness.ts';
import { Snapshot } from './snapshot.ts';

export type Audience = 'user' | 'operator';

/** What time alone changes is told within a second (S2), whether or not the store answers. */
const PATIENCE_MS = 700;

/** A service as one snapshot shows it; each claim is of the same instant. */
export interface Shown {
  readonly claim: Claim;
  claimFor(audience: Audience): Promise<Claim | null>;
}

interface Kept {
  readonly audience: Audience;
  readonly snapshot: Snapshot;
  readonly askedAt: number;
}

/** One question under way, however many want its answer. */
interface Asking<T> {
  readonly answer: Promise<T>;
  readonly since: number;
}

/**
 * What a feed last read, and the store's clock since then. While the store does not answer, time goes on all the same:
 * a claim that it has overtaken must not be left standing (S2).
 */
export class LastKnown {
  readonly #host: Host;
  readonly #org: string;
  /** Whether somebody watches who is bound to certain services. */
  readonly #isAnyNarrow: () => boolean;
  readonly #services = new Map<string, Kept>();
  readonly #asking = new Map<string, Asking<Shown | null>>();
  #asksTargets: Asking<Targets> | null = null;
  #targets: Targets | null = null;
  #clock: { readonly now: number; readonly askedAt: number } | null = null;

  constructor(host: Host, org: string, isAnyNarrow: () => boolean) {
    this.#host = host;
    this.#org = org;
    this.#isAnyNarrow = isAnyNarrow;
  }

  /** The service as the store shows it; null if there is none. Kept for as long as somebody watches it. */
  async look(service: string, audience: Audience): Promise<Shown | null> {
    const snapshot = new Snapshot();
    const askedAt = performance.now();
    const { store } = this.#host;
    const answer = await claimNow({ ...this.#host, store: snapshot.of(store) }, this.#org, service, audience);
    if (!answer.ok) return null;
    const now = Date.parse(answer.claim.now);
    this.#heard(now, askedAt);
    const kept = { audience, snapshot, askedAt };
    if ((this.#services.get(service)?.askedAt ?? 0) <= askedAt) this.#services.set(service, kept);
    return this.#shown(kept, service, answer.claim, now);
  }

  /** The same for whoever cannot wait: fails as `Late` if nothing has come by then, and asks no second time meanwhile. */
  lookSoon(service: string, audience: Audience): Promise<Shown | null> {
    const key = `${audience} ${service}`;
    const under = this.#asking.get(key);
    if (under !== undefined) return soon(under);
    const asking = { answer: this.look(service, audience), since: performance.now() };
    this.#asking.set(key, asking);
    const over = () => this.#asking.delete(key);
    asking.answer.then(over, over);
    return soon(asking);
  }

  /** The service as the store last showed it, at the instant that it is by now; null if it never did. */
  async recall(service: string): Promise<Shown | null> {
    const kept = this.#services.get(service);
    const now = this.#now();
    if (kept === undefined || now === null) return null;
    const claim = await this.#claim(kept, service, 'user', now);
    return claim === null ? null : this.#shown(kept, service, claim, now);
  }

  /** Whether it was read as one who is told that much needs it. */
  has(service: string, audience: Audience): boolean {
    const kept = this.#services.get(service);
    return kept !== undefined && (audience === 'user' || kept.audience === 'operator');
  }

  get hasTargets(): boolean {
    return this.#targets !== null;
  }

  forget(service: string): void {
    this.#services.delete(service);
  }

  /** How fresh each target is: as the store says or, if it does not answer soon, said last. Null: it never did. */
  async targets(failed: (error: unknown) => void): Promise<Targets | null> {
    try {
      this.#asksTargets ??= { answer: this.#askTargets(), since: performance.now() };
      return await soon(this.#asksTargets);
    } catch (error) {
      failed(error);
      const now = this.#now();
      return this.#targets === null || now === null ? null : { ...this.#targets, now };
    }
  }

  async #askTargets(): Promise<Targets> {
    const askedAt = performance.now();
    try {
      this.#targets = await freshness(this.#host, this.#org, this.#isAnyNarrow());
      this.#heard(this.#targets.now, askedAt);
      return this.#targets;
    } finally {
      this.#asksTargets = null;
    }
  }

  #shown(kept: Kept, service: string, claim: Claim, now: number): Shown {
    return { claim, claimFor: (audience) => this.#claim(kept, service, audience, now) };
  }

  /** No more than was read: who came when the store was gone is told what a user is. */
  async #claim(kept: Kept, service: string, audience: Audience, now: number): Promise<Claim | null> {
    const host = { ...this.#host, store: kept.snapshot.at(now) };
    const read = kept.audience === 'operator' ? audience : 'user';
    const answer = await claimNow(host, this.#org, service, read);
    return answer.ok ? answer.claim : null;
  }

  /** Counted from when it was asked: an answer that was long under way makes nothing younger than it is. */
  #heard(now: number, askedAt: number): void {
    if ((this.#clock?.askedAt ?? 0) <= askedAt) this.#clock = { now, askedAt };
  }

  #now(): number | null {
    if (this.#clock === null) return null;
    return Math.round(this.#clock.now + performance.now() - this.#clock.askedAt);
  }
}

/** What has been under way for longer than that already is not waited for again. */
const soon = <T>({ answer, since }: Asking<T>): Promise<T> =>
  inTime(answer, Math.max(0, since + PATIENCE_MS - performance.now()));

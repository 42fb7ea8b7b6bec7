import type { Claim } from '../../contract/claim.ts';
import { compareDigits, type Digits } from '../../contract/digits.ts';
import { targetOf } from '../../contract/names.ts';
import { type Binding, isBoundTo } from '../../evidence/door/caller.ts';
import type { Host } from '../../evidence/door/host.ts';
import { claimAfter, type Entry, readFrom } from '../../evidence/read.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { Late } from '../../store/in-time.ts';
import type { TransitionRow } from '../../store/schema.ts';
import type { Wakes } from '../wakes.ts';
import { type Audience, LastKnown, type Shown } from './last-known.ts';
import { Retold } from './retold.ts';
import { eventText } from './sse.ts';
import { transitionEvent } from './transition-event.ts';

/** Whoever watches: one service or, with null, all of an org. */
export interface Viewer {
  readonly service: string | null;
  /** Which services its token may see. */
  readonly binding: Binding;
  readonly audience: Audience;
  /** Text of an event, the same for every viewer of its kind; `position` where it is a transition. */
  readonly tell: (text: string, position: Digits | null) => void;
  /** After each stretch of the ledger: what a progress stream asks whether it is settled. */
  readonly caughtUp?: () => void;
}

const PAGE = 200;
/** Hints can be lost; looking once a second cannot (F51). */
const LOOK_MS = 1_000;
const FRESH_MS = 3_000;
/** Who watches one service is told so soon, and no oftener, that there is something to look at again. */
const NEWS_MS = 250;
const RETRY_MS = 1_000;
const OVERDUE_MS = 250;
/** A claim that is good for longer is read again when half of that is over. */
const RENEWED_MS = 2_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * What happens in one org, read once however many watch it: the ledger from where the last reading ended, each
 * claim once per audience, and the claim anew at the instant at which time alone changes it (S2, S12).
 */
export class OrgFeed {
  /** For who missed something. */
  readonly retold: Retold;
  readonly #host: Host;
  readonly #org: string;
  readonly #viewers = new Set<Viewer>();
  readonly #due = new Map<string, NodeJS.Timeout>();
  readonly #told = new Map<string, { readonly stands: string; readonly position: Digits }>();
  readonly #known: LastKnown;
  readonly #stopListening: () => void;
  readonly #look: NodeJS.Timeout;
  readonly #fresh: NodeJS.Timeout;
  readonly #failed: (error: unknown) => void;
  readonly #news = new Set<string>();
  #newsTimer: NodeJS.Timeout | null = null;
  #newsAt = 0;
  #position: Digits | null = null;
  #reading: Promise<void> | null = null;
  #again = false;
  #stopped = false;

  constructor(host: Host, org: string, wakes: Wakes, failed: (error: unknown) => void) {
    this.#host = host;
    this.#org = org;
    this.#failed = failed;
    this.retold = new Retold(host, org);
    this.#known = new LastKnown(host, org, () => this.#isAnyNarrow());
    this.#stopListening = wakes.onMoved(org, () => void this.read());
    this.#look = setInterval(() => void this.read(), LOOK_MS);
    this.#fresh = setInterval(() => void this.#tellFresh(), FRESH_MS);
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** Watches from now on; what was before, the viewer reads for itself up to its own snapshot. */
  async join(viewer: Viewer): Promise<() => void> {
    if (this.#position === null) await this.read();
    this.#viewers.add(viewer);
    // Known before the viewer is told anything: from then on it is told what time alone changes, store or no store.
    await this.#prepare(viewer);
    return () => {
      this.#viewers.delete(viewer);
    };
  }

  stop(): void {
    this.#stopped = true;
    this.#stopListening();
    clearInterval(this.#look);
    clearInterval(this.#fresh);
    if (this.#newsTimer !== null) clearTimeout(this.#newsTimer);
    for (const timer of this.#due.values()) clearTimeout(timer);
    this.#viewers.clear();
  }

  /** Reads on. Of several who ask meanwhile, one more reading serves them all. */
  read(): Promise<void> {
    if (this.#reading !== null) {
      this.#again = true;
      return this.#reading;
    }
    this.#reading = this.#readOn()
      .catch(this.#failed)
      .finally(() => {
        this.#reading = null;
        if (this.#again && !this.#stopped) {
          this.#again = false;
          void this.read();
        }
      });
    return this.#reading;
  }

  async #readOn(): Promise<void> {
    const head = await this.#host.store.read(
      async (tx) => (await tx.get('heads', { org: this.#org }))?.position ?? '0',
    );
    this.#position ??= head;
    while (!this.#stopped && compareDigits(this.#position, head) < 0) {
      const { entries } = await readFrom(this.#host, this.#org, this.#position, PAGE);
      const transitions = entries.flatMap((entry) => (entry.is === 'transition' ? [entry.row] : []));
      await this.#tellTransitions(transitions);
      this.#tellNews(silentlyChanged(entries));
      // What a recovery made void has no rows: then the head is all there is to go on from.
      this.#position = entries.at(-1)?.position ?? head;
    }
    for (const viewer of this.#viewers) viewer.caughtUp?.();
  }

  async #tellTransitions(rows: readonly TransitionRow[]): Promise<void> {
    const newest = new Map(rows.map((row) => [row.service, row]));
    const looks = new Map<string, Promise<Shown | null>>();
    for (const row of rows) {
      for (const audience of ['user', 'operator'] as const) {
        const viewers = this.#watching(row.service, audience);
        if (viewers.length === 0) continue;
        const look = looks.get(row.service) ?? this.#known.look(row.service, this.#mostTold(row.service));
        looks.set(row.service, look);
        const shown = await look;
        const claim = (await shown?.claimFor(audience)) ?? null;
        const isLast = newest.get(row.service) === row && claim?.state === row.to;
        // Else the claim has moved on since: what it was after this transition is asked of the past.
        const after = isLast ? claim : await claimAfter(this.#host, this.#org, row, audience);
        const text = eventText('transition', transitionEvent(row, after), row.position);
        for (const viewer of viewers) viewer.tell(text, row.position);
        if (claim !== null) this.#schedule(row.service, claim);
        // A burst keeps nobody waiting, and what was told of it can leave (F41, F83).
        await this.#host.giveWay?.();
      }
    }
  }

  #watching(service: string, audience: Audience): Viewer[] {
    return [...this.#viewers].filter(
      (viewer) =>
        viewer.audience === audience &&
        (viewer.service === null ? isBoundTo(viewer.binding, service) : viewer.service === service),
    );
  }

  /** Who is told most: what is read for an operator serves a user too. */
  #mostTold(service: string): Audience {
    return this.#watching(service, 'operator').length > 0 ? 'operator' : 'user';
  }

  async #prepare({ service, audience }: Viewer): Promise<void> {
    if (!this.#known.hasTargets) await this.#known.targets(this.#failed);
    if (service === null) return;
    if (!this.#due.has(service) || !this.#known.has(service, audience))
      await this.#timePassed(service).catch(this.#failed);
  }

  /**
   * At the instant at which time alone may change the claim, it is computed anew, and told if it says another thing.
   * Before that it is read again, so that a store that is away for a moment just then leaves nobody without a word of
   * how the agent has been since.
   */
  #schedule(service: string, claim: Claim): void {
    if (!this.#isWatched(service)) {
      this.#forget(service);
      return;
    }
    this.#told.set(service, { stands: standsFor(claim), position: claim.position });
    const ms = goodForMs(claim);
    if (ms === null) {
      clearTimeout(this.#due.get(service));
      this.#due.delete(service);
      return;
    }
    // What is overdue changes with the next beat, and nobody knows when that comes.
    if (ms <= 1) this.#lookIn(service, OVERDUE_MS);
    else this.#lookIn(service, ms > RENEWED_MS ? ms / 2 : ms + 1);
  }

  #forget(service: string): void {
    clearTimeout(this.#due.get(service));
    this.#due.delete(service);
    this.#told.delete(service);
    this.#known.forget(service);
  }

  /** By itself: who watches all of an org is told of transitions alone. */
  #isWatched(service: string): boolean {
    return [...this.#viewers].some((viewer) => viewer.service === service);
  }

  #lookIn(service: string, ms: number): void {
    clearTimeout(this.#due.get(service));
    if (this.#stopped) return;
    const timer = setTimeout(
      () => void this.#timePassed(service).catch(this.#failed),
      Math.min(ms, LONGEST_TIMER_MS),
    );
    this.#due.set(service, timer);
  }

  async #timePassed(service: string): Promise<void> {
    clearTimeout(this.#due.get(service));
    this.#due.delete(service);
    if (!this.#isWatched(service)) return this.#forget(service);
    let shown: Shown | null;
    try {
      shown = await this.#known.lookSoon(service, this.#mostTold(service));
    } catch (error) {
      await this.#timePassedUnseen(service);
      if (error instanceof Late) return;
      throw error;
    }
    if (shown === null) return;
    const { position } = shown.claim;
    // It knows more than was told: then not time alone has changed it, and what did comes first. Twice, because a
    // reading that was under way may have begun before; looked again in any case, should the store be gone by now.
    for (let reads = 0; reads < 2 && this.#isBehind(position); reads++) {
      this.#lookIn(service, RETRY_MS);
      await this.read();
    }
    if (this.#isBehind(position)) return;
    const before = this.#told.get(service);
    // It was under way while more than it knows was told. The next one was not, however low a restore has put the head.
    if (before !== undefined && compareDigits(position, before.position) < 0) {
      this.#told.set(service, { ...before, position });
      return this.#lookIn(service, OVERDUE_MS);
    }
    this.#schedule(service, shown.claim);
    await this.#tellIfOther(service, shown, before?.stands);
  }

  #isBehind(position: Digits): boolean {
    return this.#position !== null && compareDigits(this.#position, position) < 0;
  }

  /** The store does not answer: told is what follows from its last answer, and it is asked again. */
  async #timePassedUnseen(service: string): Promise<void> {
    this.#lookIn(service, RETRY_MS);
    const shown = await this.#known.recall(service);
    const before = this.#told.get(service);
    if (shown === null || before === undefined) return;
    this.#told.set(service, { ...before, stands: standsFor(shown.claim) });
    const ms = goodForMs(shown.claim);
    if (ms !== null && ms > 1 && ms < RETRY_MS) this.#lookIn(service, ms + 1);
    await this.#tellIfOther(service, shown, before.stands);
  }

  async #tellIfOther(service: string, shown: Shown, before: string | undefined): Promise<void> {
    if (before === undefined || before === standsFor(shown.claim)) return;
    for (const audience of ['user', 'operator'] as const) {
      const viewers = this.#watching(service, audience).filter((viewer) => viewer.service !== null);
      if (viewers.length === 0) continue;
      const text = eventText('claim', await shown.claimFor(audience));
      for (const viewer of viewers) viewer.tell(text, null);
    }
  }

  /**
   * Evidence that made no transition may have changed what the claim says within its state: one more of two is ready,
   * the build is a step further. That has no event of its own; `fresh` comes ahead of its time, and whoever wants to
   * know looks. Rejected: an `event: claim` for each, which would compute claims that nobody may read, and would mix
   * with those that say that time alone has changed one.
   */
  #tellNews(services: Iterable<string>): void {
    for (const service of services) if (this.#isWatched(service)) this.#news.add(service);
    if (this.#news.size === 0 || this.#newsTimer !== null || this.#stopped) return;
    const delay = Math.max(0, this.#newsAt + NEWS_MS - performance.now());
    this.#newsTimer = setTimeout(() => {
      this.#newsTimer = null;
      this.#newsAt = performance.now();
      const told = new Set(this.#news);
      this.#news.clear();
      void this.#tellFresh(({ service }) => service !== null && told.has(service));
    }, delay);
  }

  #isAnyNarrow(): boolean {
    return [...this.#viewers].some((viewer) => bindingOf(viewer).service !== '*');
  }

  /** A calm page stays live: the server's time, and how fresh each target in view is. */
  async #tellFresh(isMeant: (viewer: Viewer) => boolean = () => true): Promise<void> {
    if (this.#viewers.size === 0) return;
    const targets = await this.#known.targets(this.#failed);
    if (targets === null) return;
    const now = rfc3339(targets.now);
    const texts = new Map<string, string>();
    for (const viewer of [...this.#viewers].filter(isMeant)) {
      const service = viewer.service === null ? {} : { service: viewer.service };
      const binding = bindingOf(viewer);
      const key = JSON.stringify([viewer.service, binding.target, binding.service]);
      const text =
        texts.get(key) ?? eventText('fresh', { ...service, now, targets: targets.inView(binding) });
      texts.set(key, text);
      viewer.tell(text, null);
    }
  }
}

/** Services of which the last word in a stretch is evidence: a transition that follows it has told of it. */
function silentlyChanged(entries: readonly Entry[]): Set<string> {
  const services = new Set<string>();
  for (const { is, row } of entries) {
    if (is === 'alarm' || row.service === null) continue;
    if (is === 'transition') services.delete(row.service);
    else if (row.verdict === 'admitted') services.add(row.service);
  }
  return services;
}

/** What a viewer acts on: a new age alone is no news. */
const standsFor = (claim: Claim) =>
  JSON.stringify([claim.state, claim.cause, claim.serving?.revision ?? null, claim.outcome]);

/** For how long time alone changes nothing; null: for ever. */
function goodForMs({ now, freshness: { validUntil } }: Claim): number | null {
  return validUntil === null ? null : Date.parse(validUntil) - Date.parse(now);
}

/** Who watches one service has its target in view, and no other. */
const bindingOf = ({ service, binding }: Viewer): Binding =>
  service === null ? binding : { target: targetOf(service), service: '*' };

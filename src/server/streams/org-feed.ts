import type { Claim } from '../../contract/claim.ts';
import { compareDigits, type Digits } from '../../contract/digits.ts';
import { targetOf } from '../../contract/names.ts';
import { type Binding, covers, isBoundTo } from '../../evidence/caller.ts';
import type { Host } from '../../evidence/host.ts';
import { claimAfter, claimNow, type Entry, readFrom } from '../../evidence/read.ts';
import { rfc3339 } from '../../projection/instant.ts';
import type { TransitionRow } from '../../store/schema.ts';
import type { Wakes } from '../wakes.ts';
import { eventText } from './sse.ts';
import { transitionEvent } from './transition-event.ts';

export type Audience = 'user' | 'operator';

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
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * What happens in one org, read once however many watch it: the ledger from where the last reading ended, each
 * claim once per audience, and the claim anew at the instant at which time alone changes it (S2, S12).
 */
export class OrgFeed {
  readonly #host: Host;
  readonly #org: string;
  readonly #viewers = new Set<Viewer>();
  readonly #due = new Map<string, NodeJS.Timeout>();
  readonly #told = new Map<string, string>();
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
    if (viewer.service !== null) this.schedule(viewer.service, null);
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
    const claims = new Map<string, Promise<Claim | null>>();
    const newest = new Map(rows.map((row) => [row.service, row]));
    for (const row of rows) {
      for (const audience of ['user', 'operator'] as const) {
        const viewers = this.#watching(row.service, audience);
        if (viewers.length === 0) continue;
        const key = `${audience} ${row.service}`;
        const claimed = claims.get(key) ?? this.#claim(row.service, audience);
        claims.set(key, claimed);
        const claim = await claimed;
        const isLast = newest.get(row.service) === row && claim?.state === row.to;
        // Else the claim has moved on since: what it was after this transition is asked of the past.
        const after = isLast ? claim : await claimAfter(this.#host, this.#org, row, audience);
        const text = eventText('transition', transitionEvent(row, after), row.position);
        for (const viewer of viewers) viewer.tell(text, row.position);
        if (claim !== null) this.schedule(row.service, claim);
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

  async #claim(service: string, audience: Audience): Promise<Claim | null> {
    const answer = await claimNow(this.#host, this.#org, service, audience);
    return answer.ok ? answer.claim : null;
  }

  /** At the instant at which time alone may change the claim, it is computed anew, and told if it says another thing. */
  schedule(service: string, known: Claim | null): void {
    if (known === null) {
      if (!this.#due.has(service)) void this.#timePassed(service).catch(this.#failed);
      return;
    }
    clearTimeout(this.#due.get(service));
    this.#told.set(service, standsFor(known));
    const { validUntil } = known.freshness;
    if (validUntil === null || this.#stopped) {
      this.#due.delete(service);
      return;
    }
    const ms = Date.parse(validUntil) - Date.parse(known.now);
    // What is overdue changes with the next beat, and nobody knows when that comes.
    const delay = ms <= 1 ? OVERDUE_MS : Math.min(ms + 1, LONGEST_TIMER_MS);
    const timer = setTimeout(() => void this.#timePassed(service).catch(this.#failed), delay);
    this.#due.set(service, timer);
  }

  async #timePassed(service: string): Promise<void> {
    this.#due.delete(service);
    if (![...this.#viewers].some((viewer) => viewer.service === null || viewer.service === service)) {
      this.#told.delete(service);
      return;
    }
    let claim: Claim | null;
    try {
      claim = await this.#claim(service, 'user');
    } catch (error) {
      this.#due.set(
        service,
        setTimeout(() => void this.#timePassed(service).catch(this.#failed), RETRY_MS),
      );
      throw error;
    }
    if (claim === null) return;
    const before = this.#told.get(service);
    this.schedule(service, claim);
    if (before === undefined || before === standsFor(claim)) return;
    for (const audience of ['user', 'operator'] as const) {
      const viewers = this.#watching(service, audience).filter((viewer) => viewer.service !== null);
      if (viewers.length === 0) continue;
      const told = audience === 'user' ? claim : await this.#claim(service, audience);
      const text = eventText('claim', told);
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
    for (const service of services)
      if ([...this.#viewers].some((viewer) => viewer.service === service)) this.#news.add(service);
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

  /** A calm page stays live: the server's time, and how fresh each target in view is. */
  async #tellFresh(isMeant: (viewer: Viewer) => boolean = () => true): Promise<void> {
    if (this.#viewers.size === 0) return;
    try {
      const meant = [...this.#viewers].filter(isMeant);
      const targets = await freshness(this.#host, this.#org, meant.map(bindingOf));
      const now = rfc3339(targets.now);
      const texts = new Map<string, string>();
      for (const viewer of meant) {
        const service = viewer.service === null ? {} : { service: viewer.service };
        const binding = bindingOf(viewer);
        const key = JSON.stringify([viewer.service, binding.target, binding.service]);
        const text =
          texts.get(key) ?? eventText('fresh', { ...service, now, targets: targets.inView(binding) });
        texts.set(key, text);
        viewer.tell(text, null);
      }
    } catch (error) {
      this.#failed(error);
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

type Fresh = Readonly<Record<string, { readonly asOf: string; readonly validUntil: string }>>;

/** Who watches one service has its target in view, and no other. */
const bindingOf = ({ service, binding }: Viewer): Binding =>
  service === null ? binding : { target: targetOf(service), service: '*' };

/**
 * A target is as fresh as the stalest of its scopes. In view are those that a binding covers; where it is to certain
 * services, those on which such services are.
 */
export async function freshness(
  host: Host,
  org: string,
  bindings: readonly Binding[],
): Promise<{ now: number; inView: (binding: Binding) => Fresh }> {
  return host.store.read(async (tx) => {
    const isNarrow = bindings.some(({ service }) => service !== '*');
    const services = isNarrow ? await tx.select('services', { org, hidden: false }) : [];
    const oldest = new Map<string, number>();
    for (const { target, asOf } of await tx.select('scopes', { org }))
      oldest.set(target, Math.min(asOf, oldest.get(target) ?? asOf));
    const inView = (binding: Binding) => {
      const isHere = (target: string) =>
        binding.service === '*'
          ? covers(binding.target, target)
          : services.some((row) => row.target === target && isBoundTo(binding, row.service));
      return Object.fromEntries(
        [...oldest].flatMap(([target, asOf]) =>
          isHere(target)
            ? [[target, { asOf: rfc3339(asOf), validUntil: rfc3339(asOf + host.settings.freshForMs) }]]
            : [],
        ),
      );
    };
    return { now: await tx.now(), inView };
  }, 'liveness');
}

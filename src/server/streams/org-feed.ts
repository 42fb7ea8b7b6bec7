import type { Claim } from '../../contract/claim.ts';
import { compareDigits, type Digits, ZERO } from '../../contract/digits.ts';
import type { Host } from '../../evidence/door/host.ts';
import type { LedgerEntry } from '../../evidence/ledger-entry.ts';
import {
  claimAfter,
  type NewestEvidence,
  readFrom,
  servicesLeft,
  servicesNow,
  type TransitionClaims,
} from '../../evidence/read.ts';
import { isIntact, readable, type Stored } from '../../store/broken-row.ts';
import type { TransitionRow } from '../../store/schema.ts';
import type { Hints } from '../hints.ts';
import { ClaimTimers } from './claim-timers.ts';
import { FedEvidence } from './fed-evidence.ts';
import { freshEvent } from './freshness.ts';
import { type Audience, LastRead } from './last-read.ts';
import { PastTransitions } from './past-transitions.ts';
import { targetsInView, type Viewer, Viewers } from './viewers.ts';
import {
  type FreshEvent,
  type TransitionEvent,
  toldTransitionEvent,
  transitionEvent,
} from './watch-event.ts';

const PAGE = 200;
const AUDIENCES = ['user', 'operator'] as const;
/** Hints can be lost; a look every second cannot (F51). */
const LOOK_MS = 1_000;
const FRESH_MS = 3_000;
/** Caps how often a viewer of one service receives `fresh` ahead of its time. */
const EARLY_FRESH_MS = 250;

/**
 * Reads the ledger of one org once for all its viewers, from the end of the last reading on, and each claim
 * once per audience. Its timers send a claim anew at the instant at which time alone changes it (S2, S12).
 */
export class OrgFeed {
  /** Serves clients that missed transitions. */
  readonly past: PastTransitions;
  readonly #host: Host;
  readonly #org: string;
  readonly #viewers = new Viewers();
  readonly #lastRead: LastRead;
  readonly #timers: ClaimTimers;
  readonly #evidence = new FedEvidence();
  readonly #stopListening: () => void;
  readonly #stopKeeping: (() => void) | undefined;
  readonly #look: NodeJS.Timeout;
  readonly #fresh: NodeJS.Timeout;
  readonly #failed: (error: unknown) => void;
  /** Services whose viewers receive `fresh` ahead of its time. */
  readonly #early = new Set<string>();
  #earlyTimer: NodeJS.Timeout | null = null;
  #earlyAt = 0;
  #position: Digits | null = null;
  #reading: Promise<void> | null = null;
  #again = false;
  #stopped = false;

  constructor(host: Host, org: string, hints: Hints, failed: (error: unknown) => void) {
    this.#host = host;
    this.#org = org;
    this.#failed = failed;
    this.past = new PastTransitions(host, org);
    this.#lastRead = new LastRead(host, org, () => this.#viewers.isAnyNarrow);
    this.#timers = new ClaimTimers(this, this.#viewers, this.#lastRead, failed);
    this.#stopKeeping = host.recent?.want(org);
    this.#stopListening = hints.onMoved(org, () => void this.read());
    this.#look = setInterval(() => void this.read(), LOOK_MS);
    this.#fresh = setInterval(() => void this.#sendFresh(), FRESH_MS);
  }

  /** Sends events from now on; the viewer itself reads the past, up to a snapshot of its own. */
  async join(viewer: Viewer): Promise<() => void> {
    if (this.#position === null) await this.read();
    const leave = this.#viewers.add(viewer);
    // Reads before the viewer receives anything: from then on it receives changes by time alone, even without
    // the store.
    await this.#prepare(viewer);
    return leave;
  }

  stop(): void {
    this.#stopped = true;
    this.#stopListening();
    this.#stopKeeping?.();
    clearInterval(this.#look);
    clearInterval(this.#fresh);
    if (this.#earlyTimer !== null) clearTimeout(this.#earlyTimer);
    this.#timers.stop();
    this.#viewers.clear();
  }

  /** Reads on. Calls that come during a reading share one more. */
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

  isBehind(position: Digits): boolean {
    return this.#position !== null && compareDigits(this.#position, position) < 0;
  }

  async #readOn(): Promise<void> {
    const row = await this.#host.store.read((tx) => tx.get('heads', { org: this.#org }));
    const head = row === undefined ? ZERO : readable(row).position;
    // A head that cannot be read does not say how far to read: new entries are sent when it can be read
    // again.
    if (head === undefined) return;
    this.#position ??= head;
    this.#evidence.openAt(readable(row).recoveredAt);
    while (!this.#stopped && compareDigits(this.#position, head) < 0) {
      const entries = await this.#entriesAfter(this.#position, row);
      const transitions = entries.flatMap((entry) =>
        entry.kind === 'transition' && isIntact(entry.row) ? [entry.row] : [],
      );
      try {
        await this.#sendTransitions(transitions, this.#evidence.readOn(entries));
      } finally {
        // Also for the entries that a failed reading passed over; `fresh` may be repeated.
        this.#sendFreshEarly(changedWithoutTransition(entries));
      }
      // Positions that a recovery made void have no rows: then the feed goes on from the head.
      this.#position = entries.at(-1)?.position ?? head;
      this.#host.recent?.forget(this.#org, this.#position);
    }
    for (const viewer of this.#viewers.all) viewer.caughtUp?.();
  }

  /** The next page of the ledger: from the commits of this process where they are kept, else from the store. */
  async #entriesAfter(position: Digits, head: Stored<'heads'> | undefined): Promise<readonly LedgerEntry[]> {
    const kept = this.#host.recent?.entriesAfter(position, head, PAGE);
    return kept ?? (await readFrom(this.#host, this.#org, position, PAGE)).entries;
  }

  /**
   * Sends each transition to all its viewers at once and moves on behind it, so that a store that fails in the
   * middle of a page makes nobody receive one twice (S12, F124).
   */
  async #sendTransitions(
    rows: readonly TransitionRow[],
    evidence: ReadonlyMap<Digits, NewestEvidence>,
  ): Promise<void> {
    const newest = new Map(rows.map((row) => [row.service, row]));
    const left = await this.#claimsLeft(rows, evidence);
    const reads = await this.#readTogether(
      [...newest.values()].filter(({ position }) => !left.has(position)),
    );
    for (const row of rows) {
      const { service, position } = row;
      const isNewest = newest.get(service) === row;
      const events = new Map<Audience, TransitionEvent>();
      let latest: Claim | null = null;
      for (const audience of AUDIENCES) {
        if (this.#viewers.of(service, audience).length === 0) continue;
        let claims: TransitionClaims | null | undefined = left.get(position);
        if (claims === undefined && isNewest) {
          claims =
            reads.get(service) ?? (await this.#lastRead.read(service, this.#viewers.widestAudience(service)));
          reads.set(service, claims);
        }
        const text = claims?.textFor?.(audience);
        if (text !== undefined) {
          events.set(audience, toldTransitionEvent(row, text));
          continue;
        }
        const claim = (await claims?.claimFor(audience)) ?? null;
        // Otherwise the claim has changed since, and the claim after this transition is computed from the
        // ledger.
        const isAfter = claim?.state === row.to;
        const after = isAfter ? claim : await claimAfter(this.#host, this.#org, row, audience);
        events.set(audience, transitionEvent(row, after));
        latest = isNewest ? claim : null;
      }
      // A viewer that joined meanwhile reads this transition itself, up to its own snapshot.
      for (const [audience, event] of events)
        for (const viewer of this.#viewers.of(service, audience)) viewer.send(event);
      this.#position = position;
      if (latest !== null) this.#timers.schedule(service, latest);
      // Gives way after each, so that a burst blocks nobody and its events can be written (F41, F83).
      await this.#host.yieldIfDue?.();
    }
  }

  /**
   * The claims that commits of this process have left here, by the position of the transition: thousands that fall
   * silent at once are sent within a second (S2).
   */
  #claimsLeft(
    rows: readonly TransitionRow[],
    evidence: ReadonlyMap<Digits, NewestEvidence>,
  ): Promise<Map<Digits, TransitionClaims>> {
    return servicesLeft(this.#host, this.#org, this.#inView(rows), this.#widestAudience, evidence);
  }

  /** Reads the services of a page in one snapshot. */
  async #readTogether(rows: readonly TransitionRow[]): Promise<Map<string, TransitionClaims | null>> {
    const inView = this.#inView(rows);
    if (inView.length < 2) return new Map();
    const keys = inView.map(({ service }) => ({ org: this.#org, service }));
    const { found } = await servicesNow(this.#host, this.#org, {
      ...{ services: { table: 'services', keys }, target: null, audience: this.#widestAudience },
    });
    return new Map(found.map((service) => [service.service, service]));
  }

  get #widestAudience(): Audience {
    return this.#viewers.all.some((viewer) => viewer.audience === 'operator') ? 'operator' : 'user';
  }

  /**
   * The transitions that somebody watches. A service that somebody watches by itself is left out; it is read by itself,
   * and its snapshot kept.
   */
  #inView(rows: readonly TransitionRow[]): readonly TransitionRow[] {
    return rows.filter(
      ({ service }) =>
        !this.#viewers.hasOneOfAlone(service) &&
        AUDIENCES.some((each) => this.#viewers.of(service, each).length > 0),
    );
  }

  async #prepare({ service, audience }: Viewer): Promise<void> {
    if (!this.#lastRead.hasTargets) await this.#lastRead.targets(this.#failed);
    if (service === null) return;
    if (!this.#timers.has(service) || !this.#lastRead.has(service, audience))
      await this.#timers.check(service).catch(this.#failed);
  }

  /**
   * Evidence without a transition may have changed the claim within its state: one more of two is ready, the
   * build is a step further. That has no event of its own; `fresh` is sent ahead of its time, and clients
   * read the claim again. Rejected: a `claim` event for each, which would compute claims that nobody reads,
   * and would look like a claim that time alone has changed.
   */
  #sendFreshEarly(services: Iterable<string>): void {
    for (const service of services) if (this.#viewers.hasOneOfAlone(service)) this.#early.add(service);
    if (this.#early.size === 0 || this.#earlyTimer !== null || this.#stopped) return;
    const delay = Math.max(0, this.#earlyAt + EARLY_FRESH_MS - performance.now());
    this.#earlyTimer = setTimeout(() => {
      this.#earlyTimer = null;
      this.#earlyAt = performance.now();
      const changed = new Set(this.#early);
      this.#early.clear();
      void this.#sendFresh(({ service }) => service !== null && changed.has(service));
    }, delay);
  }

  /** Keeps a calm page live: sends the server's time, and how fresh each target in view is. */
  async #sendFresh(isMeant: (viewer: Viewer) => boolean = () => true): Promise<void> {
    if (this.#viewers.size === 0) return;
    const targets = await this.#lastRead.targets(this.#failed);
    if (targets === null) return;
    const events = new Map<string, FreshEvent>();
    for (const viewer of this.#viewers.all.filter(isMeant)) {
      const view = targetsInView(viewer);
      const key = JSON.stringify([viewer.service, view.target, view.service]);
      const event = events.get(key) ?? freshEvent(targets, view, viewer.service ?? undefined);
      events.set(key, event);
      viewer.send(event);
    }
  }
}

/** Services whose last entry in a stretch of the ledger is evidence: a transition after it has been sent by itself. */
function changedWithoutTransition(entries: readonly LedgerEntry[]): Set<string> {
  const services = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === 'alarm') continue;
    const { service } = readable<Stored<'ledger' | 'transitions'>>(entry.row);
    if (service === null || service === undefined) continue;
    // A transition that cannot be read is not sent: its viewers read the claim again.
    if (entry.kind === 'transition' && isIntact(entry.row)) services.delete(service);
    else if (entry.kind === 'transition' || readable(entry.row).verdict === 'admitted') services.add(service);
  }
  return services;
}

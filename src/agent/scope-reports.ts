import { addDigits } from '../contract/digits.ts';
import type { ObservationAnswer } from '../contract/observation.ts';
import type { ScopedObservation } from '../runtime/port.ts';
import {
  changedInstances,
  changedServices,
  difference,
  itemsOf,
  NO_ITEMS,
  type SentItems,
} from './difference.ts';
import { ExitMemory } from './exit-memory.ts';
import { StabilityWindows } from './stability-windows.ts';

/** The part of a report that is the same in every scope. */
export interface ReportHead {
  readonly epoch: string;
  readonly heard: string;
  readonly heardAgoMs: number;
  readonly at: string;
}

/** The timing of a report: the instant of its observation, and the windows that begin with it. */
export interface ReportTiming {
  /** Monotonic. */
  readonly at: number;
  /** The latest instant, in the server's time, that the server can take for the observation. */
  readonly latest: number;
  readonly reportEveryMs: number;
  /** The age of its last report from which a calm scope beats. */
  readonly beatFromMs: number;
  /** Services whose windows begin with this report, besides those that have changed. */
  readonly requested: ReadonlySet<string>;
}

export interface ReportAnswer {
  readonly seq: string;
  readonly now: string;
  readonly resync: boolean;
  readonly rejected: readonly { readonly service?: string; readonly errors: readonly string[] }[];
  readonly observation?: ObservationAnswer;
}

/** A report to send, and the effect of its answer. */
export interface NextReport {
  /** A heartbeat may go together with those of other scopes. */
  readonly kind: 'full' | 'change' | 'heartbeat';
  readonly body: Readonly<Record<string, unknown>> & { readonly seq: string; readonly scope: string };
  accepted(answer: ReportAnswer): void;
}

/** A scope whose heartbeats say as much as full reports is still reported in full this often: what went wrong heals. */
const HEAL_MS = 600_000;

/**
 * The reports of one scope: their numbers, the base of the next change, and the stability windows. A report without an
 * answer is no base, nor is an incomplete one: the next is full.
 */
export class ScopeReports {
  readonly scope: string;
  readonly #windows: StabilityWindows;
  readonly #exits = new ExitMemory();
  #seq = '0';
  #base: { readonly seq: string; readonly items: SentItems } | null = null;
  /** The items of the last report that was accepted. */
  #sent: SentItems = NO_ITEMS;
  /** The completeness that was last sent: a change of it is reported at once. */
  #sentAs: '' | 'complete' | 'incomplete' | NonNullable<ScopedObservation['unavailable']> = '';
  /** The items of the last observation, which hold for as long as its lists are the same. */
  #observed: (Pick<ScopedObservation, 'instances' | 'services'> & { readonly items: SentItems }) | null =
    null;
  /** Monotonic instant of the last full report. */
  #fullAt = Number.NEGATIVE_INFINITY;
  /** Monotonic instant of the last report of whatever kind. */
  #reportedAt = Number.NEGATIVE_INFINITY;
  /** A heartbeat says as much as a full report. */
  #beats = false;
  /** Spreads the full reports of many scopes. */
  readonly #healMs = HEAL_MS * (0.5 + Math.random() / 2);
  #lastWasFull = false;
  /** A report is to be sent though nothing may have changed. */
  #isDue = false;
  /** Only a full report will do. */
  #isFullRequired = false;
  #isUnanswered = false;
  /** The version of the target's rule that the last observation followed. */
  #version: number | undefined;
  /** The standing of the scope that the server was last sent, beside its contents. */
  #sentNotes = NO_NOTES;
  /** The runtime has given the scope up, and the server has its last report. */
  #isEnded = false;

  /** @param windowOver called when a stability window of the scope is over */
  constructor(scope: string, windowOver: () => void) {
    this.scope = scope;
    this.#windows = new StabilityWindows(windowOver);
  }

  /** Another epoch counts from its own beginning. */
  beginEpoch(): void {
    this.#seq = '0';
    this.requireFull();
  }

  /** Makes a report due, though nothing may have changed. */
  requireReport(): void {
    this.#isDue = true;
  }

  /** Makes the next report a full one: only that proves that something is gone. */
  requireFull(): void {
    this.#isFullRequired = true;
    this.#isDue = true;
  }

  /** True if the next report proves everything anew, so that it should rest on young observations. */
  needsFull(now: number, reportEveryMs: number): boolean {
    if (this.#isEnded) return false;
    // An incomplete report leaves no base: the next is full, and proves no more than the one before.
    const hasLostBase = this.#base === null && (this.#sentAs === '' || this.#sentAs === 'complete');
    return this.#isFullRequired || hasLostBase || now - this.#fullAt >= this.#fullEveryMs(reportEveryMs);
  }

  #fullEveryMs(reportEveryMs: number): number {
    return this.#beats ? Math.max(this.#healMs, reportEveryMs) : reportEveryMs;
  }

  /** True if a heartbeat is due: calm scopes that are nearly due then beat with it. */
  isBeatDue(now: number, reportEveryMs: number): boolean {
    return this.#beats && !this.#isEnded && now - this.#reportedAt >= reportEveryMs;
  }

  /**
   * The pause until the next report though nothing changes. None where a change has lost its base; but a full report that left
   * no base is not repeated at once: the server could not read the next one either.
   */
  pauseMs(now: number, reportEveryMs: number): number {
    if (this.#isEnded) return Number.POSITIVE_INFINITY;
    if (this.#isDue || (this.#base === null && !this.#lastWasFull)) return 0;
    const last = this.#beats ? this.#reportedAt : this.#fullAt;
    return Math.max(0, last + reportEveryMs - now);
  }

  /** The report of an observation; null if the server has it already and none is due. */
  next(observation: ScopedObservation, head: ReportHead, timing: ReportTiming): NextReport | null {
    const { complete, unavailable, watchAgeMs, observation: version } = observation;
    // Another rule covers other things, and notes are of a full report: only one says which.
    if (version !== this.#version || notesIn(observation) !== this.#sentNotes) this.requireFull();
    this.#version = version;
    this.#beats = observation.beats === true;
    const isBeatDue = this.#beats && timing.at - this.#reportedAt >= timing.beatFromMs;
    const isDue = this.#isDue || this.#isUnanswered || isBeatDue || timing.requested.size > 0;
    const items = unavailable === undefined ? this.#itemsOf(observation) : NO_ITEMS;
    const common = {
      ...head,
      scope: this.scope,
      watchAgeMs,
      ...(version !== undefined && { observation: version }),
      ...(observation.denied !== undefined && { denied: observation.denied }),
      ...(observation.absent && { absent: true }),
    };
    this.#isEnded = false;
    if (complete && unavailable === undefined) {
      // The server would ask for a full one after it: a change does not prove that a workload without a copy has none.
      const isBegun = version !== undefined && beginsService(this.#base?.items, items);
      const isFull = isBegun || this.needsFull(timing.at, timing.reportEveryMs);
      const base = isFull ? null : this.#base;
      const change = base === null ? null : difference(base.items, items);
      if (base !== null && change === null && !isDue) return null;
      // The server could not read all of the last one, and would not read more of the same.
      const isRepeated = isFull && this.#lastWasFull && this.#isSent(observation, items);
      if (isRepeated && !isDue && !this.#isOverdue(timing)) return null;
      const { instances, services } = observation;
      const { uncovered = [] } = observation;
      const body =
        base === null
          ? { ...common, complete, instances, services, ...(uncovered.length > 0 && { uncovered }) }
          : { ...common, base: base.seq, ...change };
      return this.#report(body, {
        items,
        timing,
        observation,
        kind: base === null ? 'full' : change === null ? 'heartbeat' : 'change',
        isBase: base === null || change !== null,
      });
    }
    if (this.#isSent(observation, items) && !isDue && !this.#isOverdue(timing)) return null;
    const body = {
      ...common,
      ...(unavailable !== undefined && { unavailable }),
      complete: false,
      instances: unavailable === undefined ? observation.instances : [],
      services: unavailable === undefined ? observation.services : [],
    };
    return this.#report(body, { items, timing, observation, kind: 'full', isBase: false });
  }

  /** The last report of a scope that the runtime has given up: complete, and of nothing. */
  giveUp(head: ReportHead, timing: ReportTiming): NextReport | null {
    if (this.#isEnded) return null;
    this.#base = null;
    const observation = { scope: this.scope, complete: true, watchAgeMs: 0, instances: [], services: [] };
    const last = this.next({ ...observation, stabilityMs: new Map() }, head, timing);
    if (last === null) return null;
    return {
      ...last,
      accepted: (answer) => {
        last.accepted(answer);
        this.#isEnded = true;
        this.#windows.clear();
      },
    };
  }

  end(): void {
    this.#windows.clear();
  }

  #isOverdue({ at, reportEveryMs }: ReportTiming): boolean {
    return at - this.#fullAt >= reportEveryMs;
  }

  #isSent(observation: ScopedObservation, items: SentItems): boolean {
    const isSame = this.#sentAs === sentAs(observation) && this.#sentNotes === notesIn(observation);
    return isSame && difference(this.#sent, items) === null;
  }

  /** A calm scope is not read again, however large it is. */
  #itemsOf({ instances, services }: ScopedObservation): SentItems {
    const before = this.#observed;
    if (before?.instances === instances && before.services === services) return before.items;
    const items = itemsOf({ instances, services });
    this.#observed = { instances, services, items };
    return items;
  }

  #report(
    content: Readonly<Record<string, unknown>> & { readonly scope: string },
    {
      items,
      timing,
      observation,
      kind,
      isBase,
    }: {
      readonly items: SentItems;
      readonly timing: ReportTiming;
      readonly observation: ScopedObservation;
      readonly kind: NextReport['kind'];
      /** The next change may stand on it. */
      readonly isBase: boolean;
    },
  ): NextReport {
    const before = this.#base;
    const isFull = kind === 'full';
    const seq = addDigits(this.#seq, 1);
    this.#seq = seq;
    this.#isDue = false;
    if (isFull) this.#isFullRequired = false;
    // Until it is accepted its outcome is unknown, and it is no base. A heartbeat leaves the base as it is.
    if (kind !== 'heartbeat') this.#base = null;
    this.#isUnanswered = true;
    const { stabilityMs, watchAgeMs } = observation;
    for (const service of new Set([...timing.requested, ...changedServices(this.#sent, items)])) {
      const ms = stabilityMs.get(service);
      if (ms !== undefined) this.#windows.open(service, { since: timing.latest, ms, openedAt: timing.at });
    }
    this.#exits.observe(observation.instances, timing.latest);
    // An instance that exited has a window of its own: a change of another does not move its end.
    for (const { uid, service } of changedInstances(this.#sent, items)) {
      const ms = this.#exits.windowMs(uid, stabilityMs.get(service) ?? 0);
      if (ms !== null)
        this.#windows.open(`${service} ${uid}`, { since: timing.latest, ms, openedAt: timing.at });
    }
    return {
      kind,
      body: { ...content, seq },
      accepted: (answer) => {
        this.#sent = items;
        this.#sentAs = sentAs(observation);
        if (isFull) this.#sentNotes = notesIn(observation);
        this.#isUnanswered = false;
        this.#lastWasFull = isFull;
        this.#reportedAt = timing.at;
        if (isFull) this.#fullAt = timing.at;
        this.#windows.reported(timing.latest - watchAgeMs, timing.at);
        const isRefused = answer.resync || answer.rejected.length > 0 || answer.seq !== seq;
        if (isRefused) this.#base = null;
        else if (isBase) this.#base = { seq, items };
        else this.#base = isFull ? null : before;
      },
    };
  }
}

/** A workload that the server has not been shown is a new service to it. */
const beginsService = (base: SentItems | undefined, { services }: SentItems): boolean =>
  base !== undefined && [...services.keys()].some((service) => !base.services.has(service));

const sentAs = ({ complete, unavailable }: ScopedObservation) =>
  unavailable ?? (complete ? 'complete' : 'incomplete');

const NO_NOTES = JSON.stringify([[], false, []]);
const notesIn = ({ denied = [], absent, uncovered = [] }: ScopedObservation) =>
  JSON.stringify([denied, absent === true, uncovered]);

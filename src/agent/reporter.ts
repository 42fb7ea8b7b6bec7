import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { backOffMs, isTransient, type OutageLog } from '../client/persist.ts';
import type { Runtime, ScopedObservation } from '../runtime/port.ts';
import {
  isContactInFutureProblem,
  isStaleEpoch,
  type Registered,
  type Registration,
} from './registration.ts';
import {
  type NextReport,
  type ReportAnswer,
  type ReportHead,
  type ReportTiming,
  ScopeReports,
} from './scope-reports.ts';

/** Changes that come together go together: an instance that is ready, and the route that answers for it. */
const GATHER_MS = 20;
/** Caps how long a requested report is waited for. */
const REPORTED_MS = 500;
/** Caps the full reports that are under way at a time: more of them raise the memory of the first minute, not its speed. */
const FULL_AT_ONCE = 6;
/** Caps the changes under way: they are small, and those that reach the server together share one commit there. */
const CHANGES_AT_ONCE = 60;
/** Caps the heartbeats of one request; the server takes no more. */
const MOST_BEATS = 1_000;
/** Caps how long a report waits for younger observations: an app or scope that hangs must not hold up the others. */
const REFRESH_MS = 500;

interface BeatsAnswer extends Pick<ReportAnswer, 'now' | 'observation'> {
  readonly beats: readonly { readonly scope: string; readonly seq: string; readonly resync: boolean }[];
}

/**
 * Reports the runtime's observations, each scope by itself: changes at once, everything every
 * `reportEveryMs`, and once more when a stability window is over. One report of a scope at a time.
 */
export class Reporter {
  /** Resolves when every scope was reported once: until then viewers see the reports of a former agent. */
  readonly begun: Promise<void>;
  readonly #client: Client;
  readonly #runtime: Runtime;
  readonly #registration: Registration;
  readonly #path: string;
  readonly #signal: AbortSignal;
  readonly #outages: OutageLog;
  readonly #say: (line: string) => void;
  readonly #scopes = new Map<string, ScopeReports>();
  /** Services whose report was requested since the last. */
  readonly #requested = new Set<string>();
  #registered: Registered | null = null;
  /** The server's time as it was last received. */
  #serverTime: Registered['serverTime'] | null = null;
  /** The runtime has announced a change since it was last observed. */
  #changed = false;
  #wake: () => void = () => {};
  #begun: () => void = () => {};
  #waiting: (() => void)[] = [];

  constructor(
    client: Client,
    runtime: Runtime,
    registration: Registration,
    target: string,
    options: {
      readonly signal: AbortSignal;
      readonly outages: OutageLog;
      readonly say: (line: string) => void;
    },
  ) {
    this.#client = client;
    this.#runtime = runtime;
    this.#registration = registration;
    this.#path = `/v1/targets/${encodeURIComponent(target)}/reports`;
    this.#signal = options.signal;
    // Each call that is under way listens to it: many of them are no leak, which Node would warn of.
    setMaxListeners(0, options.signal);
    this.#outages = options.outages;
    this.#say = options.say;
    this.begun = new Promise((done) => {
      this.#begun = done;
    });
  }

  /**
   * The runtime has applied something to a service: reports at once, and again when its stability window is over.
   * Resolves when that was reported, or when it takes too long to wait for.
   */
  reportApplied(service: string): Promise<void> {
    this.#requested.add(service);
    const reported = new Promise<void>((done) => {
      this.#waiting.push(done);
      setTimeout(done, REPORTED_MS).unref();
    });
    this.#wake();
    return reported;
  }

  /** The runtime has removed a service: only a full report proves that it is gone. */
  reportRemoved(): void {
    for (const scope of this.#scopes.values()) scope.requireFull();
    this.#wake();
  }

  async run(): Promise<void> {
    const stop = this.#runtime.onChange(() => {
      this.#changed = true;
      this.#wake();
    });
    try {
      let failures = 0;
      while (!this.#signal.aborted) {
        try {
          await this.#report();
          failures = 0;
          this.#outages.passed();
          await this.#idle();
          await this.#pause(GATHER_MS);
        } catch (error) {
          if (this.#signal.aborted) return;
          if (isStaleEpoch(error)) await this.#registration.renew(this.#registered?.epoch ?? '');
          else if (isContactInFutureProblem(error)) {
            this.#serverTime = (await this.#registration.receiveTimeAgain()).serverTime;
            await this.#pause(backOffMs(failures++));
          } else if (!isTransient(error)) throw error;
          else {
            this.#outages.failed(error);
            await this.#pause(backOffMs(failures++));
          }
        }
      }
    } finally {
      stop();
      for (const scope of this.#scopes.values()) scope.end();
    }
  }

  async #report(): Promise<void> {
    const registered = await this.#registration.current();
    if (registered.epoch !== this.#registered?.epoch) this.#beginEpoch(registered);
    const { reportEveryMs } = registered;
    const scopes = [...this.#scopes.values()];
    if (scopes.length === 0 || scopes.some((scope) => scope.needsFull(performance.now(), reportEveryMs)))
      await Promise.race([this.#runtime.refresh(), this.#pause(REFRESH_MS)]);
    const waiting = this.#waiting.splice(0);
    const requested = new Set(this.#requested);
    this.#requested.clear();
    this.#changed = false;
    // Taken before the observation, so that no report claims to be younger than it is.
    const at = performance.now();
    const observations = await this.#runtime.observe();
    const serverTime = this.#serverTime ?? registered.serverTime;
    const heardAgoMs = Math.max(0, Math.floor(at - serverTime.at));
    const head: ReportHead = {
      epoch: registered.epoch,
      heard: serverTime.now,
      heardAgoMs,
      // The server shows it with its skew, and never trusts it.
      at: new Date().toISOString(),
    };
    const isBeatDue = scopes.some((scope) => scope.isBeatDue(at, reportEveryMs));
    const timing: ReportTiming = {
      at,
      latest: Date.parse(serverTime.now) + heardAgoMs,
      reportEveryMs,
      // One request for all that are nearly due: else each would soon beat at an instant of its own.
      beatFromMs: isBeatDue ? reportEveryMs / 2 : reportEveryMs,
      requested,
    };
    await this.#send(this.#reports(observations, head, timing), head, registered);
    this.#begun();
    for (const done of waiting) done();
  }

  /** The reports of all scopes that have one to send; also of those that the runtime has given up or leaves out. */
  #reports(
    observations: readonly ScopedObservation[],
    head: ReportHead,
    timing: ReportTiming,
  ): readonly NextReport[] {
    const followed = observations.filter(({ isLeftOut }) => isLeftOut !== true);
    for (const { scope } of observations) this.#scope(scope);
    const observed = new Set(followed.map(({ scope }) => scope));
    const dropped = [...this.#scopes.values()].filter(({ scope }) => !observed.has(scope));
    return [
      ...followed.map((observation) => this.#scope(observation.scope).next(observation, head, timing)),
      ...dropped.map((scope) => scope.giveUp(head, timing)),
    ].filter((report) => report !== null);
  }

  /** Sends them side by side: a scope does not wait for its neighbour. Throws a failure when all have ended. */
  async #send(reports: readonly NextReport[], head: ReportHead, registered: Registered): Promise<void> {
    const beats = reports.filter(({ kind }) => kind === 'heartbeat');
    const together = beats.length > 1 ? beats : [];
    const alone = reports.filter((report) => !together.includes(report));
    const beating = failuresOf(
      chunksOf(together, MOST_BEATS).map((some) => this.#sendBeats(some, head, registered)),
    );
    const send = (one: NextReport) => this.#sendOne(one, registered);
    const full = alone.filter(({ kind }) => kind === 'full');
    const small = alone.filter(({ kind }) => kind !== 'full');
    const sending = [inLanes(full, FULL_AT_ONCE, send), inLanes(small, CHANGES_AT_ONCE, send)];
    const failures = (await Promise.all(sending)).flat();
    failures.push(...(await beating));
    const [failure] = failures.filter(isStaleEpoch).concat(failures);
    if (failure !== undefined) throw failure;
  }

  async #sendOne({ body, accepted }: NextReport, registered: Registered): Promise<void> {
    const answer = await this.#call<ReportAnswer>(body, registered);
    accepted(answer);
    const { rejected } = answer;
    for (const { service, errors } of rejected)
      if (service !== undefined && errors.some((error) => error.includes('name_taken')))
        this.#runtime.nameTaken?.(service);
    if (rejected.length > 0)
      this.#say(
        `The server could not read ${rejected.length} item(s) of a report: ${rejected[0]?.errors.join('; ')}`,
      );
  }

  /** Most scopes of a cluster are calm: their heartbeats are one request, answered per scope. */
  async #sendBeats(reports: readonly NextReport[], head: ReportHead, registered: Registered): Promise<void> {
    const beats = reports.map(({ body }) =>
      Object.fromEntries(Object.entries(body).filter(([name]) => !(name in head))),
    );
    const answer = await this.#call<BeatsAnswer>({ ...head, beats }, registered);
    const answered = new Map(answer.beats.map((beat) => [beat.scope, beat]));
    for (const { body, accepted } of reports) {
      const beat = answered.get(body.scope);
      if (beat !== undefined) accepted({ ...beat, now: answer.now, rejected: [] });
    }
  }

  async #call<T extends Pick<ReportAnswer, 'now' | 'observation'>>(
    body: object,
    { freshForMs }: Registered,
  ): Promise<T> {
    const answer = await this.#client.call<T>('POST', this.#path, body, {
      signal: this.#signal,
      timeoutMs: Math.max(1_000, freshForMs),
    });
    this.#serverTime = { now: answer.now, at: performance.now() };
    this.#runtime.follow?.(answer.observation ?? null);
    return answer;
  }

  #scope(name: string): ScopeReports {
    const scope = this.#scopes.get(name) ?? new ScopeReports(name, () => void this.#windowOver(name));
    this.#scopes.set(name, scope);
    return scope;
  }

  #beginEpoch(registered: Registered): void {
    this.#registered = registered;
    this.#serverTime = registered.serverTime;
    for (const scope of this.#scopes.values()) scope.beginEpoch();
    this.#runtime.pace(registered.reportEveryMs);
    const { observation = null, names = [], namespaces = [], defaultNamespace = null } = registered;
    this.#runtime.learn?.({ names, namespaces, defaultNamespace });
    this.#runtime.follow?.(observation);
  }

  async #windowOver(scope: string): Promise<void> {
    // A window counts from observation to observation, so the last one should be young.
    await Promise.race([this.#runtime.refresh(), wait(REFRESH_MS, undefined, { ref: false })]);
    this.#scope(scope).requireReport();
    this.#wake();
  }

  /** Waits until something changes, a report is due, or it is time for a full one. */
  async #idle(): Promise<void> {
    if (this.#requested.size > 0 || this.#changed) return;
    const { reportEveryMs = 1_000 } = this.#registered ?? {};
    const now = performance.now();
    const pauses = [...this.#scopes.values()].map((scope) => scope.pauseMs(now, reportEveryMs));
    await this.#pause(Math.min(reportEveryMs, ...pauses), true);
  }

  #pause(ms: number, wakeable = false): Promise<void> {
    if (this.#signal.aborted) return Promise.resolve();
    return new Promise((done) => {
      const end = () => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', end);
        if (this.#wake === end) this.#wake = () => {};
        done();
      };
      const timer = setTimeout(end, ms);
      this.#signal.addEventListener('abort', end);
      if (wakeable) this.#wake = end;
    });
  }
}

/**
 * Sends each, at most so many at a time, and resolves with the failures. Rejected: a group after the other, in which all
 * wait for the slowest.
 */
async function inLanes(
  reports: readonly NextReport[],
  lanes: number,
  send: (report: NextReport) => Promise<void>,
): Promise<readonly Error[]> {
  const left = reports.values();
  const lane = async (): Promise<readonly Error[]> => {
    const failures: Error[] = [];
    for (const report of left) failures.push(...(await failuresOf([send(report)])));
    return failures;
  };
  return (await Promise.all(Array.from({ length: lanes }, lane))).flat();
}

async function failuresOf(sent: readonly Promise<void>[]): Promise<readonly Error[]> {
  const results = await Promise.allSettled(sent);
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
}

function chunksOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}

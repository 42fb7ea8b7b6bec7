import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { backOffMs, isTransient, type OutageLog } from '../client/persist.ts';
import { addDigits } from '../contract/digits.ts';
import type { Runtime } from '../runtime/port.ts';
import { difference, type Shown, shownBy } from './difference.ts';
import { isHeardInFuture, isStaleEpoch, type Registered, type Registration } from './registration.ts';

interface Answer {
  readonly seq: string;
  readonly now: string;
  readonly resync: boolean;
  readonly rejected: readonly { readonly errors: readonly string[] }[];
}

/** Changes that come together go together: an instance that is ready, and the route that answers for it. */
const GATHER_MS = 20;
/** So long whoever told the runtime something waits until it was shown. */
const SHOWN_MS = 500;
/** So long a full report waits for a last look. */
const LOOK_MS = 500;
/** So long after its time a window asks for reports; then the server's clock was set back, and it is left to full ones. */
const OVERDUE_MS = 5_000;

/**
 * A service has to be shown again when it has been so for `ms`. `since` is the latest that the server can take for the
 * `asOf` of the report that began it, in the server's time.
 */
interface Window {
  readonly since: number;
  readonly ms: number;
  /** When that was by our clock. */
  readonly openedAt: number;
  readonly timer: NodeJS.Timeout;
  /** Its time is up: it waits for the report that shows it. */
  readonly isOver: boolean;
}

/**
 * Says what the runtime shows: what changed at once, everything every `reportEveryMs`, and once more when a stability
 * window ends. One report at a time. A report whose outcome is not known is no base: the next one is full.
 */
export class Reporter {
  /**
   * The first report was taken: until then a viewer is told what an agent before us saw, where apps answer included.
   */
  readonly begun: Promise<void>;
  readonly #client: Client;
  readonly #runtime: Runtime;
  readonly #registration: Registration;
  readonly #path: string;
  readonly #signal: AbortSignal;
  readonly #outages: OutageLog;
  readonly #say: (line: string) => void;
  readonly #windows = new Map<string, Window>();
  /** The runtime was told something about them since the last report. */
  readonly #told = new Set<string>();
  #registered: Registered | null = null;
  #seq = '0';
  #base: { readonly seq: string; readonly shown: Shown } | null = null;
  #shown: Shown = { instances: new Map(), services: new Map() };
  #heard: Registered['heard'] | null = null;
  #fullAt = 0;
  #lastWasFull = false;
  /** Someone waits for a report even if nothing has changed. */
  #due = false;
  /** The runtime has called since it was last looked at. */
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
    this.#outages = options.outages;
    this.#say = options.say;
    this.begun = new Promise((done) => {
      this.#begun = done;
    });
  }

  /**
   * The runtime was told something about a service: shown at once, and again when it has been so long enough. Resolves
   * when it was shown, or when that takes too long to wait for.
   */
  told(service: string): Promise<void> {
    this.#due = true;
    this.#told.add(service);
    const shown = new Promise<void>((done) => {
      this.#waiting.push(done);
      setTimeout(done, SHOWN_MS).unref();
    });
    this.#wake();
    return shown;
  }

  /** Only a full report proves that something is gone. */
  toldGone(): void {
    this.#base = null;
    this.#due = true;
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
          this.#base = null;
          if (isStaleEpoch(error)) await this.#registration.renew(this.#registered?.epoch ?? '');
          else if (isHeardInFuture(error)) {
            this.#heard = (await this.#registration.hearAgain()).heard;
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
      for (const { timer } of this.#windows.values()) clearTimeout(timer);
    }
  }

  async #report(): Promise<void> {
    const registered = await this.#registration.current();
    if (registered.epoch !== this.#registered?.epoch) this.#begin(registered);
    const full = this.#base === null || performance.now() - this.#fullAt >= registered.reportEveryMs;
    // As young as can be; one app that hangs must not make the others look old.
    if (full) await Promise.race([this.#runtime.look(), this.#pause(LOOK_MS)]);
    const now = performance.now();
    const due = this.#due;
    const waiting = this.#waiting.splice(0);
    const told = [...this.#told];
    this.#due = false;
    this.#changed = false;
    const seen = this.#runtime.observe();
    const shown = shownBy(seen);
    const base = full ? null : this.#base;
    const change = base === null ? null : difference(base.shown, shown);
    if (base !== null && change === null && !due) return;
    this.#seq = addDigits(this.#seq, 1);
    const seq = this.#seq;
    const heard = this.#heard ?? registered.heard;
    const head = {
      epoch: registered.epoch,
      seq,
      scope: '*',
      watchAgeMs: seen.watchAgeMs,
      heard: heard.now,
      heardAgoMs: Math.max(0, Math.floor(now - heard.at)),
      // Shown, with how far it is off, and never trusted.
      at: new Date().toISOString(),
    };
    const body =
      base === null
        ? { ...head, complete: true, instances: seen.instances, services: seen.services }
        : { ...head, base: base.seq, ...change };
    this.#told.clear();
    const saidAt = Date.parse(heard.now) + head.heardAgoMs;
    for (const service of new Set([...told, ...this.#differing(shown)]))
      this.#openWindow(service, { since: saidAt, ms: seen.stabilityMs.get(service) ?? 0, openedAt: now });
    const answer = await this.#client.call<Answer>('POST', this.#path, body, {
      signal: this.#signal,
      timeoutMs: Math.max(1_000, registered.freshForMs),
    });
    this.#heard = { now: answer.now, at: performance.now() };
    this.#shown = shown;
    this.#closeWindows(saidAt - seen.watchAgeMs, now);
    this.#begun();
    for (const done of waiting) done();
    this.#lastWasFull = full;
    if (full) this.#fullAt = now;
    if (answer.rejected.length > 0)
      this.#say(
        `The server could not read ${answer.rejected.length} item(s) of a report: ${answer.rejected[0]?.errors.join('; ')}`,
      );
    if (answer.resync || answer.rejected.length > 0 || answer.seq !== seq) {
      this.#base = null;
    } else if (base === null || change !== null) this.#base = { seq, shown };
  }

  /** Another epoch counts from its own beginning. */
  #begin(registered: Registered): void {
    this.#registered = registered;
    this.#heard = registered.heard;
    this.#seq = '0';
    this.#base = null;
    this.#runtime.pace(registered.reportEveryMs);
  }

  /** Whatever is shown differently than before may have to be shown again unchanged. */
  #differing(shown: Shown): readonly string[] {
    const { changed } = difference(this.#shown, shown) ?? { changed: { instances: [], services: [] } };
    return [...changed.instances, ...changed.services].map((item) => (item as { service: string }).service);
  }

  #openWindow(service: string, { since, ms, openedAt }: Omit<Window, 'timer' | 'isOver'>, inMs = ms): void {
    clearTimeout(this.#windows.get(service)?.timer);
    const timer = setTimeout(() => {
      this.#windows.set(service, { since, ms, openedAt, timer, isOver: true });
      void this.#endWindow();
    }, inMs);
    this.#windows.set(service, { since, ms, openedAt, timer, isOver: false });
  }

  async #endWindow(): Promise<void> {
    // As young as can be, for the window counts from what was seen to what was seen; one app that hangs holds up no other.
    await Promise.race([this.#runtime.look(), wait(LOOK_MS, undefined, { ref: false })]);
    this.#due = true;
    this.#wake();
  }

  /**
   * A report was taken that was made at `madeAt` and whose `asOf` is this at least. A window that is over and that it
   * has not outlasted asks for another. Reckoned with what was said, for the server counts by that; a fixed margin in
   * its place is too long on a quiet machine, and on a busy one too short: then the next full report is seconds away.
   */
  #closeWindows(asOf: number, madeAt: number): void {
    const now = performance.now();
    for (const [service, window] of this.#windows) {
      const { since, ms, openedAt, timer, isOver } = window;
      const leftMs = since + ms - asOf;
      if (leftMs <= 0 || now > openedAt + ms + OVERDUE_MS) {
        clearTimeout(timer);
        this.#windows.delete(service);
      } else if (isOver) this.#openWindow(service, window, Math.max(1, leftMs - (now - madeAt)));
    }
  }

  /** Until something changes, somebody asks, or it is time for a full one. */
  async #idle(): Promise<void> {
    // Without a base a full one follows at once; but not on a full one: what the server could not read of that it will
    // not be able to read of the next.
    if (this.#due || this.#changed || (this.#base === null && !this.#lastWasFull)) return;
    const { reportEveryMs = 1_000 } = this.#registered ?? {};
    await this.#pause(Math.max(0, this.#fullAt + reportEveryMs - performance.now()), true);
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

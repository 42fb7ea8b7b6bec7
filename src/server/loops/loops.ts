import type { FastifyBaseLogger } from 'fastify';
import type { Metrics } from '../metrics.ts';

export interface Loop {
  readonly name: string;
  readonly everyMs: number;
  readonly turn: () => Promise<void>;
  /** Called after a turn: the time until the next one, if that is sooner than `everyMs`. */
  readonly nextMs?: () => number;
}

export interface LoopState {
  readonly name: string;
  readonly lastTurnAt: number | null;
  readonly failing: boolean;
}

const LONGEST_BACKOFF_MS = 10_000;

/**
 * Runs level-triggered loops under supervision. A turn that fails is logged and tried again, later each time;
 * the next one that succeeds does all that the failed ones left. No loop overlaps with itself.
 */
export class Loops {
  readonly #log: FastifyBaseLogger;
  readonly #metrics: Metrics;
  readonly #running = new Map<string, RunningLoop>();

  constructor(log: FastifyBaseLogger, metrics: Metrics) {
    this.#log = log;
    this.#metrics = metrics;
  }

  start(loop: Loop): void {
    this.#running.set(loop.name, new RunningLoop(loop, this.#log, this.#metrics));
  }

  /** Runs the loop's next turn now. */
  nudge(name: string): void {
    this.#running.get(name)?.nudge();
  }

  get states(): readonly LoopState[] {
    return [...this.#running.values()].map((running) => running.state);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map((running) => running.stop()));
  }
}

class RunningLoop {
  readonly #loop: Loop;
  readonly #log: FastifyBaseLogger;
  readonly #metrics: Metrics;
  #timer: NodeJS.Timeout | null = null;
  #turning: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  #failures = 0;
  #lastTurnAt: number | null = null;

  constructor(loop: Loop, log: FastifyBaseLogger, metrics: Metrics) {
    this.#loop = loop;
    this.#log = log;
    this.#metrics = metrics;
    this.nudge();
  }

  get state(): LoopState {
    return { name: this.#loop.name, lastTurnAt: this.#lastTurnAt, failing: this.#failures > 0 };
  }

  nudge(): void {
    if (this.#stopped) return;
    if (this.#turning !== null) {
      this.#again = true;
      return;
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#turning = this.#turn().finally(() => {
      this.#turning = null;
      this.#rest();
    });
  }

  async #turn(): Promise<void> {
    const { name, turn } = this.#loop;
    try {
      await turn();
      if (this.#failures > 0) this.#log.info({ loop: name }, 'works again');
      this.#failures = 0;
      this.#lastTurnAt = Date.now();
      this.#metrics.turned(name, true);
    } catch (error) {
      this.#failures += 1;
      this.#metrics.turned(name, false);
      this.#log.error(
        { loop: name, failures: this.#failures, err: error },
        'a turn failed; it is tried again',
      );
    }
  }

  #rest(): void {
    if (this.#stopped) return;
    const { everyMs, nextMs = () => everyMs } = this.#loop;
    if (this.#again && this.#failures === 0) {
      this.#again = false;
      this.nudge();
      return;
    }
    const backoff = Math.min(LONGEST_BACKOFF_MS, everyMs * 2 ** Math.min(this.#failures, 10));
    const ms = this.#failures === 0 ? Math.min(everyMs, nextMs()) : backoff * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => this.nudge(), ms);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#turning;
  }
}

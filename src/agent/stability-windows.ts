import { performance } from 'node:perf_hooks';

/**
 * Bounds for how long after its end a window requests reports. After that the server's clock was set back,
 * and the window is left to full reports.
 */
const OVERDUE_MS = 5_000;

interface Window {
  /** The latest instant, in the server's time, that the server can take for the `asOf` of the report that began it. */
  readonly since: number;
  readonly ms: number;
  /** Monotonic: when the window began by our clock. */
  readonly openedAt: number;
}

interface OpenWindow extends Window {
  readonly timer: NodeJS.Timeout;
  /** Its time is over, and it waits for the report that proves it. */
  readonly isOver: boolean;
}

/**
 * The stability windows of one scope, of services and of instances that exited: each must be reported once more when it
 * is over.
 */
export class StabilityWindows {
  readonly #windows = new Map<string, OpenWindow>();
  readonly #over: () => void;

  /** @param over called when a window is over */
  constructor(over: () => void) {
    this.#over = over;
  }

  /** Begins a window, in place of the one under the same key. */
  open(key: string, window: Window): void {
    this.#wait(key, window, window.ms);
  }

  /**
   * Records an accepted report that was created at `createdAt` and whose `asOf` is this at least. A window
   * that is over, and that this report does not outlast, requests another. It counts by the instants that
   * were sent, because the server counts by these. Rejected: a fixed margin. It is too long on a quiet
   * machine, and too short on a busy one: there the next full report is seconds away.
   */
  reported(asOf: number, createdAt: number): void {
    const now = performance.now();
    for (const [key, { since, ms, openedAt, timer, isOver }] of this.#windows) {
      const leftMs = since + ms - asOf;
      if (leftMs <= 0 || now > openedAt + ms + OVERDUE_MS) {
        clearTimeout(timer);
        this.#windows.delete(key);
      } else if (isOver) this.#wait(key, { since, ms, openedAt }, Math.max(1, leftMs - (now - createdAt)));
    }
  }

  clear(): void {
    for (const { timer } of this.#windows.values()) clearTimeout(timer);
    this.#windows.clear();
  }

  #wait(key: string, window: Window, inMs: number): void {
    clearTimeout(this.#windows.get(key)?.timer);
    const timer = setTimeout(() => {
      this.#windows.set(key, { ...window, timer, isOver: true });
      this.#over();
    }, inMs);
    this.#windows.set(key, { ...window, timer, isOver: false });
  }
}

import { setTimeout as wait } from 'node:timers/promises';
import { ProblemAnswer, Unreachable } from './client.ts';

const FIRST_MS = 200;
const LONGEST_MS = 5_000;

/** Pause before try n+1: doubles each time, random within the upper half (L5). */
export function backOffMs(tries: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries, 10));
  return full / 2 + (full / 2) * random();
}

/** The same call may succeed later: the server did not answer, or said that it cannot now. */
export function isTransient(error: unknown): boolean {
  if (error instanceof Unreachable) return true;
  if (!(error instanceof ProblemAnswer)) return false;
  // 408: this process or the server was too busy to exchange the request in time. It was not carried out.
  const isLate = error.status === 408 || error.status === 429;
  return isLate || error.status >= 500 || error.code === 'idempotency_in_progress';
}

/**
 * Logs once that the server cannot be reached, and once that it can again, however many calls fail between.
 */
export class OutageLog {
  readonly #say: (line: string) => void;
  #since: number | null = null;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  failed(error: unknown): void {
    if (this.#since !== null) return;
    this.#since = performance.now();
    this.#say(`${error instanceof Error ? error.message : String(error)} Trying again until it does.`);
  }

  passed(): void {
    if (this.#since === null) return;
    const seconds = ((performance.now() - this.#since) / 1000).toFixed(1);
    this.#since = null;
    this.#say(`The server answers again, after ${seconds} s.`);
  }
}

/**
 * Repeats a call until it has an answer, or until `signal` aborts it with its reason. The repeated call must
 * carry the same ids: a request of unknown outcome is repeated, and never taken for a failure (F03, F11).
 */
export async function persist<T>(
  act: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  outages?: OutageLog,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    try {
      const answer = await act(signal);
      outages?.passed();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (!isTransient(error)) throw error;
      outages?.failed(error);
      const retryAfterMs = error instanceof ProblemAnswer ? (error.retryAfterMs ?? 0) : 0;
      await wait(Math.max(retryAfterMs, backOffMs(tries)), undefined, { signal }).catch(() =>
        signal.throwIfAborted(),
      );
    }
  }
}

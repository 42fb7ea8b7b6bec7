import { setTimeout as wait } from 'node:timers/promises';
import { ProblemAnswer } from './client.ts';
import { backOffMs } from './persist.ts';

interface RepeatOptions {
  /** Returns whether the same call may succeed later, after this error. */
  readonly may: (error: unknown) => boolean;
  readonly forMs: number;
  readonly signal: AbortSignal | null;
}

/** For people, who do not wait for ever: repeats while the error may pass, then throws it. */
export async function repeat<T>(act: () => Promise<T>, { may, forMs, signal }: RepeatOptions): Promise<T> {
  const since = performance.now();
  for (let tries = 0; ; tries++) {
    try {
      return await act();
    } catch (error) {
      const retryAfterMs = error instanceof ProblemAnswer ? (error.retryAfterMs ?? 0) : 0;
      const delay = Math.max(retryAfterMs, backOffMs(tries));
      if (!may(error) || performance.now() - since + delay > forMs) throw error;
      await wait(delay, undefined, signal === null ? {} : { signal });
    }
  }
}

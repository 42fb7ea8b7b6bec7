import { performance } from 'node:perf_hooks';
import { couldNotLook } from './could-not-look.ts';
import type { RouteAnswer, RouteReply } from './router-port.ts';
import type { Timing } from './timing.ts';

/** One proof that failed went to an instance that hangs, while the others answer. */
const FAILURES_TO_DOUBT = 2;

type RouteRequester = (signal: AbortSignal, isWhole: boolean) => Promise<RouteReply>;

/**
 * Proves again and again, by a request through the router, that a route answers and for which attempt. An instance gets
 * that request when the route has changed, while it does not answer, and now and then: between, each ready instance is
 * asked by itself, and that the router leads to them is proven without one. Else every app would log each proof twice.
 */
export class RouteProof {
  readonly #request: RouteRequester;
  readonly #changed: () => void;
  readonly #now: () => number;
  readonly #timing: () => Pick<Timing, 'proveEveryMs' | 'proveWholeEveryMs'>;
  #answer: RouteAnswer = { answers: false };
  #failures = 0;
  /** The route was replaced since its last proof: that counts no more, not even once. */
  #isVoid = true;
  /** The instant of the last reply. */
  #provenAt = performance.now();
  /** The instant at which an instance last answered through the route. */
  #wholeAt = 0;
  /** It cannot be proven now: the answer grows old (F122). */
  #isBlind = false;
  #proving: Promise<void> | null = null;
  #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #endedAt: number | null = null;

  constructor(
    request: RouteRequester,
    timing: () => Pick<Timing, 'proveEveryMs' | 'proveWholeEveryMs'>,
    changed: () => void,
    now = () => performance.now(),
  ) {
    this.#now = now;
    this.#request = request;
    this.#timing = timing;
    this.#changed = changed;
  }

  get answer(): RouteAnswer {
    return this.#answer;
  }

  /** An answer counts until the next proof has a result; that is never longer than the timeout of the spec. */
  get observedAt(): number {
    return this.#isBlind ? this.#provenAt : (this.#endedAt ?? performance.now());
  }

  /** The route was replaced, so its proof is void: proves it at once. One that is under way may hang at an old instance. */
  renew(): Promise<void> {
    this.#isVoid = true;
    this.#abort.abort();
    return this.prove();
  }

  prove(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#endedAt !== null) return Promise.resolve();
    this.#proving ??= this.#proveOnce().finally(() => {
      this.#proving = null;
    });
    return this.#proving;
  }

  end(): void {
    this.#endedAt ??= performance.now();
    this.#abort.abort();
    clearTimeout(this.#timer);
  }

  async #proveOnce(): Promise<void> {
    for (;;) {
      this.#abort = new AbortController();
      const { signal } = this.#abort;
      const isWhole = this.#isWholeDue();
      const reply = await this.#request(signal, isWhole).catch(unanswered);
      if (this.#endedAt !== null) return;
      if (signal.aborted) continue;
      if (isWhole && reply.kind === 'answered') this.#wholeAt = this.#now();
      this.#timer = setTimeout(() => void this.prove(), this.#take(reply));
      return;
    }
  }

  #isWholeDue(): boolean {
    if (this.#isVoid || this.#failures > 0 || !this.#answer.answers) return true;
    return this.#now() - this.#wholeAt >= this.#timing().proveWholeEveryMs;
  }

  /** Gives the pause before the next proof. */
  #take(reply: RouteReply): number {
    this.#isBlind = reply.kind === 'unobserved';
    if (reply.kind === 'unobserved') return this.#timing().proveEveryMs;
    this.#provenAt = performance.now();
    this.#failures = reply.kind === 'failed' ? this.#failures + 1 : 0;
    const before = this.#answer;
    const isSlip = reply.kind === 'failed' && this.#failures < FAILURES_TO_DOUBT;
    if (isSlip && before.answers && !this.#isVoid) return 0;
    this.#isVoid = false;
    this.#answer = answerIn(reply);
    if (JSON.stringify(before) !== JSON.stringify(this.#answer)) this.#changed();
    return this.#timing().proveEveryMs;
  }
}

function answerIn(reply: RouteReply): RouteAnswer {
  if (reply.kind === 'answered') {
    const { stamp, certificate } = reply;
    return { answers: true, stamp, ...(certificate && { certificate }) };
  }
  return { answers: false, ...(reply.kind === 'denied' && reply.reason && { reason: reply.reason }) };
}

/** A path that cannot be requested is thrown. */
const unanswered = (error: unknown): RouteReply => ({ kind: couldNotLook(error) ? 'unobserved' : 'denied' });

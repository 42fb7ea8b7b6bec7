import type { CommandKind } from '../contract/vocabulary.ts';
import { type Client, ProblemAnswer } from './client.ts';
import { mayPass, persist, type Troubles } from './persist.ts';

export interface Lease<Input = unknown> {
  readonly id: string;
  readonly command: string;
  readonly kind: CommandKind;
  readonly service: string;
  readonly revision: number;
  readonly attempt: number;
  readonly fence: string;
  readonly ttlMs: number;
  readonly input: Input;
}

export interface Asking {
  readonly kinds: readonly CommandKind[];
  readonly target?: string;
  readonly worker: string;
  readonly instance: string;
}

/** Waits for work; null when none came. The answer is an offer, until `HeldLease.take` has taken it up. */
export async function acquire<Input>(
  client: Client,
  asking: Asking,
  options: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<Lease<Input> | null> {
  const { waitMs, signal } = options;
  const timeoutMs = waitMs + 10_000;
  const answer = await client.call<{ lease: Lease<Input> } | null>(
    'POST',
    '/v1/leases',
    { ...asking, waitMs },
    { signal, timeoutMs },
  );
  return answer?.lease ?? null;
}

/** Why the work under a lease must stop. */
export type LeaseEnd =
  /** Stop, then say `cancel.acknowledged`: the lease still lets one speak until its end. */
  | 'cancel_requested'
  /** Stop; a newer revision has taken its place, and nothing that is said counts. */
  | 'superseded'
  /** Stop; the server has given it to another, or no longer knows this token. */
  | 'lost'
  /** Stop; the server was not reached in time, and may give it to another at any moment (F32, F33). */
  | 'lapsed';

export class LeaseEnded extends Error {
  override readonly name = 'LeaseEnded';
  readonly why: LeaseEnd;
  constructor(why: LeaseEnd) {
    super(`the lease ended: ${why}`);
    this.why = why;
  }
}

interface Beat {
  readonly ttlMs: number;
  readonly cancelRequested: boolean;
  readonly superseded: boolean;
}

/** An offer is withdrawn after 5 s (exchange 3). */
const OFFER_MS = 5_000;
/** A cancel is learned from a heartbeat, and obeyed within 2 s. */
const BEAT_MS = 500;

/**
 * A lease that is held: heartbeats from a timer, and a deadline of its own.
 *
 * The deadline counts from when the heartbeat that was answered was *sent*, on the monotonic clock: an answer that is
 * late or lost can then never make the holder believe longer than the server does (F32 to F34). Work ends a margin
 * before that, so that what must be ended is ended while the lease still stands. A process that slept through its
 * deadline finds it passed by the clock before any answer is looked at (F30, F41).
 */
export class HeldLease<Input = unknown> {
  readonly lease: Lease<Input>;
  readonly #client: Client;
  readonly #troubles: Troubles | undefined;
  readonly #work = new AbortController();
  readonly #speak = new AbortController();
  /** Nothing to lose before the first answer: until then it is only an offer. */
  #deadline = Number.POSITIVE_INFINITY;
  #marginMs = 0;
  #ended = false;
  #next: NodeJS.Timeout | undefined;
  #workTimer: NodeJS.Timeout | undefined;
  #speakTimer: NodeJS.Timeout | undefined;

  private constructor(client: Client, lease: Lease<Input>, troubles: Troubles | undefined) {
    this.#client = client;
    this.lease = lease;
    this.#troubles = troubles;
  }

  /**
   * Takes an offer up; null if it was withdrawn meanwhile. Nothing may be done to the world before (S4): an offer whose
   * acknowledgement was not answered may already be another's.
   */
  static async take<Input>(
    client: Client,
    lease: Lease<Input>,
    troubles?: Troubles,
  ): Promise<HeldLease<Input> | null> {
    const held = new HeldLease(client, lease, troubles);
    try {
      const giveUp = AbortSignal.timeout(OFFER_MS);
      await persist((signal) => held.#beat(signal), giveUp, troubles);
    } catch (error) {
      held.close();
      if (held.#speak.signal.aborted || mayPass(error) || (error as Error).name === 'TimeoutError')
        return null;
      throw error;
    }
    held.#schedule();
    return held;
  }

  /** Ends when the work must stop; its reason is a `LeaseEnded`. */
  get work(): AbortSignal {
    return this.#work.signal;
  }

  /** Ends when nothing said under this lease can count any more. Later than `work` for a cancel. */
  get speak(): AbortSignal {
    return this.#speak.signal;
  }

  get why(): LeaseEnd | null {
    const { reason } = this.#work.signal;
    return reason instanceof LeaseEnded ? reason.why : null;
  }

  /** Asked before each effect: a timer that is late must not let one pass (F31). */
  get isOurs(): boolean {
    if (performance.now() >= this.#deadline - this.#marginMs) this.#end('lapsed');
    return !this.#work.signal.aborted;
  }

  /** Gives it back for another; the server may already have ended it. */
  async release(reason: string): Promise<void> {
    this.#stopBeating();
    const { id, fence } = this.lease;
    try {
      const path = `/v1/leases/${encodeURIComponent(id)}/release`;
      await this.#client.call('POST', path, { fence, reason }, { timeoutMs: 2_000 });
    } catch {
      // Whoever cannot be told waits for the lease to end by itself: no harm, only later.
    }
    this.close();
  }

  /** The work is done, one way or the other: no more heartbeats. Ends neither signal. */
  close(): void {
    this.#ended = true;
    this.#stopBeating();
    clearTimeout(this.#workTimer);
    clearTimeout(this.#speakTimer);
  }

  #stopBeating(): void {
    clearTimeout(this.#next);
    this.#next = undefined;
  }

  #schedule(): void {
    if (this.#ended || this.#work.signal.aborted) return;
    const everyMs = Math.min(BEAT_MS, this.lease.ttlMs / 4);
    this.#next = setTimeout(() => void this.#tick(), everyMs);
  }

  async #tick(): Promise<void> {
    try {
      await this.#beat(this.#speak.signal);
      this.#troubles?.passed();
    } catch (error) {
      if (mayPass(error)) this.#troubles?.failed(error);
    }
    this.#schedule();
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const { id, fence, ttlMs } = this.lease;
    const sentAt = performance.now();
    try {
      const path = `/v1/leases/${encodeURIComponent(id)}/heartbeat`;
      const timeoutMs = Math.max(250, ttlMs / 3);
      this.#heard(sentAt, await this.#client.call<Beat>('POST', path, { fence }, { timeoutMs, signal }));
    } catch (error) {
      if (error instanceof ProblemAnswer && !mayPass(error)) this.#end('lost');
      throw error;
    }
  }

  #heard(sentAt: number, { ttlMs, cancelRequested, superseded }: Beat): void {
    if (this.#ended || this.#work.signal.aborted) return;
    // Answered after our own deadline: whatever it says, we have stopped believing.
    if (!this.isOurs) return;
    this.#deadline = sentAt + ttlMs;
    this.#marginMs = Math.min(2_000, this.lease.ttlMs / 4);
    this.#arm();
    if (superseded) this.#end('superseded');
    else if (cancelRequested) this.#end('cancel_requested');
  }

  #arm(): void {
    clearTimeout(this.#workTimer);
    clearTimeout(this.#speakTimer);
    const leftMs = this.#deadline - performance.now();
    this.#workTimer = setTimeout(() => this.#end('lapsed'), leftMs - this.#marginMs);
    this.#speakTimer = setTimeout(() => this.#speak.abort(new LeaseEnded('lapsed')), leftMs);
  }

  #end(why: LeaseEnd): void {
    if (this.#ended || this.#work.signal.aborted) return;
    this.#stopBeating();
    const ended = new LeaseEnded(why);
    this.#work.abort(ended);
    if (why !== 'cancel_requested') this.#speak.abort(ended);
  }
}

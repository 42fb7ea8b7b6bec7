import type { HeartbeatAnswer } from '../contract/answers/fleet.ts';
import type { CommandKind } from '../contract/vocabulary.ts';
import { type Client, ProblemAnswer } from './client.ts';
import { beatAlone, type SendBeat } from './heartbeats.ts';
import { isTransient, type OutageLog, persist } from './persist.ts';

export interface AcquiredLease<Input = unknown> {
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

interface AcquireRequest {
  readonly kinds: readonly CommandKind[];
  readonly target?: string;
  readonly worker: string;
  readonly instance: string;
}

/**
 * Long-polls for work; null when none came. The answer is an offer until `LeaseKeeper.take` has acknowledged
 * it.
 */
export async function acquireLease<Input>(
  client: Client,
  request: AcquireRequest,
  options: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<AcquiredLease<Input> | null> {
  const answer = await askForWork<{ lease: AcquiredLease<Input> }>(client, request, options);
  return answer?.lease ?? null;
}

/** The same for up to `max` commands at once: as many as wait when the first of them does. */
export async function acquireLeases<Input>(
  client: Client,
  request: AcquireRequest & { readonly max: number },
  options: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<readonly AcquiredLease<Input>[]> {
  const answer = await askForWork<{ leases: AcquiredLease<Input>[] }>(client, request, options);
  return answer?.leases ?? [];
}

const askForWork = <Answer>(
  client: Client,
  request: AcquireRequest,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
) =>
  client.call<Answer | null>(
    'POST',
    '/v1/leases',
    { ...request, waitMs },
    { signal, timeoutMs: waitMs + 10_000 },
  );

/** Reasons for which the work under a lease must stop. */
type StopReason =
  /** Stop, then submit `cancel.acknowledged`: until its end the lease still admits evidence. */
  | 'cancel_requested'
  /** Stop: a newer revision has superseded this one, and evidence under this lease no longer counts. */
  | 'superseded'
  /** Stop: the server has offered the command to another worker, or no longer accepts this token. */
  | 'lost'
  /**
   * Stop: the server was not reached in time, and may offer the command to another worker at any moment (F32,
   * F33).
   */
  | 'lapsed';

export class LeaseEnded extends Error {
  override readonly name = 'LeaseEnded';
  readonly why: StopReason;
  constructor(why: StopReason) {
    super(`the lease ended: ${why}`);
    this.why = why;
  }
}

/** The server withdraws an offer after 5 s and burns its fence. */
const OFFER_MS = 5_000;
/** A cancel is learned from a heartbeat, and must be obeyed within 2 s. */
const BEAT_MS = 500;

/**
 * A lease that this process holds: it sends heartbeats by a timer, and has a deadline of its own.
 *
 * The deadline counts from when the answered heartbeat was *sent*, on the monotonic clock. So a late or lost
 * answer never makes the holder believe in the lease longer than the server does (F32 to F34). Work ends a
 * margin before the deadline, so that its processes are ended while the lease still stands. A process that
 * slept through its deadline checks the clock before it looks at any answer (F30, F41).
 */
export class LeaseKeeper<Input = unknown> {
  readonly lease: AcquiredLease<Input>;
  readonly #client: Client;
  readonly #send: SendBeat;
  readonly #outages: OutageLog | undefined;
  readonly #work = new AbortController();
  readonly #speak = new AbortController();
  /** No deadline before the first answer: until then it is only an offer. */
  #deadline = Number.POSITIVE_INFINITY;
  #marginMs = 0;
  #ended = false;
  #next: NodeJS.Timeout | undefined;
  #workTimer: NodeJS.Timeout | undefined;
  #speakTimer: NodeJS.Timeout | undefined;

  private constructor(
    client: Client,
    lease: AcquiredLease<Input>,
    outages: OutageLog | undefined,
    send: SendBeat,
  ) {
    this.#client = client;
    this.#send = send;
    this.lease = lease;
    this.#outages = outages;
  }

  /**
   * Acknowledges an offer; null if it was withdrawn meanwhile. No effect outside this process may happen
   * before (S4): an offer whose acknowledgement was not answered may already belong to another worker.
   */
  static async take<Input>(
    client: Client,
    lease: AcquiredLease<Input>,
    outages?: OutageLog,
    send = beatAlone(client),
  ): Promise<LeaseKeeper<Input> | null> {
    const held = new LeaseKeeper(client, lease, outages, send);
    try {
      const giveUp = AbortSignal.timeout(OFFER_MS);
      await persist((signal) => held.#beat(signal), giveUp, outages);
    } catch (error) {
      held.close();
      if (held.#speak.signal.aborted || isTransient(error) || (error as Error).name === 'TimeoutError')
        return null;
      throw error;
    }
    held.#schedule();
    return held;
  }

  /** Aborts when the work must stop; its reason is a `LeaseEnded`. */
  get work(): AbortSignal {
    return this.#work.signal;
  }

  /** Aborts when evidence under this lease can no longer count. For a cancel that is later than `work`. */
  get speak(): AbortSignal {
    return this.#speak.signal;
  }

  get why(): StopReason | null {
    const { reason } = this.#work.signal;
    return reason instanceof LeaseEnded ? reason.why : null;
  }

  /** Checked before each effect, because a timer may fire late (F31). */
  get isOurs(): boolean {
    if (performance.now() >= this.#deadline - this.#marginMs) this.#end('lapsed');
    return !this.#work.signal.aborted;
  }

  /** Releases the lease for another worker. The server may have ended it already. */
  async release(reason: string): Promise<void> {
    this.#stopBeating();
    const { id, fence } = this.lease;
    try {
      const path = `/v1/leases/${encodeURIComponent(id)}/release`;
      await this.#client.call('POST', path, { fence, reason }, { timeoutMs: 2_000 });
    } catch {
      // If the server cannot be reached, the lease ends by time: only later.
    }
    this.close();
  }

  /** Stops the heartbeats when the work is done. Aborts neither signal. */
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
      this.#outages?.passed();
    } catch (error) {
      if (isTransient(error)) this.#outages?.failed(error);
    }
    this.#schedule();
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const { id, fence, ttlMs } = this.lease;
    const sentAt = performance.now();
    try {
      const timeoutMs = Math.max(250, ttlMs / 3);
      this.#heard(sentAt, await this.#send({ id, fence }, { timeoutMs, signal }));
    } catch (error) {
      if (error instanceof ProblemAnswer && !isTransient(error)) this.#end('lost');
      throw error;
    }
  }

  #heard(sentAt: number, { ttlMs, cancelRequested, superseded }: HeartbeatAnswer): void {
    if (this.#ended || this.#work.signal.aborted) return;
    // Answered after our own deadline: the lease counts as lost, whatever the answer says.
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

  #end(why: StopReason): void {
    if (this.#ended || this.#work.signal.aborted) return;
    this.#stopBeating();
    const ended = new LeaseEnded(why);
    this.#work.abort(ended);
    if (why !== 'cancel_requested') this.#speak.abort(ended);
  }
}

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { type Client, ProblemAnswer } from '../client/client.ts';
import { type OutageLog, persist } from '../client/persist.ts';
import { AgentFenced } from './fenced.ts';

export interface Speaker {
  readonly target: string;
  readonly agent: string;
  readonly version: string;
  /** Of the place that is observed, not of whoever observes it. */
  readonly identity: string;
}

export interface Registered {
  readonly epoch: string;
  /** Of this process, or of its part after a recovery of the server's store. */
  readonly instance: string;
  readonly reportEveryMs: number;
  readonly freshForMs: number;
  /** The server's clock, and when by ours it was heard. */
  readonly heard: { readonly now: string; readonly at: number };
}

/**
 * The right to speak for a target. Whoever is told that its epoch is over registers again as the same instance. If that
 * is refused for another agent (`holder`), this one has been replaced, and stops (F65). If nobody holds the target, the
 * server's store was restored (F44, F54): then it goes on under a new instance. So one that was replaced never comes
 * back by itself, and a restored server needs nobody to restart its agents.
 */
export class Registration {
  readonly #client: Client;
  readonly #speaker: Speaker;
  readonly #signal: AbortSignal;
  readonly #outages: OutageLog;
  #instance = randomUUID();
  #current: Promise<Registered> | null = null;

  constructor(client: Client, speaker: Speaker, signal: AbortSignal, outages: OutageLog) {
    this.#client = client;
    this.#speaker = speaker;
    this.#signal = signal;
    this.#outages = outages;
  }

  current(): Promise<Registered> {
    this.#current ??= this.#register();
    return this.#current;
  }

  /** The epoch is no longer believed. Those who find out at the same time share one call. */
  async renew(stale: string): Promise<Registered> {
    const known = await this.current();
    if (known.epoch === stale) {
      const next = this.#register();
      this.#current = next;
      const { epoch } = await next;
      // The same epoch again, and yet it is refused: nothing that this instance says will be heard.
      if (epoch === stale) throw new AgentFenced(this.#speaker.target);
    }
    return this.current();
  }

  /** The server's time anew, under the epoch there is: what was heard before is none that the server knows of. */
  hearAgain(): Promise<Registered> {
    this.#current = this.#register();
    return this.#current;
  }

  async #register(): Promise<Registered> {
    for (;;) {
      try {
        return await this.#ask();
      } catch (error) {
        if (!(error instanceof ProblemAnswer) || error.code !== 'instance_fenced') throw error;
        if (error.problem.holder !== undefined) throw new AgentFenced(this.#speaker.target);
        this.#instance = randomUUID();
      }
    }
  }

  async #ask(): Promise<Registered> {
    const { target, ...speaker } = this.#speaker;
    const instance = this.#instance;
    const path = `/v1/targets/${encodeURIComponent(target)}/registrations`;
    const answer = await persist(
      (signal) =>
        this.#client.call<Omit<Registered, 'heard' | 'instance'> & { now: string }>(
          'POST',
          path,
          { ...speaker, instance },
          { signal, timeoutMs: 10_000 },
        ),
      this.#signal,
      this.#outages,
    );
    const { epoch, reportEveryMs, freshForMs, now } = answer;
    return { epoch, instance, reportEveryMs, freshForMs, heard: { now, at: performance.now() } };
  }
}

export const isStaleEpoch = (error: unknown) =>
  error instanceof ProblemAnswer && error.code === 'stale_epoch';

/** The server's clock was set back while it was away, and is behind what it once told us. */
export const isHeardInFuture = (error: unknown) =>
  error instanceof ProblemAnswer &&
  error.code === 'invalid_request' &&
  [error.problem.errors].flat().some((place) => String(place).startsWith('heard: '));

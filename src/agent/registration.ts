import { performance } from 'node:perf_hooks';
import { type Client, ProblemAnswer } from '../client/client.ts';
import { persist, type Troubles } from '../client/persist.ts';
import { AgentFenced } from './fenced.ts';

export interface Speaker {
  readonly target: string;
  readonly agent: string;
  readonly instance: string;
  readonly version: string;
  /** Of the place that is observed, not of whoever observes it. */
  readonly identity: string;
}

export interface Registered {
  readonly epoch: string;
  readonly reportEveryMs: number;
  readonly freshForMs: number;
  /** The server's clock, and when by ours it was heard. */
  readonly heard: { readonly now: string; readonly at: number };
}

/**
 * The right to speak for a target. Whoever is told that its epoch is over registers again as the same instance: that
 * is refused to one that a newer agent has fenced, and granted after the server lost the registration with its store
 * (F44, F54), so that the one stops and the other goes on without anybody having to know which it is.
 */
export class Registration {
  readonly #client: Client;
  readonly #speaker: Speaker;
  readonly #signal: AbortSignal;
  readonly #troubles: Troubles;
  #current: Promise<Registered> | null = null;

  constructor(client: Client, speaker: Speaker, signal: AbortSignal, troubles: Troubles) {
    this.#client = client;
    this.#speaker = speaker;
    this.#signal = signal;
    this.#troubles = troubles;
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

  async #register(): Promise<Registered> {
    const { target, ...body } = this.#speaker;
    const path = `/v1/targets/${encodeURIComponent(target)}/registrations`;
    try {
      const answer = await persist(
        (signal) =>
          this.#client.call<Omit<Registered, 'heard'> & { now: string }>('POST', path, body, {
            signal,
            timeoutMs: 10_000,
          }),
        this.#signal,
        this.#troubles,
      );
      const { epoch, reportEveryMs, freshForMs, now } = answer;
      return { epoch, reportEveryMs, freshForMs, heard: { now, at: performance.now() } };
    } catch (error) {
      if (error instanceof ProblemAnswer && error.code === 'instance_fenced') throw new AgentFenced(target);
      throw error;
    }
  }
}

export const isStaleEpoch = (error: unknown) =>
  error instanceof ProblemAnswer && error.code === 'stale_epoch';

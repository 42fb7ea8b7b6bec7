import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { type Client, ProblemAnswer } from '../client/client.ts';
import { type OutageLog, persist } from '../client/persist.ts';
import type { ObservationAnswer } from '../contract/observation.ts';
import type { NamedByServer } from '../runtime/port.ts';
import { AgentFenced } from './fenced.ts';

interface AgentDescription {
  readonly target: string;
  readonly agent: string;
  readonly version: string;
  /** Identifies the place that is observed, not the agent. */
  readonly identity: string;
  readonly defaultNamespace?: string;
  readonly observeOnly?: true;
}

export interface Registered {
  readonly epoch: string;
  /** Identifies this process, or its part after a recovery of the server's store. */
  readonly instance: string;
  readonly reportEveryMs: number;
  readonly freshForMs: number;
  /** The rule of the target, and workloads that have other names than their own. */
  readonly observation: ObservationAnswer;
  readonly names: readonly NamedByServer[];
  /** Namespaces with services on record; absent in answers of before. */
  readonly namespaces?: readonly string[];
  /** The target's own, which was fixed by its first registration. */
  readonly defaultNamespace?: string | null;
  /** The server's time as it was last received, and the monotonic instant of that. */
  readonly serverTime: { readonly now: string; readonly at: number };
}

/**
 * The right to act and report for a target. An agent whose epoch is over registers again as the same instance. If that
 * is refused for another agent (`holder`), this one has been replaced, and stops (F65). If nobody holds the target, the
 * server's store was restored (F44, F54): then it goes on under a new instance. An agent that was replaced therefore
 * never comes back by itself, and a restored server needs nobody to restart its agents.
 */
export class Registration {
  readonly #client: Client;
  readonly #agent: AgentDescription;
  readonly #signal: AbortSignal;
  readonly #outages: OutageLog;
  #instance = randomUUID();
  #current: Promise<Registered> | null = null;

  constructor(client: Client, agent: AgentDescription, signal: AbortSignal, outages: OutageLog) {
    this.#client = client;
    this.#agent = agent;
    this.#signal = signal;
    this.#outages = outages;
  }

  current(): Promise<Registered> {
    this.#current ??= this.#register();
    return this.#current;
  }

  /** Registers anew when the server rejects the epoch. Callers that find out at the same time share one call. */
  async renew(stale: string): Promise<Registered> {
    const before = await this.current();
    if (before.epoch === stale) {
      const next = this.#register();
      this.#current = next;
      const { epoch } = await next;
      // The same epoch again, and the server rejects it: no report of this instance will count.
      if (epoch === stale) throw new AgentFenced(this.#agent.target);
    }
    return this.current();
  }

  /** Receives the server's time anew, under the same epoch: the server rejects the instant that it sent before. */
  receiveTimeAgain(): Promise<Registered> {
    this.#current = this.#register();
    return this.#current;
  }

  async #register(): Promise<Registered> {
    for (;;) {
      try {
        return await this.#call();
      } catch (error) {
        if (!(error instanceof ProblemAnswer) || error.code !== 'instance_fenced') throw error;
        if (error.problem.holder !== undefined) throw new AgentFenced(this.#agent.target);
        this.#instance = randomUUID();
      }
    }
  }

  async #call(): Promise<Registered> {
    const { target, ...agent } = this.#agent;
    const instance = this.#instance;
    const path = `/v1/targets/${encodeURIComponent(target)}/registrations`;
    const answer = await persist(
      (signal) =>
        this.#client.call<Omit<Registered, 'serverTime' | 'instance'> & { now: string }>(
          'POST',
          path,
          { ...agent, instance },
          { signal, timeoutMs: 10_000 },
        ),
      this.#signal,
      this.#outages,
    );
    const { now, ...registered } = answer;
    return { ...registered, instance, serverTime: { now, at: performance.now() } };
  }
}

export const isStaleEpoch = (error: unknown) =>
  error instanceof ProblemAnswer && error.code === 'stale_epoch';

/** True if the server's clock was set back, and is behind an instant that it once sent. */
export const isContactInFutureProblem = (error: unknown) =>
  error instanceof ProblemAnswer &&
  error.code === 'invalid_request' &&
  [error.problem.errors].flat().some((place) => String(place).startsWith('heard: '));

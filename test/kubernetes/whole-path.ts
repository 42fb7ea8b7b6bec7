import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, vi } from 'vitest';
import { runAgent } from '../../src/agent/agent.ts';
import { Client } from '../../src/client/client.ts';
import { openCluster } from '../../src/kubernetes/agent/open-cluster.ts';
import type { Api } from '../server/api.ts';

/** A claim as the protocol has it. */
// biome-ignore lint/suspicious/noExplicitAny: claims are compared with what the protocol says
type AnyClaim = any;

const COMES_TRUE = { timeout: 120_000, interval: 100 };

/** Everything that a viewer of one service was told, in order. */
export class ClaimLog {
  readonly claims: AnyClaim[] = [];
  readonly #service: string;
  #close: () => void = () => {};

  constructor(service: string) {
    this.#service = service;
  }

  async follow(api: Api): Promise<void> {
    const events = await api.events(`/v1/services/${this.#service}/events`);
    this.#close = () => events.close();
    void (async () => {
      for (;;) {
        const received = await events.next();
        if (received === null) return;
        const { event, data } = received;
        if (event === 'claim') this.claims.push(data);
        else if (event === 'transition') this.claims.push(data.claim);
      }
    })().catch(() => {});
  }

  /** The place in the log from which later lines are counted. */
  get mark(): number {
    return Math.max(0, this.claims.length - 1);
  }

  /** Everything that was shown since the mark: states, and the causes of those that are neither green nor unknown. */
  statesSince(mark: number): string {
    const words = ({ state, cause }: AnyClaim) =>
      state === 'running' || state === 'unknown' ? state : `${state} ${cause?.code}`;
    return [...new Set(this.claims.slice(mark).map(words))].toSorted().join(', ');
  }

  /** The newest claim, once it is so. */
  async becomes(expected: object): Promise<AnyClaim> {
    await vi.waitFor(
      () => expect(this.claims.at(-1), `${this.#service}: ${this.#told(0)}`).toMatchObject(expected),
      COMES_TRUE,
    );
    return this.claims.at(-1);
  }

  /** The first claim since the mark that is so; it may have passed. */
  async showed(mark: number, expected: object): Promise<AnyClaim> {
    const isSo = (claim: AnyClaim) => {
      try {
        expect(claim).toMatchObject(expected);
        return true;
      } catch {
        return false;
      }
    };
    await vi.waitFor(
      () => expect(this.claims.slice(mark).some(isSo), `${this.#service}: ${this.#told(mark)}`).toBe(true),
      COMES_TRUE,
    );
    return this.claims.slice(mark).find(isSo);
  }

  close(): void {
    this.#close();
  }

  #told(mark: number): string {
    return this.claims
      .slice(mark)
      .map(({ state, cause, desired }) => `r${desired?.revision} ${state} ${cause?.code ?? ''}`.trim())
      .join(', ');
  }
}

interface AgentOptions {
  readonly kubeconfig: string;
  readonly target: string;
  readonly namespaces?: readonly string[];
  readonly defaultNamespace?: string;
  readonly deploys?: boolean;
  readonly dir?: string;
}

interface RunningAgent {
  stop(): Promise<void>;
}

/** Agents and logs of one suite, which end with it. */
export function useObservers(): {
  agent(api: Api, options: AgentOptions): Promise<RunningAgent>;
  log(api: Api, service: string): Promise<ClaimLog>;
  newDirectory(): string;
} {
  const ending: (() => Promise<void> | void)[] = [];
  afterAll(async () => {
    for (const end of ending.toReversed()) await end();
  });
  return {
    newDirectory: () => newDirectory(ending),
    async agent(api, { target, namespaces = [], dir, ...options }) {
      const runtime = await openCluster({
        ...options,
        target,
        namespaces,
        dir: dir ?? newDirectory(ending),
      });
      const client = new Client(api.address, await api.tokenFor('agent', { target }));
      const stop = new AbortController();
      const about = { target, name: `agent-${target}`, version: '0', say: () => {} };
      const ended = runAgent({ client, runtime, ...about }, stop.signal);
      ended.catch((error) => console.error(`the agent of ${target} ended`, error));
      const end = async () => {
        stop.abort();
        await ended.catch(() => {});
        await runtime.close();
      };
      ending.push(end);
      return { stop: end };
    },
    async log(api, service) {
      await vi.waitFor(async () => {
        const { status } = await api.get(`/v1/services/${service}`);
        expect(status, service).toBe(200);
      }, COMES_TRUE);
      const log = new ClaimLog(service);
      await log.follow(api);
      ending.push(() => log.close());
      return log;
    },
  };
}

function newDirectory(ending: (() => void)[]): string {
  const dir = mkdtempSync(join(tmpdir(), 'evident-agent-'));
  ending.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Served } from './served.ts';

const AT_ONCE = 16;
const TEMPLATE = 'f00d';

/** An agent that observes services of a target by the protocol alone: they run, until it is told to be silent. */
export class ScriptedAgent {
  readonly target: string;
  readonly services: number;
  readonly #send: (body: object) => Promise<unknown>;
  readonly #everyMs: number;
  readonly #instances: readonly object[];
  readonly #entries: readonly object[];
  #seq = 0;
  #base = '0';
  #isSilent = false;
  #isStopped = false;
  /** Counts the reports without news that were answered. */
  #heard = 0;
  #turns: Promise<void> = Promise.resolve();

  private constructor(
    target: string,
    services: readonly string[],
    everyMs: number,
    send: (body: object) => Promise<unknown>,
  ) {
    this.target = target;
    this.services = services.length;
    this.#everyMs = everyMs;
    this.#send = send;
    this.#entries = services.map((service) => ({ service, template: TEMPLATE, replicas: 1 }));
    this.#instances = services.map((service) => ({
      ...{ uid: service, name: service, service, template: TEMPLATE },
      ...{ phase: 'running', ready: true, restarts: 0, containers: [] },
    }));
  }

  /** Creates the services, and reports that they run. */
  static async start(
    served: Served,
    target: string,
    count: number,
    everyMs: number,
    admin?: string,
  ): Promise<ScriptedAgent> {
    const services = Array.from({ length: count }, (_, i) => `s${i}@${target}`);
    const spec = { replicas: 1, port: null };
    for (let n = 0; n < count; n += AT_ONCE)
      await Promise.all(
        services
          .slice(n, n + AT_ONCE)
          .map((service) =>
            served.call('POST', `/v1/services/${service}/deployments`, { observe: true, spec }, admin),
          ),
      );
    const { token } = await served.call('POST', '/v1/tokens', { role: 'agent' }, admin);
    const registration = { agent: target, instance: `${target}-1`, version: '1', identity: target };
    const { epoch } = await served.call('POST', `/v1/targets/${target}/registrations`, registration, token);
    const agent = new ScriptedAgent(target, services, everyMs, (body) =>
      served.call('POST', `/v1/targets/${target}/reports`, { epoch, scope: '*', ...body }, token),
    );
    await agent.#report();
    await agent.#report();
    agent.#turns = agent.#speak();
    return agent;
  }

  pause(): void {
    this.#isSilent = true;
  }

  async resume(): Promise<void> {
    await this.#report();
    this.#isSilent = false;
  }

  /** Resolves when so many more reports without news were answered, the one under way not counted. */
  async heard(times: number): Promise<void> {
    for (const until = this.#heard + times + 1; this.#heard < until; ) await wait(this.#everyMs / 10);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#turns;
  }

  async #speak(): Promise<void> {
    while (!this.#isStopped) {
      if (!this.#isSilent) {
        await this.#send({ seq: this.#next(), base: this.#base, watchAgeMs: 0 });
        this.#heard += 1;
      }
      await wait(this.#everyMs);
    }
  }

  #report(): Promise<unknown> {
    this.#base = this.#next();
    return this.#send({
      ...{ seq: this.#base, complete: true, watchAgeMs: 0 },
      ...{ instances: this.#instances, services: this.#entries },
    });
  }

  #next(): string {
    this.#seq += 1;
    return String(this.#seq);
  }
}

import { join } from 'node:path';
import { digestOf, Leash, tarOf } from '../lab/bytes.ts';
import { Program } from '../lab/program.ts';
import type { Served } from './served.ts';
import { BenchViewer, is } from './viewer.ts';

export const SERVICE = 'web@lab';

/** Instants that the app prints: when its process began and when it listened, by the machine's clock. */
export interface AppTimes {
  readonly pid: number;
  readonly revision: number;
  readonly beganAt: number;
  readonly listenedAt: number;
}

/** A real agent with the process runtime, an app that is deployed there again and again, and somebody who watches. */
export class BenchTarget {
  readonly served: Served;
  readonly agent: Program;
  readonly leash: Leash;
  readonly stabilityMs: number;
  readonly #builder: string;
  #viewer: BenchViewer | null = null;
  #made = 0;
  #url = '';

  private constructor(parts: {
    served: Served;
    agent: Program;
    leash: Leash;
    builder: string;
    stabilityMs: number;
  }) {
    this.served = parts.served;
    this.agent = parts.agent;
    this.leash = parts.leash;
    this.#builder = parts.builder;
    this.stabilityMs = parts.stabilityMs;
  }

  /** For as long as `act` takes, with the first revision running; whatever becomes of it, nothing is left behind. */
  static async with<T>(
    served: Served,
    stabilityMs: number,
    act: (target: BenchTarget) => Promise<T>,
  ): Promise<T> {
    const leash = new Leash();
    const agent = Program.start(
      [
        'agent',
        '--trust-apps',
        '--target',
        'lab',
        '--router-port',
        '0',
        '--data',
        join(leash.dir, 'agent'),
        '-o',
        'json',
      ],
      { EVIDENT_SERVER: served.address, EVIDENT_TOKEN: await served.tokenFor('agent') },
    );
    let target: BenchTarget | undefined;
    try {
      await agent.line(/"event":"ready"/);
      const builder = await served.tokenFor('builder');
      target = new BenchTarget({ served, agent, leash, builder, stabilityMs });
      const first = await target.deploy(await target.artifact());
      target.#viewer = await BenchViewer.open(served, SERVICE);
      await target.viewer.when(is('running', first));
      return await act(target);
    } finally {
      if (target !== undefined) target.#viewer?.close();
      await agent.end();
      leash.cut();
    }
  }

  get viewer(): BenchViewer {
    if (this.#viewer === null) throw new Error('nobody watches yet');
    return this.#viewer;
  }

  /** The app's script; each one differs, so that nothing of the one before can be used again. */
  script(): string {
    this.#made += 1;
    return `
const { createServer } = require('node:http');
let listenedAt = 0;
const server = createServer((_, answer) => answer.end(JSON.stringify({
  pid: process.pid,
  revision: Number(process.env.EVIDENT_REVISION),
  beganAt: performance.timeOrigin,
  listenedAt,
}))).listen(Number(process.env.PORT), '127.0.0.1', () => {
  listenedAt = performance.timeOrigin + performance.now();
  console.log('listens ' + ${this.#made});
});
${this.leash.script}`;
  }

  /** Ready-made: the store holds the bytes. */
  async artifact(): Promise<string> {
    const bytes = await tarOf({ 'app.js': this.script() });
    const digest = digestOf(bytes);
    await this.served.upload(`/v1/artifacts/${digest}`, bytes, this.#builder);
    return digest;
  }

  /** Answers the revision that it became. */
  async deploy(artifact: string): Promise<number> {
    const spec = { command: ['node', 'app.js'], port: 3000, stabilityMs: this.stabilityMs };
    const path = `/v1/services/${SERVICE}/deployments`;
    return (await this.served.call('POST', path, { artifact, spec })).revision;
  }

  /** Asked where its users ask. */
  async app(): Promise<AppTimes> {
    if (this.#url === '') this.#url = (await this.served.call('GET', `/v1/services/${SERVICE}`)).urls.at(-1);
    const answer = await fetch(this.#url);
    if (!answer.ok) throw new Error(`the app answered ${answer.status}`);
    return (await answer.json()) as AppTimes;
  }
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { BenchDatabase } from './databases.ts';
import { fleetReport } from './fleet-agent.ts';
import { Wire } from './wire.ts';

/** The name under which the benchmarks' own program serves as the other one. */
export const SERVE_SNAPSHOTS = 'serve-snapshots';

/** A program that keeps the newest snapshot of each service in a row and knows nothing else, as a process of its own. */
export class PlainSnapshots {
  readonly #child: ChildProcess;
  readonly #wire: Wire;

  private constructor(child: ChildProcess, address: string) {
    this.#child = child;
    this.#wire = new Wire(address, 'none');
  }

  static async start(database: BenchDatabase): Promise<PlainSnapshots> {
    const where = await database.create('snapshots');
    const child = fork(process.argv[1] ?? '', [SERVE_SNAPSHOTS, database.name, where]);
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('plain snapshots did not start')));
    const [port] = (await Promise.race([once(child, 'message'), ended])) as [number];
    ended.catch(() => {});
    return new PlainSnapshots(child, `http://127.0.0.1:${port}`);
  }

  /** Services a second, from the first report to the answer to the last. */
  async firstReports(targets: readonly string[], services: number, atOnce: number): Promise<number> {
    const bodies = targets.map((target) => `{${fleetReport(target, services)}}`);
    const began = performance.now();
    let next = 0;
    const some = async () => {
      for (let n = next++; n < bodies.length; n = next++) {
        const { status, text } = await this.#wire.post('/', bodies[n] as string);
        if (status !== 200) throw new Error(`plain snapshots: ${status} ${text}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, some));
    return (targets.length * services) / ((performance.now() - began) / 1000);
  }

  async close(): Promise<void> {
    this.#wire.close();
    this.#child.kill();
    await once(this.#child, 'exit');
  }
}

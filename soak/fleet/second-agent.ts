import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../lab/free-port.ts';
import { SOAK_TARGET } from '../apps.ts';
import type { SoakFleet } from './fleet.ts';
import { FleetPart } from './part.ts';

/** An agent of the same target with a data directory, a router and so an identity of its own. */
export class SecondAgent {
  readonly #part: FleetPart;
  readonly #killNow: () => void;
  readonly dir: string;
  readonly routerPort: number;

  private constructor(part: FleetPart, dir: string, routerPort: number) {
    this.#part = part;
    this.#killNow = () => part.killNow();
    process.once('exit', this.#killNow);
    this.dir = dir;
    this.routerPort = routerPort;
  }

  static async start({ disk, servers: [first], agentToken }: SoakFleet): Promise<SecondAgent> {
    if (first === undefined) throw new Error('a fleet has a server');
    const dir = mkdtempSync(join(disk.dir, 'second-'));
    const routerPort = await freePort();
    const args = [
      ...['agent', '--trust-apps', '--target', SOAK_TARGET, '--data', dir],
      ...['--router-port', String(routerPort)],
    ];
    const env = { EVIDENT_SERVER: first.client.server, EVIDENT_TOKEN: agentToken };
    // It may end by itself at any time: the first agent takes over again.
    const part = await FleetPart.start('second agent', args, env, () => {});
    return new SecondAgent(part, dir, routerPort);
  }

  get identity(): string {
    return readFileSync(join(this.dir, 'runtime', SOAK_TARGET, 'identity'), 'utf8').trim();
  }

  async kill(): Promise<void> {
    this.#part.killNow();
    await this.#part.close();
    process.off('exit', this.#killNow);
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

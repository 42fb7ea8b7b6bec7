import { getArtifact } from '../client/artifacts.ts';
import type { Client } from '../client/client.ts';
import type { Isolation } from '../runtime/process/isolation.ts';
import { openProcessRuntime, type ProcessRuntime } from '../runtime/process/runtime.ts';
import type { RouterPort } from '../runtime/supervise/router-port.ts';
import type { Timing } from '../runtime/supervise/timing.ts';
import { runAgent } from './agent.ts';

/** A router calls these by itself, without being asked. */
export interface RouterEvents {
  /** An instance refused a connection or broke one off: it is observed at once. */
  readonly onRefused: (uid: string) => void;
  /** The router has ended, or answers again: every route is proven at once. */
  readonly onTurn: () => void;
}

interface ProcessAgentOptions {
  readonly client: Client;
  readonly target: string;
  readonly name: string;
  readonly version: string;
  /** The directory of everything that runs here; one agent at a time may have it. */
  readonly dir: string;
  /** The directory of unpacked artifacts, if it is not inside `dir`. */
  readonly artifacts?: string;
  /** Makes the router of the place, which reports to the runtime. */
  readonly router: (events: RouterEvents) => RouterPort;
  /** Keeps apps from each other and from us; if not named, nothing does. */
  readonly isolation?: Isolation;
  readonly timing?: Partial<Timing>;
  readonly say: (line: string) => void;
}

/** An agent whose services are processes of this machine, behind a router of their own. */
export class ProcessAgent {
  readonly runtime: ProcessRuntime;
  readonly router: RouterPort;
  readonly #options: ProcessAgentOptions;

  private constructor(options: ProcessAgentOptions, runtime: ProcessRuntime, router: RouterPort) {
    this.#options = options;
    this.runtime = runtime;
    this.router = router;
  }

  /** Adopts and serves what runs already, even if no server can be reached. */
  static async open(options: ProcessAgentOptions): Promise<ProcessAgent> {
    const { client, dir, artifacts, timing, say, isolation } = options;
    let opened: ProcessRuntime | null = null;
    const router = options.router({
      onRefused: (uid) => opened?.refreshInstance(uid),
      onTurn: () => opened?.proveRoutes(),
    });
    opened = await openProcessRuntime({
      dir,
      router,
      say,
      fetch: async (digest, signal) => getArtifact(client, digest, signal),
      ...(artifacts && { artifacts }),
      ...(isolation && { isolation }),
      ...(timing && { timing }),
    });
    return new ProcessAgent(options, opened, router);
  }

  /** The number of instances, running or not. */
  async instanceCount(): Promise<number> {
    const scopes = await this.runtime.observe();
    return scopes.reduce((count, { instances }) => count + instances.length, 0);
  }

  /** Acts until `stop`, or until another agent takes its place. What runs goes on running. */
  async run(stop: AbortSignal, ready?: () => void): Promise<void> {
    const { client, target, name, version, say } = this.#options;
    try {
      await runAgent(
        { client, runtime: this.runtime, target, name, version, say, ...(ready && { ready }) },
        stop,
      );
    } finally {
      await this.runtime.close();
    }
  }
}

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchArtifact } from '../port.ts';
import type { RouterPort } from '../supervise/router-port.ts';
import { SupervisedRuntime } from '../supervise/runtime.ts';
import { TIMING, type Timing } from '../supervise/timing.ts';
import { Containment } from './containment.ts';
import { identityOf } from './identity.ts';
import { ProcessInstances } from './instances.ts';
import { type Isolation, NO_ISOLATION } from './isolation.ts';
import type { ProcessId } from './proc.ts';
import { Unpacked } from './unpacked.ts';

interface ProcessRuntimeOptions {
  /** The directory of everything that this place stores and runs; one agent at a time may have it open. */
  readonly dir: string;
  /** The directory of unpacked artifacts, if it is not inside `dir`. */
  readonly artifacts?: string;
  readonly fetch: FetchArtifact;
  readonly router: RouterPort;
  readonly timing?: Partial<Timing>;
  /** Holds an instance together; if not named, by the best that this machine can do. */
  readonly containment?: Containment;
  /** Keeps apps from each other and from us; if not named, nothing does. */
  readonly isolation?: Isolation;
  /** Prints a line for the operator that nobody waits for. */
  readonly say?: (line: string) => void;
}

/** Said at start where nothing holds the processes of an app together (F117). */
const NOT_CONTAINED =
  'There is no cgroup (version 2) that Evident may write to, and no namespace that it may make: what an app starts and then leaves, as a daemon does, may outlive it.';

/** Services as process groups on this machine, behind a router of their own. */
export type ProcessRuntime = SupervisedRuntime<ProcessId>;

export async function openProcessRuntime(options: ProcessRuntimeOptions): Promise<ProcessRuntime> {
  const { dir, artifacts, fetch, router, timing, say, containment, isolation = NO_ISOLATION } = options;
  if (process.platform !== 'linux')
    throw new Error('The process runtime knows processes by /proc, which only Linux has.');
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const identity = await identityOf(dir);
  const held = containment ?? Containment.probe(isolation);
  if (held.kind === 'none') say?.(NOT_CONTAINED);
  const port = new ProcessInstances({
    runtime: identity,
    homes: join(dir, 'instances'),
    containment: held,
    isolation,
    unpacked: new Unpacked(
      isolation.kind === 'users' ? join(isolation.apps, 'artifacts') : (artifacts ?? join(dir, 'artifacts')),
      fetch,
    ),
    oomEveryMs: timing?.pidEveryMs ?? TIMING.pidEveryMs,
    ...(say && { say }),
  });
  return SupervisedRuntime.open({
    identity,
    records: join(dir, 'services'),
    ...{ port, router },
    ...(timing && { timing }),
    ...(say && { say }),
  });
}

import { randomUUID } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, ProblemAnswer } from '../client/client.ts';
import { type AcquiredLease, acquireLease, LeaseKeeper } from '../client/lease.ts';
import { backOffMs, isTransient, OutageLog } from '../client/persist.ts';
import { Refusal } from '../contract/refusal.ts';
import { Containment } from '../runtime/process/containment.ts';
import { type Isolation, NO_ISOLATION, passage } from '../runtime/process/isolation.ts';
import { BuildCommand, type BuildResult } from './build-command.ts';
import { clearLeftovers } from './build-directory.ts';
import type { BuildInput, BuildResources } from './build-job.ts';

interface WorkerOptions {
  readonly client: Client;
  /** Name of the worker in `/v1/workers`. */
  readonly name: string;
  /** Working directory. Workers of one machine may share it. */
  readonly dir: string;
  /** Directory of its caches, which belong to one org. */
  readonly caches: string;
  /** Number of builds at a time. */
  readonly concurrency: number;
  /** No build starts while less free space is left. */
  readonly minFreeBytes: number;
  /** Keeps builds from each other and from us; if not named, nothing does. */
  readonly isolation?: Isolation;
  /** Variables of the worker's own environment that builds may see. */
  readonly pass: readonly string[];
  /** Writes a line for the operator. */
  readonly say: (line: string) => void;
}

/** The server refuses this worker, and waiting would not change that. */
class WorkerRefused extends Refusal {
  override readonly name = 'WorkerRefused';
}

const WAIT_MS = 20_000;

/** Carries out build commands until `stop` is aborted, then releases its leases and returns. */
export async function runWorker(options: WorkerOptions, stop: AbortSignal): Promise<void> {
  const { client, pass, minFreeBytes, say, isolation = NO_ISOLATION } = options;
  const { places, caches } = await openPlaces(options, isolation);
  await clearPlaces(places, say);
  const resources: BuildResources = {
    client,
    places,
    caches,
    pass,
    minFreeBytes,
    isolation,
    containment: Containment.probe(isolation),
    say,
    outages: new OutageLog(say),
  };
  const lanes = Array.from({ length: options.concurrency }, () => lane(options, resources, stop));
  await Promise.all(lanes);
}

/** Real paths: a build that sees only its own directories sees no link on the way to them. */
async function openPlaces(
  { dir, caches }: WorkerOptions,
  isolation: Isolation,
): Promise<{ places: string; caches: string }> {
  const places = join(dir, 'places');
  if (isolation.kind === 'users') for (const path of [dir, places, caches]) passage(path);
  else for (const path of [places, caches]) await mkdir(path, { recursive: true, mode: 0o700 });
  return { places: await realpath(places), caches: await realpath(caches) };
}

async function clearPlaces(places: string, say: (line: string) => void): Promise<void> {
  const { cleared, stuck } = await clearLeftovers(places);
  if (cleared > 0) say(`Removed what ${cleared} build(s) left behind when their worker was killed.`);
  for (const dir of stuck)
    say(`What a killed worker’s build left in ${dir} does not end, even killed; the next start tries again.`);
}

/**
 * Runs one build at a time. Each lane registers as an instance of its own: the server offers the same command
 * again to an instance that repeats its request, because it takes that for a lost answer.
 */
async function lane(options: WorkerOptions, resources: BuildResources, stop: AbortSignal): Promise<void> {
  const instance = randomUUID();
  for (let failures = 0; !stop.aborted; ) {
    try {
      const lease = await nextLease(options, instance, stop);
      resources.outages.passed();
      failures = 0;
      if (lease !== null) await carryOut(options, resources, lease, stop);
    } catch (error) {
      if (stop.aborted) return;
      if (error instanceof ProblemAnswer && !isTransient(error))
        throw new WorkerRefused(`The server refuses this worker. ${error.message}`);
      if (!isTransient(error)) throw error;
      resources.outages.failed(error);
      const retryAfterMs = error instanceof ProblemAnswer ? (error.retryAfterMs ?? 0) : 0;
      await wait(Math.max(retryAfterMs, backOffMs(failures++)), undefined, { signal: stop }).catch(() => {});
    }
  }
}

function nextLease(
  { client, name }: WorkerOptions,
  instance: string,
  signal: AbortSignal,
): Promise<AcquiredLease<BuildInput> | null> {
  return acquireLease<BuildInput>(
    client,
    { kinds: ['build'], worker: name, instance },
    { waitMs: WAIT_MS, signal },
  );
}

async function carryOut(
  { client, say }: WorkerOptions,
  resources: BuildResources,
  lease: AcquiredLease<BuildInput>,
  stop: AbortSignal,
): Promise<void> {
  const held = await LeaseKeeper.take(client, lease, resources.outages);
  if (held === null) return;
  const what = `${lease.service} r${lease.revision} attempt ${lease.attempt}`;
  say(`${what}: building (fence ${lease.fence})`);
  const startedAt = performance.now();
  // Cleans up here too: a worker that shares this directory may have been killed since, and its builds take
  // up space.
  await clearPlaces(resources.places, say).catch((error: Error) => say(error.message));
  const ended = await new BuildCommand(resources, held).run(stop);
  say(`${what}: ${WORDS[ended]}, after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

const WORDS = {
  stored: 'artifact stored',
  reused: 'unchanged, the artifact of the last build',
  failed: 'the build failed',
  cancelled: 'cancelled',
  superseded: 'stopped, a newer revision has taken its place',
  released: 'given back',
  lost: 'stopped, the lease is no longer ours',
} as const satisfies Record<BuildResult, string>;

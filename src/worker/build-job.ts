import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chown, mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FreeSpace } from '../artifact/free-space.ts';
import { packed } from '../artifact/pack.ts';
import { unpackSource } from '../artifact/unpack.ts';
import { type BuildPlan, build } from '../build/build.ts';
import { DependencyCache } from '../build/dependency-cache.ts';
import type { LogSink } from '../build/run-step.ts';
import type { StepContainer } from '../build/step-container.ts';
import { getArtifact, hasArtifact, putArtifact } from '../client/artifacts.ts';
import type { Client } from '../client/client.ts';
import { type OutageLog, persist } from '../client/persist.ts';
import type { Spec } from '../contract/intent.ts';
import { type Containment, endContainer } from '../runtime/process/containment.ts';
import { viewOf } from '../runtime/process/file-view.ts';
import { give, type Isolation, ownerOf, passage } from '../runtime/process/isolation.ts';
import type { BuildDirectory } from './build-directory.ts';
import { BuildMemory, type BuiltArtifact } from './build-memory.ts';

export interface BuildInput {
  readonly source: string | null;
  readonly spec: Spec;
}

export interface BuildResources {
  readonly client: Client;
  /** Directory in which builds have their own directories. */
  readonly places: string;
  /** Directory of dependencies and artifacts kept from earlier builds. */
  readonly caches: string;
  readonly minFreeBytes: number;
  /** Keeps builds from each other and from us. */
  readonly isolation: Isolation;
  /** Holds together what a build starts. */
  readonly containment: Containment;
  /** Variables of the worker's own environment that builds may see. */
  readonly pass: readonly string[];
  readonly outages: OutageLog;
  /** Writes a line for the operator. */
  readonly say: (line: string) => void;
}

interface BuildJob {
  readonly service: string;
  readonly source: string;
  readonly spec: Spec;
  readonly place: BuildDirectory;
  readonly log: LogSink;
  readonly signal: AbortSignal;
  readonly progress: (step: number, total: number | null, message: string) => void;
}

/** Turns a source into an artifact that the server holds. Both are streamed, never in memory as a whole. */
export async function buildArtifact(resources: BuildResources, job: BuildJob): Promise<BuiltArtifact> {
  const { client, places, outages } = resources;
  const { place, signal, progress } = job;
  await new FreeSpace(places, resources.minFreeBytes).check();
  // Step 0: the steps of the build itself count from 1.
  progress(0, null, 'fetching the source');
  await persist(() => fetchSource(client, job.source, place.source, signal), signal, outages);
  await unpackSource(place.source, place.app, signal);
  await rm(place.source);
  const user = ownerOf(resources.isolation, job.service)?.user ?? null;
  if (user !== null) await give(place.dir, user);
  let total = 0;
  const plan = await buildIn(resources, job, (step, steps, message) => {
    total = steps;
    progress(step, steps, message);
  });
  progress(total, total, 'packing and storing the artifact');
  const artifact = await packInto(place.app, place.artifact, signal);
  job.log.push(`Artifact ${artifact.digest}, ${artifact.size} bytes.`);
  const open = () => createReadStream(place.artifact);
  await putArtifact(client, artifact.digest, open, { signal, outages });
  return { ...artifact, plan };
}

/** The artifact built from this source before, if the server still has it. */
export async function findBuiltArtifact(
  { client, outages }: BuildResources,
  before: BuildMemory,
  key: string,
  signal: AbortSignal,
): Promise<BuiltArtifact | null> {
  const built = await before.find(key);
  if (built === null) return null;
  if (await persist(() => hasArtifact(client, built.digest, signal), signal, outages)) return built;
  await before.forget(key);
  return null;
}

/** Kept per service in this worker's directory, so that no service gets bytes of another's build. */
export const buildMemoryOf = ({ caches }: BuildResources, service: string) =>
  new BuildMemory(join(caches, service, 'built'));

async function buildIn(
  resources: BuildResources,
  { service, spec, place, log, signal }: BuildJob,
  onStep: (step: number, total: number, message: string) => void,
): Promise<BuildPlan> {
  const caches = join(resources.caches, service);
  const owner = ownerOf(resources.isolation, service);
  const user = owner?.user ?? null;
  // Installed dependencies and built artifacts stay ours: a build could make others of them for the next.
  const tools = owner === null ? caches : join(caches, 'tools');
  if (user !== null) passage(caches);
  if (owner !== null) await mkdir(tools, { recursive: true, mode: 0o700 });
  if (user !== null) await chown(tools, user.uid, user.gid);
  return build({
    dir: place.app,
    home: place.home,
    spec,
    cache: new DependencyCache(join(caches, 'installed')),
    toolCaches: {
      npm_config_cache: join(tools, 'npm'),
      PIP_CACHE_DIR: join(tools, 'pip'),
      GOCACHE: join(tools, 'go-build'),
      GOMODCACHE: join(tools, 'go-modules'),
    },
    own: process.env,
    ...(user && { user: { ...user, give: (path: string) => give(path, user) } }),
    ...containerOf(resources, place, [place.app, place.home, tools]),
    pass: resources.pass,
    log,
    signal,
    onStep,
  });
}

/** None where nothing holds processes together. */
function containerOf(
  { isolation, containment }: BuildResources,
  { home, held }: BuildDirectory,
  own: readonly string[],
): { readonly container?: StepContainer } {
  if (containment.kind === 'none') return {};
  const view = () =>
    isolation.kind === 'namespaces' ? viewOf(isolation.hidden, own, join(home, 'tmp')) : null;
  return {
    container: {
      command: (words, dir) => containment.command(words, dir, view()),
      begin: (child) => containment.begin(held, basename(held), child),
      end: () => endContainer(held),
    },
  };
}

async function fetchSource(client: Client, digest: string, file: string, signal: AbortSignal): Promise<void> {
  await pipeline(Readable.from(getArtifact(client, digest, signal)), createWriteStream(file), { signal });
}

async function packInto(
  dir: string,
  file: string,
  signal: AbortSignal,
): Promise<{ digest: string; size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  const hashing = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(Readable.from(packed(dir), { objectMode: false }), hashing, createWriteStream(file), {
    signal,
  });
  return { digest: `sha256:${hash.digest('hex')}`, size };
}

import { setTimeout as wait } from 'node:timers/promises';
import { BuildFailure } from '../build/recipe.ts';
import { LeaseEnded, type LeaseKeeper } from '../client/lease.ts';
import { LogShipper } from '../client/log-shipper.ts';
import { evidence, Outbox } from '../client/outbox.ts';
import type { ItemResult } from '../contract/evidence.ts';
import { longSpan, span } from '../contract/presentation/times.ts';
import type { Kind } from '../contract/vocabulary.ts';
import { createBuildDirectory, removeBuild } from './build-directory.ts';
import {
  type BuildInput,
  type BuildResources,
  buildArtifact,
  buildMemoryOf,
  findBuiltArtifact,
} from './build-job.ts';
import { BuildMemory, type BuiltArtifact } from './build-memory.ts';
import { asBuildFailure } from './failure.ts';

/** The worker is stopping: its command goes back to the queue. */
class Stopping extends Error {
  override readonly name = 'Stopping';
}

const FLUSH_MS = 1_000;

/** The result of one lease, for the worker's own log. */
export type BuildResult = 'stored' | 'reused' | 'failed' | 'cancelled' | 'superseded' | 'released' | 'lost';

/**
 * Carries out one build command under its lease, and submits its result: exactly one of `artifact.stored`,
 * `build.failed` and `cancel.acknowledged`, or nothing when the lease is no longer held (S3, S4).
 */
export class BuildCommand {
  readonly #resources: BuildResources;
  readonly #held: LeaseKeeper<BuildInput>;
  readonly #log: LogShipper;
  readonly #outbox: Outbox;
  readonly #job = new AbortController();
  #clearing: Promise<void> = Promise.resolve();

  constructor(resources: BuildResources, held: LeaseKeeper<BuildInput>) {
    const { client, outages } = resources;
    const { service, revision, attempt, command, fence } = held.lease;
    this.#resources = resources;
    this.#held = held;
    this.#outbox = new Outbox(client, held.speak, outages);
    this.#log = new LogShipper(
      client,
      { service, revision, attempt, command, fence, stream: 'build' },
      { signal: held.speak, outages },
    );
  }

  async run(stop: AbortSignal): Promise<BuildResult> {
    const held = this.#held;
    const onLease = () => this.#job.abort(held.work.reason);
    const onStop = () => this.#job.abort(new Stopping('the worker was stopped'));
    held.work.addEventListener('abort', onLease);
    stop.addEventListener('abort', onStop);
    if (held.work.aborted) onLease();
    if (stop.aborted) onStop();
    let timer: NodeJS.Timeout | undefined;
    try {
      const { buildMs } = held.lease.input.spec.deadlines ?? {};
      if (buildMs !== undefined) timer = setTimeout(() => this.#tooLong(buildMs), buildMs);
      return await this.#build();
    } catch (error) {
      return await this.#stopped(this.#job.signal.aborted ? this.#job.signal.reason : error);
    } finally {
      clearTimeout(timer);
      held.work.removeEventListener('abort', onLease);
      stop.removeEventListener('abort', onStop);
      held.close();
      await this.#clearing;
    }
  }

  #tooLong(buildMs: number): void {
    this.#job.abort(
      new BuildFailure(
        'build_timed_out',
        `The build took longer than ${buildMs < 60_000 ? span(buildMs) : longSpan(buildMs)}.`,
      ),
    );
  }

  async #build(): Promise<BuildResult> {
    const { service, input } = this.#held.lease;
    const { source, spec } = input;
    if (source === null) throw new BuildFailure('builder_failed', 'This command has no source.');
    const before = buildMemoryOf(this.#resources, service);
    const key = BuildMemory.key(source, spec);
    const earlier = await findBuiltArtifact(this.#resources, before, key, this.#job.signal);
    if (earlier !== null && (await this.#reuse(earlier, source))) return 'reused';
    this.#job.signal.throwIfAborted();
    const built = await this.#make(source);
    await this.#log.flush();
    const stored = await this.#store(built);
    if (stored) await before.remember(key, built);
    return stored ? 'stored' : 'lost';
  }

  /**
   * Returns false if the server has deleted the bytes since it said that it has them: then the source is built after all.
   */
  async #reuse(built: BuiltArtifact, source: string): Promise<boolean> {
    this.#log.push(
      `The source ${source} was built before by this builder, and nothing that matters has changed.`,
    );
    this.#log.push(`It is not built again: ${built.digest}, ${built.size} bytes.`);
    this.#progress(1, 1, 'unchanged: the artifact of the last build');
    await this.#log.flush();
    try {
      return await this.#store(built);
    } catch (error) {
      if (!(error instanceof BuildFailure)) throw error;
      this.#log.push('The server no longer has it: it is built again.');
      return false;
    }
  }

  async #make(source: string): Promise<BuiltArtifact> {
    const { service, input } = this.#held.lease;
    const place = await createBuildDirectory(this.#resources.places);
    try {
      return await buildArtifact(this.#resources, {
        service,
        source,
        spec: input.spec,
        place,
        log: this.#log,
        signal: this.#job.signal,
        progress: (step, total, message) => this.#progress(step, total, message),
      });
    } finally {
      // The deletion is not awaited: the result is submitted first, and a large directory takes time to delete.
      this.#clearing = removeBuild(place).catch((error: Error) =>
        this.#resources.say(`${place.dir} could not be removed: ${error.message}`),
      );
    }
  }

  #progress(step: number, total: number | null, message: string): void {
    // The sending is not awaited: if it cannot be sent any more, the lease's signal ends the build.
    void this.#prove('build.progress', { step, ...(total === null ? {} : { total }), message }).catch(
      () => {},
    );
  }

  /** Returns false when the lease is no longer held. Any other rejection is a defect of this builder. */
  async #store({ digest, size, plan }: BuiltArtifact): Promise<boolean> {
    this.#job.signal.throwIfAborted();
    if (!this.#held.isOurs) this.#job.signal.throwIfAborted();
    const { verdict, reason } = await this.#prove('artifact.stored', { digest, size, plan });
    if (verdict === 'admitted') return true;
    if (reason?.startsWith('stale_')) return false;
    throw new BuildFailure('builder_failed', `The server refuses the artifact: ${reason}.`);
  }

  #prove(kind: Kind, body: object): Promise<ItemResult> {
    return this.#outbox.send(evidence(this.#held.lease, kind, body));
  }

  /** Submits the last evidence of a lease, and returns whether it was admitted. */
  async #says(kind: Kind, body: object): Promise<boolean> {
    const said = await this.#prove(kind, body).catch(() => null);
    return said?.verdict === 'admitted';
  }

  /**
   * All processes of the build have ended. What remains is to submit that, as far as the lease still allows.
   */
  async #stopped(why: unknown): Promise<BuildResult> {
    if (why instanceof Stopping) {
      this.#log.push('The builder is being stopped: another one takes the build over.');
      await this.#flushBriefly();
      await this.#held.release(why.message);
      return 'released';
    }
    if (why instanceof LeaseEnded) return this.#ended(why);
    const failure = asBuildFailure(why);
    const { code, exitCode, retrySafe } = failure;
    this.#log.push(`The build failed: ${failure.message.split('\n')[0]}`);
    await this.#log.flush();
    const body = { code, message: failure.message.slice(0, 4_000), retrySafe };
    const said = await this.#says('build.failed', {
      ...body,
      ...(exitCode === undefined ? {} : { exitCode }),
    });
    return said ? 'failed' : 'lost';
  }

  /** A worker that is stopping does not wait for a server that may not answer. */
  async #flushBriefly(): Promise<void> {
    await Promise.race([this.#log.flush(), wait(FLUSH_MS, undefined, { ref: false })]);
  }

  async #ended({ why }: LeaseEnded): Promise<BuildResult> {
    switch (why) {
      case 'cancel_requested': {
        // The acknowledgement goes first: a person waits for it.
        const said = await this.#says('cancel.acknowledged', {});
        this.#log.push('Cancelled: everything that was running for this build has ended.');
        await this.#flushBriefly();
        return said ? 'cancelled' : 'lost';
      }
      case 'superseded':
        await this.#held.release('superseded');
        return 'superseded';
      case 'lost':
      case 'lapsed':
        return 'lost';
    }
  }
}

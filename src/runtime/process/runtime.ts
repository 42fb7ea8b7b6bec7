import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { SourceRejected } from '../../artifact/source-rejected.ts';
import type { Applied, ApplyOrder, FetchArtifact, Observation, Output, Runtime } from '../port.ts';
import type { Router } from '../router/router.ts';
import { type FencedStamp, sameAttempt, shownStamp } from '../stamp.ts';
import { freeInstancePort, freeRoutePort, isFree } from '../supervise/free-port.ts';
import { readOrder } from '../supervise/order.ts';
import { Outputs } from '../supervise/outputs.ts';
import { isCurrent } from '../supervise/plan.ts';
import { emptyRecord, type InstanceRecord, type Launch, type ServiceRecord } from '../supervise/record.ts';
import { hostsOf, Service } from '../supervise/service.ts';
import { StateFile } from '../supervise/state-file.ts';
import { TIMING, type Timing } from '../supervise/timing.ts';
import {
  ApplyRefused,
  checkLaunch,
  environmentOf,
  INSTANCE_VARIABLE,
  RUNTIME_VARIABLE,
} from './environment.ts';
import { identityOf } from './identity.ts';
import { isAlive, markedWith, oomKills, signal } from './proc.ts';
import { Unpacked } from './unpacked.ts';

export interface ProcessRuntimeOptions {
  /** Everything it knows and runs lies here; one process at a time may have it open. */
  readonly dir: string;
  /** Where artifacts are unpacked, if not there. */
  readonly artifacts?: string;
  readonly fetch: FetchArtifact;
  readonly router: Router;
  readonly timing?: Partial<Timing>;
  /** What an operator should know and nobody waits for. */
  readonly say?: (line: string) => void;
}

/** How long requests in hand may go on when the agent itself stops. */
const CLOSE_MS = 5_000;
/** How long the kernel may take to end what was killed. */
const KILLED_MS = 5_000;
const LOOK_EVERY_MS = 10;

/** Services as process groups on this machine, behind a router of their own. */
export class ProcessRuntime implements Runtime {
  readonly identity: string;
  readonly #options: ProcessRuntimeOptions;
  readonly #unpacked: Unpacked;
  readonly #services = new Map<string, Service>();
  /** Orders of one service are carried out one after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #listeners = new Set<() => void>();
  readonly #outputs = new Outputs((uid) => this.#home(uid));
  /** Unpacked for an order that is not yet on record. */
  readonly #needed: string[] = [];
  #ports: Promise<void> = Promise.resolve();
  #oomKills = oomKills();
  #timing: Timing;
  #ticker: NodeJS.Timeout | undefined;

  private constructor(identity: string, options: ProcessRuntimeOptions) {
    this.identity = identity;
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    this.#unpacked = new Unpacked(options.artifacts ?? join(options.dir, 'artifacts'), options.fetch);
  }

  /** Finds what runs and takes it up; the router listens when it knows what there is. */
  static async open(options: ProcessRuntimeOptions): Promise<ProcessRuntime> {
    const { dir } = options;
    if (process.platform !== 'linux')
      throw new Error('The process runtime knows processes by /proc, which only Linux has.');
    for (const part of ['services', 'instances'])
      await mkdir(join(dir, part), { recursive: true, mode: 0o700 });
    const runtime = new ProcessRuntime(await identityOf(dir), options);
    try {
      await runtime.#adopt();
    } catch (error) {
      await runtime.close();
      throw error;
    }
    return runtime;
  }

  apply(order: ApplyOrder, signal: AbortSignal): Promise<Applied> {
    return this.#inTurn(order.service, async () => {
      signal.throwIfAborted();
      try {
        return await this.#apply(order, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ApplyRefused) return refused(error.code, error.message, error.retrySafe);
        if (error instanceof SourceRejected) return refused('artifact_invalid', error.message, false);
        throw error;
      }
    });
  }

  remove(service: string, stamp: FencedStamp, signal: AbortSignal): Promise<void> {
    return this.#inTurn(service, async () => {
      signal.throwIfAborted();
      const found = this.#service(service);
      await found.remove(stamp);
      if (found.record.wanted === null) this.#options.router.delete(service);
      this.#collect();
    });
  }

  pace(reportEveryMs: number): void {
    this.#timing = { ...this.#timing, proveEveryMs: reportEveryMs };
  }

  observe(): Observation {
    const services = [...this.#services.values()];
    const now = performance.now();
    const seenAt = Math.min(now, ...services.map((service) => service.seenAt));
    return {
      instances: services.flatMap((service) => service.instances()),
      services: services.flatMap((service) => service.entry() ?? []),
      watchAgeMs: Math.ceil(now - seenAt),
      stabilityMs: new Map(services.map((service) => [service.name, service.stabilityMs ?? 0])),
    };
  }

  async look(): Promise<void> {
    await Promise.all([...this.#services.values()].map((service) => service.look()));
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  outputs(): readonly Output[] {
    const running = [...this.#services.values()].flatMap(({ name, record: { wanted, instances } }) =>
      // What a scale has kept writes for the revision that kept it: one log for all that runs.
      instances.map((record) => ({
        service: name,
        record,
        stamp: wanted !== null && isCurrent(wanted, record) ? wanted.stamp : record.stamp,
      })),
    );
    return this.#outputs.of(running);
  }

  async close(): Promise<void> {
    clearInterval(this.#ticker);
    await Promise.all([...this.#services.values()].map((service) => service.close()));
    await this.#options.router.close(CLOSE_MS);
  }

  /** An instance refused a request: looked at now, and not at its next turn. */
  lookAt(uid: string): void {
    for (const service of this.#services.values()) service.lookAt(uid);
  }

  async #apply(order: ApplyOrder, signal: AbortSignal): Promise<Applied> {
    const { service: name, stamp, artifact } = order;
    const { wanted, launch } = readOrder(order);
    const service = this.#service(name);
    const newer = service.newerThan(stamp);
    if (newer !== null)
      throw new ApplyRefused(
        'older_than_applied',
        `This place already has ${shownStamp(newer)}, which is newer than ${shownStamp(stamp)}. If the server's database was replaced, give the agent a new directory.`,
      );
    const before = service.record.wanted;
    this.#needed.push(artifact);
    try {
      if (before === null || !sameAttempt(before.stamp, stamp)) {
        if (wanted.replicas > 0) await this.#prepare(name, stamp, launch, signal);
      }
      signal.throwIfAborted();
      if (launch.port) await this.#expose(service);
      signal.throwIfAborted();
      await service.want(wanted, launch);
    } finally {
      this.#needed.splice(this.#needed.indexOf(artifact), 1);
    }
    this.#collect();
    return {
      kind: 'applied',
      objects: service.instances().map((instance) => ({ kind: 'process', name: instance.name })),
    };
  }

  async #prepare(service: string, stamp: FencedStamp, launch: Launch, signal: AbortSignal): Promise<void> {
    await this.#unpacked.ensure(launch.artifact, signal);
    const place = { runtime: this.identity, service, uid: '', stamp, port: 0, home: '/' };
    checkLaunch(launch, this.#unpacked.path(launch.artifact), environmentOf(launch, place));
  }

  async #adopt(): Promise<void> {
    const { dir, router } = this.#options;
    await this.#unpacked.open();
    const marked = markedWith(INSTANCE_VARIABLE);
    const records = await StateFile.all(join(dir, 'services'));
    const known = new Set(records.flatMap((record) => record.instances.map((i) => i.uid)));
    await this.#endStrays(known);
    await Promise.all(records.map((record) => this.#open(record).adopt(marked)));
    for (const uid of await readdir(join(dir, 'instances')))
      if (!known.has(uid)) await rm(this.#home(uid), { recursive: true, force: true });
    await router.listen();
    for (const service of this.#services.values())
      if (service.record.wanted?.port) await this.#expose(service);
    await Promise.all([...this.#services.values()].map((service) => service.look()));
    this.#collect();
    this.#ticker = setInterval(() => {
      for (const service of this.#services.values()) service.checkPids();
      this.#oomKills = oomKills();
    }, this.#timing.pidEveryMs);
  }

  /**
   * Started by an agent of this place, and not on record: nobody would ever stop it. Waited for, because until it is
   * gone it holds what others are given next, a port or a lock.
   */
  async #endStrays(known: ReadonlySet<string>): Promise<void> {
    const ours = new Set(
      markedWith(RUNTIME_VARIABLE)
        .filter(({ value }) => value === this.identity)
        .map(({ id }) => id.pid),
    );
    const strays = markedWith(INSTANCE_VARIABLE).filter(
      ({ id, value }) => ours.has(id.pid) && !known.has(value),
    );
    for (const { id } of strays) {
      this.#options.say?.(`Process ${id.pid} was started here and is on no record: it is ended.`);
      signal(id.pid, 'SIGKILL');
    }
    const left = () => strays.filter(({ id }) => isAlive(id));
    for (let ms = KILLED_MS; ms > 0 && left().length > 0; ms -= LOOK_EVERY_MS) await wait(LOOK_EVERY_MS);
    for (const { id } of left()) this.#options.say?.(`Process ${id.pid} was killed and is still there.`);
  }

  #service(name: string): Service {
    return this.#services.get(name) ?? this.#open(emptyRecord(name));
  }

  #open(record: ServiceRecord): Service {
    const { dir, router, say } = this.#options;
    const runtime = this;
    const service = new Service(
      {
        runtime: this.identity,
        get timing() {
          return runtime.#timing;
        },
        file: new StateFile(join(dir, 'services'), record.service),
        directory: ({ artifact }) => this.#unpacked.path(artifact),
        home: (uid) => this.#home(uid),
        port: (before, take) => this.#freePort(before, take),
        route: (route) => router.set(route),
        ask: (host, path) => router.ask(host, path, this.#timing.probeTimeoutMs),
        drained: (uid) => router.drained(uid, this.#timing.drainMs),
        oomKills: () => this.#oomKills,
        urls: (of) => this.#urls(of),
        changed: () => this.#changed(),
        troubled: (error) => say?.(`${record.service}: ${(error as Error).message}`),
        gone: (instance) => this.#gone(record.service, instance),
      },
      record,
    );
    this.#services.set(record.service, service);
    return service;
  }

  #home(uid: string): string {
    return join(this.#options.dir, 'instances', uid);
  }

  /** One at a time: two that look at once would find the same port free. */
  #freePort(before: number | null, take: (port: number) => void): Promise<void> {
    const mine = this.#ports.then(async () => {
      const taken = new Set<number>();
      for (const { record } of this.#services.values())
        for (const { port } of record.instances) if (port !== null && port !== before) taken.add(port);
      const same = before !== null && !taken.has(before) && (await isFree(before));
      take(same ? before : await freeInstancePort(taken));
    });
    this.#ports = mine.catch(() => {});
    return mine;
  }

  async #expose(service: Service): Promise<void> {
    const { router } = this.#options;
    if (router.isExposed(service.name)) return;
    const before = service.record.routePort;
    const taken = new Set([...this.#services.values()].flatMap(({ record }) => record.routePort ?? []));
    if (before !== null) taken.delete(before);
    for (let port = before; ; port = null) {
      port ??= await freeRoutePort(service.name, taken);
      try {
        await router.expose(service.name, port);
        if (port !== before) await service.setRoutePort(port);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
        taken.add(port);
      }
    }
  }

  #urls({ service, wanted, routePort }: ServiceRecord): string[] {
    const { router } = this.#options;
    const byName = [...hostsOf(service, wanted?.host ?? null)].reverse();
    return [
      ...byName.map((host) => `http://${host}:${router.port}/`),
      ...(routePort === null ? [] : [`http://127.0.0.1:${routePort}/`]),
    ];
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #gone(service: string, record: InstanceRecord): void {
    this.#outputs.gone({ service, record });
    this.#collect();
  }

  /** Nobody waits for it, and nothing fails by it: what could not be removed now is found again the next time. */
  #collect(): void {
    const needed = () =>
      new Set([...this.#services.values()].flatMap((service) => service.artifacts).concat(this.#needed));
    this.#unpacked
      .collect(needed)
      .catch((error: Error) => this.#options.say?.(`Unused files could not be removed: ${error.message}`));
  }

  #inTurn<T>(service: string, act: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(service) ?? Promise.resolve();
    const mine = before.then(act, act);
    this.#turns.set(service, mine);
    return mine;
  }
}

const refused = (code: string, message: string, retrySafe: boolean): Applied => ({
  kind: 'refused',
  code,
  message,
  retrySafe,
});

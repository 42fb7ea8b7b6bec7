import { mkdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { SourceRejected } from '../../artifact/source-rejected.ts';
import type {
  ApplyOrder,
  ApplyResult,
  InstanceOutput,
  RemoveResult,
  Runtime,
  ScopedObservation,
} from '../port.ts';
import { type FencedStamp, sameAttempt, stampText } from '../stamp.ts';
import { ApplyRefused } from './apply-refused.ts';
import { freeRoutePort } from './free-port.ts';
import { hostHolderOf } from './hosts.ts';
import type { InstancePort } from './instance-port.ts';
import { readOrder } from './order.ts';
import { Outputs } from './outputs.ts';
import { isCurrent } from './plan.ts';
import { emptyRecord, type InstanceRecord, type ServiceRecord } from './record.ts';
import type { RouterPort } from './router-port.ts';
import { Service } from './service.ts';
import { StateFile } from './state-file.ts';
import { TIMING, type Timing } from './timing.ts';

interface SupervisedRuntimeOptions<P> {
  readonly identity: string;
  /** The directory of the service records; one agent at a time may have it open. */
  readonly records: string;
  readonly port: InstancePort<P>;
  readonly router: RouterPort;
  readonly timing?: Partial<Timing>;
  /** Prints a line for the operator that nobody waits for. */
  readonly say?: (line: string) => void;
}

/** The time that requests in hand have when the agent itself stops. */
const CLOSE_MS = 5_000;
/** Caps how long a new agent waits for answers before its first report: less than observations stay fresh. */
const ADOPTED_MS = 4_000;

/** A runtime that supervises instances itself, through an instance port and behind a router. */
export class SupervisedRuntime<P> implements Runtime {
  readonly identity: string;
  readonly #options: SupervisedRuntimeOptions<P>;
  readonly #services = new Map<string, Service<P>>();
  /** The last order of each service: orders of one service are carried out one after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #listeners = new Set<() => void>();
  readonly #outputs: Outputs;
  /** Artifacts of orders that are not on record yet. */
  readonly #needed: string[] = [];
  #ports: Promise<void> = Promise.resolve();
  #timing: Timing;
  #ticker: NodeJS.Timeout | undefined;

  private constructor(options: SupervisedRuntimeOptions<P>) {
    this.identity = options.identity;
    this.#options = options;
    this.#outputs = new Outputs(options.port);
    this.#timing = { ...TIMING, ...options.timing };
  }

  /** Adopts what runs; the router listens when it has every route. */
  static async open<P>(options: SupervisedRuntimeOptions<P>): Promise<SupervisedRuntime<P>> {
    await mkdir(options.records, { recursive: true, mode: 0o700 });
    const runtime = new SupervisedRuntime(options);
    try {
      await runtime.#adopt();
    } catch (error) {
      await runtime.close();
      throw error;
    }
    return runtime;
  }

  apply(order: ApplyOrder, signal: AbortSignal): Promise<ApplyResult> {
    return this.#inTurn(order.service, async () => {
      signal.throwIfAborted();
      try {
        return await this.#apply(order, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ApplyRefused)
          return {
            ...refused(error.code, error.message, error.retrySafe),
            ...(error.holder !== undefined && { holder: error.holder }),
          };
        if (error instanceof SourceRejected) return refused('artifact_invalid', error.message, false);
        throw error;
      }
    });
  }

  remove(name: string, stamp: FencedStamp, signal: AbortSignal): Promise<RemoveResult> {
    return this.#inTurn(name, async () => {
      signal.throwIfAborted();
      const service = this.#service(name);
      await service.remove(stamp);
      if (service.record.wanted === null) this.#options.router.delete(name);
      this.#collect();
      return { contained: this.#options.port.contains(name) };
    });
  }

  pace(reportEveryMs: number): void {
    this.#timing = { ...this.#timing, proveEveryMs: reportEveryMs };
  }

  /** One scope for everything: whatever is supervised here is on record, so nothing is left out. */
  async observe(): Promise<readonly [ScopedObservation]> {
    const services = [...this.#services.values()];
    const now = performance.now();
    const observedAt = Math.min(now, ...services.map((service) => service.observedAt));
    return [
      {
        scope: '*',
        complete: true,
        watchAgeMs: Math.ceil(now - observedAt),
        instances: services.flatMap((service) => service.instances()),
        services: services.flatMap((service) => service.entry() ?? []),
        stabilityMs: new Map(services.map((service) => [service.name, service.stabilityMs ?? 0])),
      },
    ];
  }

  async refresh(): Promise<void> {
    await Promise.all([...this.#services.values()].map((service) => service.refresh()));
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  outputs(): readonly InstanceOutput[] {
    const running = [...this.#services.values()].flatMap(({ name, record: { wanted, instances } }) =>
      // An instance that a scale has kept writes for the revision that kept it: one log for all that runs.
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
    this.#options.port.close();
    const isNeeded = [...this.#services.values()].some((service) => service.needsRouter);
    await this.#options.router.close(CLOSE_MS, isNeeded);
  }

  /** Proves every route now: the router has ended, or is there again. */
  proveRoutes(): void {
    for (const service of this.#services.values()) service.proveRoute();
  }

  /** Observes an instance now that refused a request, and not at its next turn. */
  refreshInstance(uid: string): void {
    for (const service of this.#services.values()) service.refreshInstance(uid);
  }

  async #apply(order: ApplyOrder, signal: AbortSignal): Promise<ApplyResult> {
    const { port } = this.#options;
    const { service: name, stamp, artifact } = order;
    port.check(order);
    const { wanted, launch } = readOrder(order);
    const service = this.#service(name);
    const newer = service.newerThan(stamp);
    if (newer !== null)
      throw new ApplyRefused(
        'older_than_applied',
        `This place already has ${stampText(newer)}, which is newer than ${stampText(stamp)}. If the server's database was replaced, give the agent a new directory.`,
      );
    this.#checkHost(name, wanted.host);
    const before = service.record.wanted;
    const isNew = before === null || !sameAttempt(before.stamp, stamp);
    this.#needed.push(artifact);
    try {
      if (isNew && wanted.replicas > 0) await port.prepare(name, stamp, launch, signal);
      signal.throwIfAborted();
      if (launch.port) await this.#expose(service);
      signal.throwIfAborted();
      // Another service may have got the name meanwhile.
      this.#checkHost(name, wanted.host);
      await service.want(wanted, launch);
    } finally {
      this.#needed.splice(this.#needed.indexOf(artifact), 1);
    }
    this.#collect();
    const objects = service.instances().map((instance) => ({ kind: port.kind, name: instance.name }));
    return { kind: 'applied', objects };
  }

  /** Throws `ApplyRefused`, and names the holder, if the host name is another service's (F119). */
  #checkHost(service: string, host: string | null): void {
    const others = [...this.#services.values()].map((other) => ({
      service: other.name,
      host: other.record.wanted?.host ?? null,
    }));
    const holder = hostHolderOf({ service, host }, others);
    if (holder !== null)
      throw new ApplyRefused(
        'host_taken',
        `The host name ${host} belongs to ${holder}. Choose another one in route.host.`,
        false,
        holder,
      );
  }

  async #adopt(): Promise<void> {
    const { records: dir, port, router } = this.#options;
    const records = await StateFile.all<P>(dir);
    const found = await port.open(new Set(records.flatMap((record) => record.instances.map((i) => i.uid))));
    await Promise.all(records.map((record) => this.#open(record).adopt(found)));
    await router.listen();
    for (const service of this.#services.values())
      if (service.record.wanted?.port) await this.#expose(service);
    await Promise.race([this.refresh(), wait(ADOPTED_MS, undefined, { ref: false })]);
    this.#collect();
    this.#ticker = setInterval(() => {
      for (const service of this.#services.values()) service.checkAlive();
    }, this.#timing.pidEveryMs);
  }

  #service(name: string): Service<P> {
    return this.#services.get(name) ?? this.#open(emptyRecord(name));
  }

  #open(record: ServiceRecord<P>): Service<P> {
    const { records, port, router, say } = this.#options;
    const runtime = this;
    const service = new Service<P>(
      {
        port,
        router,
        get timing() {
          return runtime.#timing;
        },
        file: new StateFile(records, record.service),
        choosePort: (before, take) => this.#choosePort(before, take),
        changed: () => this.#changed(),
        troubled: (error) => say?.(`${record.service}: ${(error as Error).message}`),
        gone: (instance) => this.#gone(record.service, instance),
      },
      record,
    );
    this.#services.set(record.service, service);
    return service;
  }

  /** Chooses one port at a time: two choices at once would find the same port free. */
  #choosePort(before: number | null, take: (port: number) => void): Promise<void> {
    const mine = this.#ports.then(async () => {
      const taken = new Set<number>();
      for (const { record } of this.#services.values())
        for (const { port } of record.instances) if (port !== null && port !== before) taken.add(port);
      take(await this.#options.port.choosePort(before, taken));
    });
    this.#ports = mine.catch(() => {});
    return mine;
  }

  async #expose(service: Service<P>): Promise<void> {
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

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #gone(service: string, record: InstanceRecord<P>): void {
    this.#outputs.gone({ service, record });
    this.#collect();
  }

  /** Removes unused artifacts. No caller waits for it or fails by it: what could not be removed is found again. */
  #collect(): void {
    const needed = () =>
      new Set([...this.#services.values()].flatMap((service) => service.artifacts).concat(this.#needed));
    this.#options.port
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

const refused = (code: string, message: string, retrySafe: boolean): ApplyResult => ({
  kind: 'refused',
  code,
  message,
  retrySafe,
});

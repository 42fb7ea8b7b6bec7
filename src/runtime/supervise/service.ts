import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Stamp } from '../../contract/intent.ts';
import type { Instance, ServiceEntry } from '../../contract/report.ts';
import { compareStamps, type FencedStamp, sameAttempt } from '../stamp.ts';
import { coversHost, hostsOf } from './hosts.ts';
import { type InstanceHost, SupervisedInstance } from './instance.ts';
import type { InstancePort } from './instance-port.ts';
import { observedInstance } from './observed.ts';
import { isSatisfied, plan, serves } from './plan.ts';
import { answerWithinMs } from './readiness.ts';
import {
  type InstanceRecord,
  type Launch,
  launchOf,
  pruned,
  type ServiceRecord,
  type WantedAttempt,
} from './record.ts';
import { RouteProof } from './route-proof.ts';
import type { RouteCertificate, RouteQuestion, RouteReply, RouterPort } from './router-port.ts';
import type { StateFile } from './state-file.ts';
import type { Timing } from './timing.ts';

/** The runtime of a service, as the service needs it. */
interface ServiceHost<P> {
  readonly timing: Timing;
  readonly file: StateFile<P>;
  readonly port: InstancePort<P>;
  readonly router: RouterPort;
  choosePort(before: number | null, take: (port: number) => void): Promise<void>;
  /** An observation would show something else than before. */
  changed(): void;
  /** Work that nobody waits for has failed. */
  troubled(error: unknown): void;
  gone(record: InstanceRecord<P>): void;
}

/**
 * Caps how long a change of an instance waits for the route that shows it too, so that one report has both and a
 * stability window begins with it. Longer would hold back what is observed.
 */
const ROUTE_ANSWERS_MS = 50;

/** One service of this place: moves its instances towards the wanted state whenever something changes. */
export class Service<P> {
  readonly name: string;
  readonly #host: ServiceHost<P>;
  readonly #instances = new Map<string, SupervisedInstance<P>>();
  readonly #route: RouteProof;
  #record: ServiceRecord<P>;
  #routed = '';
  /** The proof of a route that was replaced, while it is under way. */
  #renewal: Promise<void> | null = null;
  #waiting: (() => void)[] = [];
  #heldSince: { readonly stamp: Stamp; readonly at: number } | null = null;
  #stabilityTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(host: ServiceHost<P>, record: ServiceRecord<P>) {
    this.name = record.service;
    this.#host = host;
    this.#record = record;
    this.#route = new RouteProof(
      (signal, isWhole) => this.#proveRoute(signal, isWhole),
      () => host.timing,
      () => host.changed(),
    );
  }

  get record(): ServiceRecord<P> {
    return { ...this.#record, instances: [...this.#instances.values()].map(({ record }) => record) };
  }

  get artifacts(): readonly string[] {
    const { wanted, instances } = this.record;
    return [...instances.map((i) => i.artifact), ...(wanted === null ? [] : [wanted.artifact])];
  }

  get stabilityMs(): number | null {
    return this.#record.wanted?.stabilityMs ?? null;
  }

  /**
   * Takes up what a former agent started, whenever it died: before the effect (F08), in the middle of it (F09) or after it
   * (F10). `found` is what runs, by uid.
   */
  async adopt(found: ReadonlyMap<string, P>): Promise<void> {
    for (const record of this.#record.instances) {
      const launch = launchOf(this.#record, record.stamp);
      if (launch !== null) this.#add(record, launch);
    }
    await Promise.all([...this.#instances].map(([uid, instance]) => instance.adopt(found.get(uid) ?? null)));
    this.reconcile();
    await this.#save();
  }

  /** Commits to an order that nothing newer contradicts; durable when this resolves. */
  async want(wanted: WantedAttempt, launch: Launch): Promise<void> {
    const { launches, wanted: before, doubted } = this.#record;
    this.#record = {
      ...this.#record,
      wanted,
      doubted: doubted && before !== null && sameAttempt(before.stamp, wanted.stamp),
      launches: [...launches.filter((l) => !sameAttempt(l.stamp, launch.stamp)), launch],
    };
    await this.#save();
    this.reconcile();
  }

  /** The newer stamp that was applied or removed and that an order with this stamp would contradict. */
  newerThan(stamp: FencedStamp): FencedStamp | null {
    const { wanted, removed } = this.#record;
    if (removed !== null && compareStamps(stamp, removed) <= 0) return removed;
    return wanted !== null && compareStamps(stamp, wanted.stamp) < 0 ? wanted.stamp : null;
  }

  /**
   * Records the stamp, and ends everything up to it. Resolves when that is gone; at once if something newer is wanted,
   * which replaces the older instances in its own order.
   */
  async remove(stamp: FencedStamp): Promise<void> {
    const { wanted, removed } = this.#record;
    const stays = wanted !== null && compareStamps(wanted.stamp, stamp) > 0;
    this.#record = {
      ...this.#record,
      wanted: stays ? wanted : null,
      removed: removed !== null && compareStamps(removed, stamp) > 0 ? removed : stamp,
    };
    await this.#save();
    this.reconcile();
    const isLeft = () => [...this.#instances.values()].some((i) => compareStamps(i.record.stamp, stamp) <= 0);
    while (!stays && !this.#closed && isLeft()) await new Promise<void>((done) => this.#waiting.push(done));
    if (this.#closed) throw new Error('the runtime was closed before everything had ended');
    await this.#save();
  }

  /** Level-triggered: compares everything with the plan, and does what is missing. */
  reconcile(): void {
    if (this.#closed) return;
    const mayServe = (uid: string) => this.#instances.get(uid)?.mayServe ?? false;
    const record = this.record;
    const { start, retire, ...next } = plan(record, mayServe, this.#heldMs(record, mayServe));
    const { serving, fallback, doubted } = this.#record;
    if (JSON.stringify(next) !== JSON.stringify({ serving, fallback, doubted })) {
      this.#record = { ...this.#record, ...next };
      this.#saveSoon();
    }
    for (let n = 0; n < start; n += 1) this.#startOne();
    this.#setRoute(new Set(retire));
    for (const uid of retire) {
      const instance = this.#instances.get(uid);
      const drained = this.#host.router.drained(uid, this.#host.timing.drainMs);
      instance?.stop(drained).catch((error: unknown) => this.#host.troubled(error));
    }
  }

  /** The time for which the wanted attempt has been satisfied without a break. Reconciles when its window is over. */
  #heldMs(record: ServiceRecord, mayServe: (uid: string) => boolean): number | null {
    clearTimeout(this.#stabilityTimer);
    if (!isSatisfied(record, mayServe)) {
      this.#heldSince = null;
      return null;
    }
    const now = performance.now();
    const { stamp, stabilityMs } = record.wanted as WantedAttempt;
    if (this.#heldSince === null || !sameAttempt(this.#heldSince.stamp, stamp))
      this.#heldSince = { stamp, at: now };
    const heldMs = now - this.#heldSince.at;
    if (heldMs < stabilityMs)
      this.#stabilityTimer = setTimeout(() => this.reconcile(), Math.ceil(stabilityMs - heldMs) + 1);
    return heldMs;
  }

  /** Observes everything before a report. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#instances.values()].map((instance) => instance.refreshIfDue()));
    if (this.#hasRoute) await this.#route.prove();
  }

  refreshInstance(uid: string): void {
    void this.#instances.get(uid)?.refresh();
  }

  proveRoute(): void {
    if (this.#hasRoute) void this.#route.renew();
  }

  /** True if something runs that users reach by the router. */
  get needsRouter(): boolean {
    return this.#hasRoute && [...this.#instances.values()].some(({ record }) => record.process !== null);
  }

  checkAlive(): void {
    for (const instance of this.#instances.values()) void instance.checkAlive();
  }

  setRoutePort(routePort: number | null): Promise<void> {
    this.#record = { ...this.#record, routePort };
    return this.#save();
  }

  /** Monotonic instant of the oldest observation that `instances` and `entry` rest on. */
  get observedAt(): number {
    const instants = [...this.#instances.values()].map((instance) => instance.observedAt);
    return Math.min(performance.now(), ...instants, ...(this.#hasRoute ? [this.#route.observedAt] : []));
  }

  instances(): readonly Instance[] {
    return [...this.#instances.values()].map(({ record, readiness }) =>
      observedInstance(this.name, record, readiness),
    );
  }

  entry(): ServiceEntry | null {
    const { wanted } = this.#record;
    if (wanted === null) return null;
    if (!this.#hasRoute) return { service: this.name };
    const { answer } = this.#route;
    const route = answer.answers
      ? {
          answers: true,
          ...answer.stamp,
          ...(this.#speaksHttp ? {} : { by: 'connect' as const }),
          ...certified(answer.certificate),
        }
      : { answers: false, revision: null, attempt: null, ...(answer.reason && { reason: answer.reason }) };
    return { service: this.name, route, urls: this.#urls() };
  }

  /** Ends the supervision. After it resolves nothing is written: another agent may have the place by then. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#stabilityTimer);
    this.#route.end();
    for (const instance of this.#instances.values()) instance.release();
    for (const done of this.#waiting.splice(0)) done();
    await this.#host.file.idle();
  }

  /** False if every instance that serves was found to speak another protocol: then no request can be forwarded. */
  get #speaksHttp(): boolean {
    const { serving } = this.#record;
    const ready = [...this.#instances.values()].flatMap(({ record, readiness }) =>
      serves(serving, record) && readiness.kind === 'ready' ? [readiness.by] : [],
    );
    return ready.length === 0 || ready.some((by) => by !== 'connect');
  }

  get #hasRoute(): boolean {
    return this.#record.wanted?.port ?? false;
  }

  #startOne(): void {
    const { wanted, ordinals, service } = this.#record;
    const launch = wanted === null ? null : launchOf(this.#record, wanted.stamp);
    if (wanted === null || launch === null) return;
    const ordinal = ordinals + 1;
    this.#record = { ...this.#record, ordinals: ordinal };
    const record: InstanceRecord<P> = {
      uid: randomUUID(),
      name: `${service.slice(0, service.indexOf('@'))}-${ordinal}`,
      stamp: wanted.stamp,
      artifact: wanted.artifact,
      ordinal,
      port: null,
      process: null,
      startedAt: null,
      restarts: 0,
      shortLives: 0,
      lastExit: null,
      retiring: false,
    };
    this.#add(record, launch).begin();
  }

  #add(record: InstanceRecord<P>, launch: Launch): SupervisedInstance<P> {
    const outer = this.#host;
    const host: InstanceHost<P> = {
      service: this.name,
      port: outer.port,
      get timing() {
        return outer.timing;
      },
      choosePort: (before, take) => outer.choosePort(before, take),
      save: () => this.#save(),
      saveSoon: () => this.#saveSoon(),
      changed: () => {
        this.reconcile();
        this.#changed();
      },
      troubled: (error) => outer.troubled(error),
      gone: (uid) => this.#gone(uid),
    };
    const instance = new SupervisedInstance(host, record, launch);
    this.#instances.set(record.uid, instance);
    return instance;
  }

  #gone(uid: string): void {
    const instance = this.#instances.get(uid);
    if (instance === undefined) return;
    this.#instances.delete(uid);
    this.#host.gone(instance.record);
    for (const done of this.#waiting.splice(0)) done();
    this.#saveSoon();
    this.reconcile();
    this.#host.changed();
  }

  /** The route leads to the ready instances of the attempt that serves; a change of it is proven anew. */
  #setRoute(retiring: ReadonlySet<string>): void {
    const { serving, wanted } = this.#record;
    const stamp: Stamp | null =
      serving === null ? null : { revision: serving.revision, attempt: serving.attempt };
    const endpoints = [...this.#instances.values()].flatMap(({ record, readiness }) => {
      const { uid, port } = record;
      if (retiring.has(uid) || record.retiring || !serves(serving, record)) return [];
      return readiness.kind === 'ready' && port !== null ? [{ uid, address: readiness.address, port }] : [];
    });
    const hosts = hostsOf(this.name, wanted?.host ?? null);
    const isStopped = wanted?.replicas === 0;
    const routed = JSON.stringify({ stamp, endpoints, hosts, isStopped, isWanted: wanted !== null });
    if (routed === this.#routed) return;
    this.#routed = routed;
    this.#host.router.set({
      service: this.name,
      hosts: wanted?.port ? hosts : [],
      stamp,
      endpoints,
      isStopped,
    });
    if (!this.#hasRoute) return;
    const renewal = this.#route.renew().finally(() => {
      if (this.#renewal === renewal) this.#renewal = null;
    });
    this.#renewal = renewal;
  }

  /** Announces a change together with the proof of its route, if that comes soon. */
  #changed(): void {
    if (this.#renewal === null) this.#host.changed();
    else void Promise.race([this.#renewal, wait(ROUTE_ANSWERS_MS)]).then(() => this.#host.changed());
  }

  #proveRoute(signal: AbortSignal, isWhole: boolean): Promise<RouteReply> {
    const { wanted, serving } = this.#record;
    const { router, timing } = this.#host;
    const health = (serving === null ? null : launchOf(this.#record, serving))?.health ?? {};
    const question: RouteQuestion = {
      service: this.name,
      hosts: hostsOf(this.name, wanted?.host ?? null),
      path: health.path ?? null,
      isHttp: this.#speaksHttp,
      isWhole,
      timeoutMs: answerWithinMs(health, timing),
    };
    return router.prove(question, signal);
  }

  #urls(): string[] {
    const { wanted, routePort } = this.#record;
    const byName = [...hostsOf(this.name, wanted?.host ?? null)].reverse();
    const { https, port } = this.#host.router;
    const byTls = https === null ? [] : byName.filter((host) => coversHost(https.names, host));
    return [
      ...byTls.map((host) => `https://${host}:${https?.port}/`),
      ...byName.map((host) => `http://${host}:${port}/`),
      ...(routePort === null ? [] : [`http://127.0.0.1:${routePort}/`]),
    ];
  }

  #saveSoon(): void {
    this.#save().catch((error: unknown) => this.#host.troubled(error));
  }

  async #save(): Promise<void> {
    if (!this.#closed) await this.#host.file.save(pruned(this.record));
  }
}

/** One that is over keeps the route from being proven for https, though it answers for the rest. */
const certified = (certificate: RouteCertificate | undefined) =>
  certificate === undefined
    ? {}
    : {
        certificate: { notAfter: certificate.notAfter, endsSoon: certificate.ends === 'soon' },
        ...(certificate.ends === 'over' && { reason: 'certificate_expired' as const }),
      };

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Stamp } from '../../contract/intent.ts';
import type { Instance, ServiceEntry } from '../../contract/report.ts';
import type { Marked } from '../process/proc.ts';
import type { Route, RouteAnswer } from '../router/router.ts';
import { compareStamps, type FencedStamp, sameAttempt } from '../stamp.ts';
import { type InstanceHost, ProcessInstance } from './instance.ts';
import { observedInstance } from './observed.ts';
import { isSatisfied, plan, serves } from './plan.ts';
import {
  type InstanceRecord,
  type Launch,
  launchOf,
  pruned,
  type ServiceRecord,
  type Wanted,
} from './record.ts';
import { RouteProof } from './route-proof.ts';
import type { StateFile } from './state-file.ts';
import type { Timing } from './timing.ts';

export interface ServiceHost {
  readonly runtime: string;
  readonly timing: Timing;
  readonly file: StateFile;
  directory(launch: Launch): string;
  home(uid: string): string;
  port(before: number | null, take: (port: number) => void): Promise<void>;
  route(route: Route): void;
  ask(host: string, path: string | null): Promise<RouteAnswer>;
  drained(uid: string): Promise<void>;
  oomKills(): number | null;
  urls(record: ServiceRecord): string[];
  changed(): void;
  /** Something that nobody waits for has failed. */
  troubled(error: unknown): void;
  gone(record: InstanceRecord): void;
}

/**
 * An instance is ready, or gone, and a moment later the route shows it: so long the first waits for the second, so that
 * one report says both and a stability window begins with it. Longer would keep back what is known.
 */
const ROUTE_ANSWERS_MS = 50;

/** One service of this place: brings what runs nearer to what is wanted whenever something changes. */
export class Service {
  readonly name: string;
  readonly #host: ServiceHost;
  readonly #instances = new Map<string, ProcessInstance>();
  readonly #route: RouteProof;
  #record: ServiceRecord;
  #routed = '';
  /** The router was told something else, and is being asked. */
  #renewal: Promise<void> | null = null;
  #waiting: (() => void)[] = [];
  #heldSince: { readonly stamp: Stamp; readonly at: number } | null = null;
  #settling: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(host: ServiceHost, record: ServiceRecord) {
    this.name = record.service;
    this.#host = host;
    this.#record = record;
    this.#route = new RouteProof(
      () => this.#ask(),
      () => host.timing.proveEveryMs,
      () => host.changed(),
    );
  }

  get record(): ServiceRecord {
    return { ...this.#record, instances: [...this.#instances.values()].map(({ record }) => record) };
  }

  get artifacts(): readonly string[] {
    const { wanted, instances } = this.record;
    return [...instances.map((i) => i.artifact), ...(wanted === null ? [] : [wanted.artifact])];
  }

  get stabilityMs(): number | null {
    return this.#record.wanted?.stabilityMs ?? null;
  }

  /** Takes up what ran before us. `marked` are the processes that carry our mark. */
  async adopt(marked: readonly Marked[]): Promise<void> {
    for (const record of this.#record.instances) {
      const launch = launchOf(this.#record, record.stamp);
      if (launch !== null) this.#add(record, launch);
    }
    const found = (uid: string) => marked.find((m) => m.value === uid && m.group === m.id.pid)?.id ?? null;
    await Promise.all([...this.#instances.values()].map((i) => i.adopt(found(i.record.uid))));
    this.reconcile();
    await this.#save();
  }

  /** Refused if it is older than what was applied or removed; else durable when this resolves. */
  async want(wanted: Wanted, launch: Launch): Promise<void> {
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

  /** What an order with this stamp would contradict, or null. */
  newerThan(stamp: FencedStamp): FencedStamp | null {
    const { wanted, removed } = this.#record;
    if (removed !== null && compareStamps(stamp, removed) <= 0) return removed;
    return wanted !== null && compareStamps(stamp, wanted.stamp) < 0 ? wanted.stamp : null;
  }

  /** Ends everything up to the stamp, and remembers it. Resolves when it is gone. */
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

  /** Level-triggered: looks at everything, and does what is missing. */
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
    this.#tellRouter(new Set(retire));
    for (const uid of retire) {
      const instance = this.#instances.get(uid);
      instance?.stop(this.#host.drained(uid)).catch((error: unknown) => this.#host.troubled(error));
    }
  }

  /** For how long what is wanted has been there without a break; looked at again when its window is over. */
  #heldMs(record: ServiceRecord, mayServe: (uid: string) => boolean): number | null {
    clearTimeout(this.#settling);
    if (!isSatisfied(record, mayServe)) {
      this.#heldSince = null;
      return null;
    }
    const now = performance.now();
    const { stamp, stabilityMs } = record.wanted as Wanted;
    if (this.#heldSince === null || !sameAttempt(this.#heldSince.stamp, stamp))
      this.#heldSince = { stamp, at: now };
    const heldMs = now - this.#heldSince.at;
    if (heldMs < stabilityMs)
      this.#settling = setTimeout(() => this.reconcile(), Math.ceil(stabilityMs - heldMs) + 1);
    return heldMs;
  }

  async look(): Promise<void> {
    await Promise.all([...this.#instances.values()].map((instance) => instance.look()));
    if (this.#hasRoute) await this.#route.look();
  }

  lookAt(uid: string): void {
    void this.#instances.get(uid)?.look();
  }

  checkPids(): void {
    for (const instance of this.#instances.values()) instance.checkPid();
  }

  setRoutePort(routePort: number | null): Promise<void> {
    this.#record = { ...this.#record, routePort };
    return this.#save();
  }

  /** When the oldest look was made that `instances` and `entry` rest on. */
  get seenAt(): number {
    const looks = [...this.#instances.values()].map((instance) => instance.seenAt);
    return Math.min(performance.now(), ...looks, ...(this.#hasRoute ? [this.#route.seenAt] : []));
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
      ? { answers: true, ...answer.stamp }
      : { answers: false, revision: null, attempt: null };
    return { service: this.name, route, urls: this.#host.urls(this.#record) };
  }

  /** Nothing is written after this: another may have the place by then. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#settling);
    this.#route.end();
    for (const instance of this.#instances.values()) instance.release();
    for (const done of this.#waiting.splice(0)) done();
    await this.#host.file.idle();
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
    const record: InstanceRecord = {
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

  #add(record: InstanceRecord, launch: Launch): ProcessInstance {
    const outer = this.#host;
    const host: InstanceHost = {
      runtime: outer.runtime,
      get timing() {
        return outer.timing;
      },
      service: this.name,
      directory: (of) => this.#host.directory(of),
      home: (uid) => this.#host.home(uid),
      oomKills: () => this.#host.oomKills(),
      port: (before, take) => this.#host.port(before, take),
      save: () => this.#save(),
      saveSoon: () => this.#saveSoon(),
      changed: () => {
        this.reconcile();
        this.#changed();
      },
      gone: (uid) => this.#gone(uid),
    };
    const instance = new ProcessInstance(host, record, launch);
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

  /** The route is what is ready of what serves; a change of it is proven anew. */
  #tellRouter(retiring: ReadonlySet<string>): void {
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
    const routed = JSON.stringify({ stamp, endpoints, hosts, isStopped, known: wanted !== null });
    if (routed === this.#routed) return;
    this.#routed = routed;
    this.#host.route({ service: this.name, hosts: wanted?.port ? hosts : [], stamp, endpoints, isStopped });
    if (!this.#hasRoute) return;
    const renewal = this.#route.renew().finally(() => {
      if (this.#renewal === renewal) this.#renewal = null;
    });
    this.#renewal = renewal;
  }

  /** Told with what the route says to it, if that is soon. */
  #changed(): void {
    if (this.#renewal === null) this.#host.changed();
    else void Promise.race([this.#renewal, wait(ROUTE_ANSWERS_MS)]).then(() => this.#host.changed());
  }

  #ask(): Promise<RouteAnswer> {
    const { wanted, serving } = this.#record;
    const launch = serving === null ? null : launchOf(this.#record, serving);
    const [host = ''] = hostsOf(this.name, wanted?.host ?? null);
    return this.#host.ask(host, launch?.health.path ?? null);
  }

  #saveSoon(): void {
    this.#save().catch((error: unknown) => this.#host.troubled(error));
  }

  async #save(): Promise<void> {
    if (!this.#closed) await this.#host.file.save(pruned(this.record));
  }
}

/** The name that works everywhere on this machine comes first; the router knows the other as well. */
export function hostsOf(service: string, host: string | null): readonly string[] {
  const own = `${service.slice(0, service.indexOf('@'))}.localhost`;
  return host === null || host.toLowerCase() === own ? [own] : [own, host.toLowerCase()];
}

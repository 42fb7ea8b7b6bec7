import type { Phase } from '../src/contract/vocabulary.ts';

/** A process that really runs at a target, or tries to. */
export interface TruthInstance {
  readonly uid: string;
  /** Kept by one that takes its place. */
  readonly name: string;
  readonly service: string;
  readonly revision: number;
  readonly attempt: number;
  readonly fence: string;
  readonly artifact: string;
  readonly template: string | null;
  readonly phase: Phase;
  readonly ready: boolean;
  readonly restarts: number;
  readonly reason: string | null;
  /** Containers beside or before it: all count, except ephemeral ones. */
  readonly containers: readonly TruthContainer[];
}

interface TruthContainer {
  readonly name: string;
  readonly kind: 'init' | 'sidecar' | 'ephemeral';
  readonly ready: boolean;
}

/** Ready, and so is everything beside it that counts. */
export function isUp({ phase, ready, containers }: TruthInstance): boolean {
  return phase === 'running' && ready && containers.every((c) => c.ready || c.kind === 'ephemeral');
}

/** An object of a cluster that another tool deploys, and that a rule of the target may cover. */
interface TruthWorkload {
  readonly uid: string;
  readonly namespace: string;
  /** The value of the label `tier`; of one that is gone, its last. */
  readonly tier: string;
  readonly isThere: boolean;
}

/** The truth about one service at one target, from `at` on. */
export interface TruthMoment {
  readonly at: number;
  readonly instances: readonly TruthInstance[];
  /** The revision that the route answers for, or null when it does not answer. */
  readonly route: { readonly revision: number; readonly attempt: number } | null;
  /** The generation that was requested and the one that the controllers have taken in; null if the runtime counts none. */
  readonly generation: { readonly desired: number; readonly observed: number } | null;
  /** The rollout of another tool, if one deploys the service. */
  readonly rollout: { readonly template: string; readonly replicas: number } | null;
  /** The object of a cluster that the service stands for, if a rule finds its services. */
  readonly workload: TruthWorkload | null;
}

/** The last apply or remove of a service: the runtime refuses an older one by (revision, attempt, fence). */
interface AppliedState {
  readonly revision: number;
  readonly attempt: number;
  readonly fence: string;
  readonly replicas: number;
  readonly artifact: string;
  readonly port: boolean;
}

const NOTHING: TruthMoment = {
  ...{ at: 0, instances: [], route: null, generation: null },
  ...{ rollout: null, workload: null },
};
const BESIDE: readonly TruthContainer[] = [
  { name: 'setup', kind: 'init', ready: false },
  { name: 'proxy', kind: 'sidecar', ready: false },
  { name: 'debug', kind: 'ephemeral', ready: false },
];

/** Ground truth: what runs, whatever anybody believes. Kept with its past, so that a claim can be held against it. */
export class World {
  readonly #moments = new Map<string, TruthMoment[]>();
  readonly #lastApplied = new Map<string, AppliedState>();
  readonly #applied = new Map<string, number>();
  /** A route that does not follow: it answers for this, or not at all, until then. */
  readonly #stuckRoutes = new Map<string, { readonly until: number; readonly route: TruthMoment['route'] }>();
  readonly #generations = new Map<string, { readonly desired: number; readonly observed: number }>();
  /** Services whose instances have something beside them, and those of which the runtime counts generations. */
  readonly accompanied = new Set<string>();
  readonly counting = new Set<string>();
  readonly #rollouts = new Map<string, NonNullable<TruthMoment['rollout']>>();
  readonly #workloads = new Map<string, TruthWorkload>();
  #uids = 0;

  services(): IterableIterator<string> {
    return this.#moments.keys();
  }

  now(service: string): TruthMoment {
    return this.#moments.get(service)?.at(-1) ?? NOTHING;
  }

  /** Every moment that was true at some instant of [from, to]. */
  between(service: string, from: number, to: number): readonly TruthMoment[] {
    const moments = this.#moments.get(service) ?? [];
    const found: TruthMoment[] = [];
    for (let i = moments.length - 1; i >= 0; i--) {
      const moment = moments[i] as TruthMoment;
      if (moment.at > to) continue;
      found.push(moment);
      if (moment.at <= from) return found;
    }
    found.push(NOTHING);
    return found;
  }

  /** As it was at an instant: what a stalled watch still shows. */
  at(service: string, instant: number): TruthMoment {
    return this.#moments.get(service)?.findLast((m) => m.at <= instant) ?? NOTHING;
  }

  lastApplied(service: string): AppliedState | undefined {
    return this.#lastApplied.get(service);
  }

  /** Counts how often each (service, revision, attempt) really was applied: a fenced effect happens once (S4). */
  effects(): ReadonlyMap<string, number> {
    return this.#applied;
  }

  /**
   * The external effect of `apply`, with the precondition that makes a late writer harmless. A rolling one leaves
   * what it replaces running for a while beside the new.
   */
  apply(
    at: number,
    service: string,
    wanted: AppliedState,
    keep: readonly { revision: number; attempt: number }[],
    rolling = false,
  ): boolean {
    const before = this.#lastApplied.get(service);
    if (before !== undefined && isOlder(wanted, before)) return false;
    const again = before?.revision === wanted.revision && before.attempt === wanted.attempt;
    this.#lastApplied.set(service, wanted);
    this.ask(service);
    const effect = `${service}.r${wanted.revision}.a${wanted.attempt}`;
    if (!again) this.#applied.set(effect, (this.#applied.get(effect) ?? 0) + 1);
    const kept = this.now(service).instances.filter(
      (i) =>
        (i.revision === wanted.revision && i.attempt === wanted.attempt) ||
        keep.some((s) => s.revision === i.revision && s.attempt === i.attempt),
    );
    const instances = kept.slice(0, wanted.replicas);
    while (instances.length < wanted.replicas) instances.push(this.#born(service, wanted));
    const replaced = this.now(service).instances.filter((i) => !instances.includes(i));
    this.set(at, service, rolling ? [...instances, ...replaced] : instances);
    return true;
  }

  /** Another tool rolls out: new instances of another template beside or instead of what was there. */
  rollOut(at: number, service: string, rollout: NonNullable<TruthMoment['rollout']>, rolling: boolean): void {
    this.#rollouts.set(service, rollout);
    this.ask(service);
    const like = {
      revision: 0,
      attempt: 0,
      fence: '0',
      artifact: '',
      replicas: rollout.replicas,
      port: true,
    };
    const born: TruthInstance[] = [];
    while (born.length < rollout.replicas)
      born.push({ ...this.#born(service, like), template: rollout.template });
    this.set(at, service, rolling ? [...born, ...this.now(service).instances] : born);
  }

  /** The object is created, labelled otherwise, or deleted; what runs of it is another matter. */
  place(at: number, service: string, workload: Omit<TruthWorkload, 'uid'>): void {
    const before = this.#workloads.get(service);
    const uid = before?.isThere ? before.uid : `${service} ${++this.#uids}`;
    this.#workloads.set(service, { ...workload, uid: workload.isThere ? uid : (before?.uid ?? uid) });
    this.set(at, service, this.now(service).instances);
  }

  /** The runtime is asked for something else; its controllers take it in at once, unless they `lag`. */
  ask(service: string, lag = false): void {
    const { desired, observed } = this.#generations.get(service) ?? { desired: 0, observed: 0 };
    this.#generations.set(service, { desired: desired + 1, observed: lag ? observed : desired + 1 });
  }

  /** The controllers fall behind, or catch up with what was asked for. */
  lag(at: number, service: string, behind: boolean): void {
    if (behind) this.ask(service, true);
    else {
      const { desired } = this.#generations.get(service) ?? { desired: 0 };
      this.#generations.set(service, { desired, observed: desired });
    }
    this.set(at, service, this.now(service).instances);
  }

  /** `remove` deletes only lower or equal stamps. */
  remove(at: number, service: string, stamp: Pick<AppliedState, 'revision' | 'attempt' | 'fence'>): boolean {
    const before = this.#lastApplied.get(service);
    if (before !== undefined && isOlder(stamp, before)) return false;
    this.#lastApplied.set(service, { ...stamp, replicas: 0, artifact: '', port: false });
    const left = this.now(service).instances.filter((i) => isOlder(stamp, i));
    this.set(at, service, left);
    return true;
  }

  #born(service: string, wanted: AppliedState): TruthInstance {
    const uid = `u${++this.#uids}`;
    return {
      uid,
      name: uid,
      service,
      revision: wanted.revision,
      attempt: wanted.attempt,
      fence: wanted.fence,
      artifact: wanted.artifact,
      template: null,
      phase: 'pending',
      ready: false,
      restarts: 0,
      reason: null,
      containers: this.accompanied.has(service) ? BESIDE : [],
    };
  }

  /** Another cluster stands in its place: nothing runs there, and nothing was ever applied there. */
  replace(at: number, service: string): void {
    this.#lastApplied.delete(service);
    this.set(at, service, []);
  }

  /** The router does not follow for a while: it goes on with what it had, or answers nothing. */
  stickRoute(at: number, service: string, ms: number, route: TruthMoment['route']): void {
    this.#stuckRoutes.set(service, { until: at + ms, route });
    this.set(at, service, this.now(service).instances);
  }

  /** The router catches up with what runs. */
  followRoute(at: number, service: string): void {
    this.#stuckRoutes.delete(service);
    this.set(at, service, this.now(service).instances);
  }

  /** A stray instance that nobody asked for, as a broken runtime leaves them. */
  stray(
    at: number,
    service: string,
    like: Pick<TruthInstance, 'revision' | 'attempt' | 'fence' | 'artifact'>,
  ): void {
    const born = this.#born(service, { ...like, replicas: 1, port: false });
    const stray = { ...born, phase: 'running', ready: true, containers: allReady(born) } as const;
    this.set(at, service, [...this.now(service).instances, stray]);
  }

  /** Changes one instance; nothing if it is gone. */
  change(at: number, service: string, uid: string, change: Partial<TruthInstance>): void {
    const { instances } = this.now(service);
    if (!instances.some((i) => i.uid === uid)) return;
    this.set(
      at,
      service,
      instances.map((i) => (i.uid === uid ? { ...i, ...change } : i)),
    );
  }

  /** A runtime that replaces what exits instead of restarting it: another instance under the same name. Null if it is gone. */
  replaceExited(at: number, service: string, uid: string): TruthInstance | null {
    const { instances } = this.now(service);
    const old = instances.find((i) => i.uid === uid);
    if (old === undefined) return null;
    const next = { ...old, uid: `u${++this.#uids}`, phase: 'starting', ready: false, reason: null } as const;
    this.set(
      at,
      service,
      instances.map((i) => (i === old ? next : i)),
    );
    return next;
  }

  kill(at: number, service: string, uid: string): void {
    this.set(
      at,
      service,
      this.now(service).instances.filter((i) => i.uid !== uid),
    );
  }

  /** The route follows what is ready: the newest revision all of whose wanted instances are ready keeps it. */
  set(
    at: number,
    service: string,
    instances: readonly TruthInstance[],
    route = this.#route(at, service, instances),
  ): void {
    const moments = this.#moments.get(service) ?? [];
    const generation = this.counting.has(service) ? (this.#generations.get(service) ?? null) : null;
    const rollout = this.#rollouts.get(service) ?? null;
    const workload = this.#workloads.get(service) ?? null;
    const moment = { at, instances, route, generation, rollout, workload };
    if (moments.at(-1)?.at === at) moments[moments.length - 1] = moment;
    else moments.push(moment);
    if (moments.length > 400) moments.splice(0, 200);
    this.#moments.set(service, moments);
  }

  #route(at: number, service: string, instances: readonly TruthInstance[]): TruthMoment['route'] {
    const stuck = this.#stuckRoutes.get(service);
    if (stuck !== undefined && at < stuck.until) return stuck.route;
    if (this.#lastApplied.get(service)?.port === false) return null;
    const ready = instances.filter((i) => i.ready && i.phase === 'running');
    if (ready.length === 0) return null;
    const newest = ready.reduce((a, b) => (isOlder(a, b) ? b : a));
    return { revision: newest.revision, attempt: newest.attempt };
  }
}

export function allReady({ containers }: TruthInstance): readonly TruthContainer[] {
  return containers.map((c) => (c.kind === 'ephemeral' ? c : { ...c, ready: true }));
}

type WorldStamp = { readonly revision: number; readonly attempt: number; readonly fence: string };

function isOlder(a: WorldStamp, b: WorldStamp): boolean {
  if (a.revision !== b.revision) return a.revision < b.revision;
  if (a.attempt !== b.attempt) return a.attempt < b.attempt;
  return BigInt(a.fence) < BigInt(b.fence);
}

import { matchesSelector } from '../../contract/label-selector.ts';
import type { ObservationAnswer } from '../../contract/observation.ts';
import type { Instance, ServiceEntry } from '../../contract/report.ts';
import type {
  ApplyResult,
  NamedByServer,
  RemoveResult,
  Runtime,
  ScopedObservation,
} from '../../runtime/port.ts';
import type { ApiConnection } from '../api/connection.ts';
import { ClusterCache, type ScopeStanding } from '../cache/cluster-cache.ts';
import { ClusterObserver } from '../observe/cluster-observer.ts';
import { warningsByObject } from '../observe/warnings.ts';
import type { ObservedWorkload } from '../observe/workload.ts';
import { reportItems } from './report-items.ts';
import { ServiceNames } from './service-names.ts';

interface KubernetesRuntimeOptions {
  readonly connection: ApiConnection;
  readonly identity: string;
  readonly target: string;
  readonly defaultNamespace: string;
  /** The namespaces that the agent may read; `all`: the whole cluster. */
  readonly namespaces: readonly string[] | 'all';
}

const STABILITY_MS = 3_000;
/** Nobody announces the silence of a node: it is looked for this often. */
const LOOK_MS = 1_000;
/** A namespace with warnings is observed again this often. */
const AGEING_MS = 30_000;

/**
 * A cluster that other tools deploy to. It only looks: the rule of the target says which workloads are services, and
 * each namespace is a scope of its own, so that one that may not be read harms no other.
 */
export class KubernetesRuntime implements Runtime {
  readonly identity: string;
  readonly #connection: ApiConnection;
  readonly #cache: ClusterCache;
  readonly #observer: ClusterObserver;
  readonly #names: ServiceNames;
  readonly #listeners = new Set<() => void>();
  readonly #looking: NodeJS.Timeout;
  #rule: ObservationAnswer = null;
  /** Namespaces that were reported under the rule: one that is empty now must still be reported, as empty. */
  readonly #reported = new Set<string>();
  /** The degree to which each watch was believed at the last look. */
  #words = '';
  /** Namespaces as they were last observed, until something of them changes. */
  readonly #observed = new Map<string, ObservedItems>();

  constructor(options: KubernetesRuntimeOptions) {
    const { connection, identity, target, defaultNamespace, namespaces } = options;
    this.identity = identity;
    this.#connection = connection;
    this.#names = new ServiceNames(target, defaultNamespace);
    this.#cache = new ClusterCache(connection, {
      namespaces,
      onChange: (change) => {
        this.#observer.receive(change, performance.now());
        this.#forgetStale();
      },
    });
    this.#observer = new ClusterObserver(this.#cache, () => this.#cache.nodesStanding().provenAt);
    this.#cache.start();
    this.#looking = setInterval(() => this.#look(namespaces), LOOK_MS);
    this.#looking.unref();
  }

  follow(rule: ObservationAnswer, names: readonly NamedByServer[] = []): void {
    this.#names.learn(names);
    if (rule?.version === this.#rule?.version) return;
    this.#rule = rule;
    this.#reported.clear();
    this.#forgetAll();
  }

  nameTaken(service: string): void {
    this.#names.refuse(service);
    this.#forgetAll();
  }

  async observe(): Promise<readonly ScopedObservation[]> {
    const rule = this.#rule;
    const now = performance.now();
    const nodes = this.#cache.nodesStanding(now);
    const standings = this.#cache.namespaceStandings(now);
    const scopes =
      rule === null
        ? []
        : this.#namespaces(rule).flatMap((one) => this.#namespace(one, rule, standings(one), nodes) ?? []);
    if (nodes.watchAgeMs === null && nodes.problem === null) return scopes;
    return [...scopes, { ...NOTHING, scope: 'nodes', ...standingOf(nodes) }];
  }

  #namespaces({ namespaces }: NonNullable<ObservationAnswer>): readonly string[] {
    const found = new Set([...this.#cache.namespaces(), ...this.#reported]);
    const isCovered = (one: string) => namespaces.includes('*') || namespaces.includes(one);
    return [...found].filter(isCovered).toSorted();
  }

  /** Null until it was read once: nothing is said of it before. */
  #namespace(
    namespace: string,
    rule: NonNullable<ObservationAnswer>,
    own: ScopeStanding,
    nodes: ScopeStanding,
  ): ScopedObservation | null {
    const scope = `ns/${namespace}`;
    const problem = own.problem ?? nodes.problem;
    if (own.watchAgeMs === null || nodes.watchAgeMs === null) {
      if (problem === null && !this.#reported.has(namespace)) return null;
      this.#reported.add(namespace);
      return { ...NOTHING, scope, ...standingOf({ watchAgeMs: null, problem }) };
    }
    this.#reported.add(namespace);
    const { until: _, ...items } = this.#items(namespace, rule);
    return {
      ...items,
      scope,
      complete: own.isComplete && nodes.isComplete,
      watchAgeMs: Math.round(Math.max(own.watchAgeMs, nodes.watchAgeMs)),
      beats: true,
      observation: rule.version,
    };
  }

  #items(namespace: string, rule: NonNullable<ObservationAnswer>): ObservedItems {
    const now = performance.now();
    const before = this.#observed.get(namespace);
    if (before !== undefined && now < before.until) return before;
    const items = this.#observeItems(namespace, rule, now);
    this.#observed.set(namespace, items);
    return items;
  }

  #observeItems(namespace: string, rule: NonNullable<ObservationAnswer>, now: number): ObservedItems {
    const warnings = warningsByObject(this.#cache.records('Event', namespace));
    const sources = { records: this.#cache, warnings, now: Date.now() };
    const workloads = this.#observer
      .workloads(namespace, now)
      .filter((one) => one.kind !== 'Job' && this.#isSelected(one, rule));
    const instances: Instance[] = [];
    const services: ServiceEntry[] = [];
    for (const [service, workload] of this.#names.name(workloads)) {
      const items = reportItems(service, workload, sources);
      instances.push(...items.instances);
      services.push(items.entry);
    }
    return {
      // A warning gives the cause only while it is young.
      until: warnings.size > 0 ? now + AGEING_MS : Number.POSITIVE_INFINITY,
      instances,
      services,
      stabilityMs: new Map(services.map(({ service }) => [service, STABILITY_MS])),
    };
  }

  #isSelected({ kind, uid }: ObservedWorkload, { selector }: NonNullable<ObservationAnswer>): boolean {
    if (selector === null) return true;
    const labels = this.#cache.record(kind, uid)?.labels ?? {};
    return matchesSelector(labels, selector);
  }

  /** Silence of a node and the first proof of a watch come without an event. */
  #look(namespaces: KubernetesRuntimeOptions['namespaces']): void {
    const now = performance.now();
    this.#observer.lookAtNodes(now);
    this.#forgetStale();
    const standings = this.#cache.namespaceStandings(now);
    const words = [
      this.#cache.nodesStanding(now),
      ...(namespaces === 'all' ? [''] : namespaces).map(standings),
    ]
      .map(({ watchAgeMs, isComplete, problem }) => [watchAgeMs === null, isComplete, problem?.kind].join())
      .join(' ');
    if (words === this.#words) return;
    this.#words = words;
    this.#announce();
  }

  /** Calm namespaces are not observed again: the work is that of what changed. */
  #forgetStale(): void {
    const stale = this.#observer.takeStale();
    if (stale === 'all') this.#forgetAll();
    else if (stale.size > 0) {
      for (const namespace of stale) this.#observed.delete(namespace);
      this.#announce();
    }
  }

  #forgetAll(): void {
    this.#observed.clear();
    this.#announce();
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The watches go on by themselves, and prove themselves as often as they can. */
  pace(): void {}
  refresh = (): Promise<void> => Promise.resolve();
  outputs = () => [];

  apply(): Promise<ApplyResult> {
    return Promise.resolve({
      kind: 'refused',
      code: 'apply_failed',
      message: 'The agent of this target observes what other tools deploy, and deploys nothing itself.',
      retrySafe: false,
    });
  }

  /** Nothing of ours runs there. */
  remove(): Promise<RemoveResult> {
    return Promise.resolve({ contained: true });
  }

  close(): Promise<void> {
    clearInterval(this.#looking);
    this.#cache.stop();
    this.#connection.close();
    return Promise.resolve();
  }
}

interface ObservedItems extends Pick<ScopedObservation, 'instances' | 'services' | 'stabilityMs'> {
  /** Monotonic: from then on time alone may have changed it. */
  readonly until: number;
}

const NOTHING = {
  complete: true,
  watchAgeMs: 0,
  instances: [],
  services: [],
  stabilityMs: new Map<string, number>(),
  beats: true,
} as const;

type ScopeBelief = Pick<ScopeStanding, 'watchAgeMs' | 'problem'>;

function standingOf({
  watchAgeMs,
  problem,
}: ScopeBelief): Pick<ScopedObservation, 'watchAgeMs' | 'unavailable'> {
  if (watchAgeMs !== null) return { watchAgeMs: Math.round(watchAgeMs) };
  const isForbidden = problem?.kind === 'forbidden' || problem?.kind === 'unauthorized';
  return { watchAgeMs: 0, unavailable: isForbidden ? 'forbidden' : 'runtime_unreachable' };
}

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
import { ClusterCache } from '../cache/cluster-cache.ts';
import { ClusterObserver } from '../observe/cluster-observer.ts';
import { warningsByObject } from '../observe/warnings.ts';
import type { ObservedWorkload } from '../observe/workload.ts';
import { type ReportSources, reportItems } from './report-items.ts';
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
  #words = '';

  constructor(options: KubernetesRuntimeOptions) {
    const { connection, identity, target, defaultNamespace, namespaces } = options;
    this.identity = identity;
    this.#connection = connection;
    this.#names = new ServiceNames(target, defaultNamespace);
    this.#cache = new ClusterCache(connection, {
      namespaces,
      onChange: (change) => {
        this.#observer.receive(change, performance.now());
        this.#announce();
      },
    });
    this.#observer = new ClusterObserver(this.#cache, () => this.#cache.nodesStanding().provenAt);
    this.#cache.start();
    this.#looking = setInterval(() => this.#lookAtNodes(), LOOK_MS);
    this.#looking.unref();
  }

  follow(rule: ObservationAnswer, names: readonly NamedByServer[] = []): void {
    this.#names.learn(names);
    if (rule?.version === this.#rule?.version) return;
    this.#rule = rule;
    this.#reported.clear();
    this.#announce();
  }

  nameTaken(service: string): void {
    this.#names.refuse(service);
    this.#announce();
  }

  async observe(): Promise<readonly ScopedObservation[]> {
    const rule = this.#rule;
    const nodes = this.#cache.nodesStanding();
    const warnings = warningsByObject(this.#cache.records('Event'));
    const sources = { records: this.#cache, warnings, now: Date.now() };
    const scopes =
      rule === null ? [] : this.#namespaces(rule).flatMap((one) => this.#namespace(one, rule, sources) ?? []);
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
    sources: ReportSources,
  ): ScopedObservation | null {
    const scope = `ns/${namespace}`;
    const own = this.#cache.namespaceStanding(namespace);
    const nodes = this.#cache.nodesStanding();
    const problem = own.problem ?? nodes.problem;
    if (own.watchAgeMs === null || nodes.watchAgeMs === null) {
      if (problem === null && !this.#reported.has(namespace)) return null;
      this.#reported.add(namespace);
      return { ...NOTHING, scope, ...standingOf({ ...own, watchAgeMs: null, problem }) };
    }
    this.#reported.add(namespace);
    const workloads = this.#observer
      .workloads(namespace, performance.now())
      .filter((one) => one.kind !== 'Job' && this.#isSelected(one, rule));
    const instances: Instance[] = [];
    const services: ServiceEntry[] = [];
    for (const [service, workload] of this.#names.name(workloads)) {
      const items = reportItems(service, workload, sources);
      instances.push(...items.instances);
      services.push(items.entry);
    }
    return {
      scope,
      complete: own.isComplete && nodes.isComplete,
      watchAgeMs: Math.round(Math.max(own.watchAgeMs, nodes.watchAgeMs)),
      instances,
      services,
      stabilityMs: new Map(services.map(({ service }) => [service, STABILITY_MS])),
      observation: rule.version,
    };
  }

  #isSelected({ kind, uid }: ObservedWorkload, { selector }: NonNullable<ObservationAnswer>): boolean {
    if (selector === null) return true;
    const labels = this.#cache.record(kind, uid)?.labels ?? {};
    return matchesSelector(labels, selector);
  }

  /** Silence of a node changes what is known of its pods, and no event comes with it. */
  #lookAtNodes(): void {
    const now = performance.now();
    const words = [...this.#cache.records('Node')]
      .map(({ name }) => this.#observer.node(name, now).kind)
      .join();
    if (words === this.#words) return;
    this.#words = words;
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

const NOTHING = {
  complete: true,
  watchAgeMs: 0,
  instances: [],
  services: [],
  stabilityMs: new Map<string, number>(),
} as const;

type ScopeBelief = Pick<ReturnType<ClusterCache['nodesStanding']>, 'watchAgeMs' | 'problem'>;

function standingOf({
  watchAgeMs,
  problem,
}: ScopeBelief): Pick<ScopedObservation, 'watchAgeMs' | 'unavailable'> {
  if (watchAgeMs !== null) return { watchAgeMs: Math.round(watchAgeMs) };
  const isForbidden = problem?.kind === 'forbidden' || problem?.kind === 'unauthorized';
  return { watchAgeMs: 0, unavailable: isForbidden ? 'forbidden' : 'runtime_unreachable' };
}

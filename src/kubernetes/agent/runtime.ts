import type { ObservationAnswer } from '../../contract/observation.ts';
import type {
  ApplyOrder,
  ApplyResult,
  InstanceOutput,
  RemoveResult,
  Runtime,
  ScopedObservation,
  TargetRecord,
} from '../../runtime/port.ts';
import type { FencedStamp } from '../../runtime/stamp.ts';
import type { ApiConnection } from '../api/connection.ts';
import { ClusterCache, type ScopeStanding } from '../cache/cluster-cache.ts';
import type { PodRecord } from '../cache/pod.ts';
import type { DeploymentRecord } from '../cache/workloads.ts';
import { ClusterDeployer } from '../deploy/cluster-deployer.ts';
import { PodOutputs } from '../deploy/pod-outputs.ts';
import { ClusterObserver } from '../observe/cluster-observer.ts';
import { AppAsker } from './app-asker.ts';
import { askByAddress, askThroughApiServer } from './ask-pod.ts';
import { MemoryFile } from './cluster-memory.ts';
import { ClusterOutages } from './cluster-outages.ts';
import { DeployedCommits } from './deployed-commits.ts';
import { DeployedPods } from './deployed-pods.ts';
import { EndingNamespaces, leavesNamespace } from './ending-namespaces.ts';
import { GoneNamespaces } from './gone-namespaces.ts';
import { NamedNamespaces } from './named-namespaces.ts';
import { NamespaceItems, type ObservedItems } from './namespace-items.ts';
import { podReason } from './pod-reason.ts';
import { ReadableNamespaces } from './readable-namespaces.ts';
import { RefusalLog } from './refusal-log.ts';
import type { AppAnswers } from './report-items.ts';
import { isRefused, isUnreachable, NOTHING, reportedStanding } from './scope-standing.ts';
import { ServiceNames } from './service-names.ts';

interface KubernetesRuntimeOptions {
  readonly connection: ApiConnection;
  readonly identity: string;
  readonly target: string;
  readonly defaultNamespace: string;
  /** The namespaces that the agent may read; `all`: the whole cluster. */
  readonly namespaces: readonly string[] | 'all';
  /** It deploys services in the default namespace too, beside what it observes; else it changes nothing. */
  readonly deploys?: boolean;
  /** The agent's own directory; null: nothing is remembered over a restart. */
  readonly dir?: string | null;
  /** Tells the agent's operator what the server does not need to know. */
  readonly say?: (line: string) => void;
}

/** A look-up of one namespace that takes longer says nothing. */
const LOOK_UP_MS = 5_000;
/** Nobody announces the silence of a node: it is looked for this often. */
const LOOK_MS = 1_000;
const KEEP_MS = 5_000;

/**
 * A cluster. The rule of the target says which workloads of other tools are services, and each namespace is a scope of its
 * own, so that one that may not be read harms no other. Where it deploys too, services of the target are Deployments in
 * its default namespace, which need no rule.
 */
export class KubernetesRuntime implements Runtime {
  readonly identity: string;
  readonly defaultNamespace: string;
  readonly #connection: ApiConnection;
  readonly #cache: ClusterCache;
  readonly #observer: ClusterObserver;
  readonly #names: ServiceNames;
  readonly #listeners = new Set<() => void>();
  readonly #looking: NodeJS.Timeout;
  #rule: ObservationAnswer = null;
  /** Namespaces that were reported under the rule: one that is empty now must still be reported, as empty. */
  readonly #reported = new Set<string>();
  /** Namespaces that may have services on the server's record: reported before this rule, or by another agent. */
  readonly #recorded = new Set<string>();
  /** The namespaces that this agent reads. */
  readonly #read: KubernetesRuntimeOptions['namespaces'];
  /** The degree to which each watch was believed at the last look. */
  #words = '';
  /** Namespaces as they were last observed, until something of them changes. */
  readonly #observed = new Map<string, ObservedItems>();
  readonly #refusals: RefusalLog;
  readonly #outages: ClusterOutages;
  readonly #memory: MemoryFile;
  readonly #keeping: NodeJS.Timeout;
  readonly #asker: AppAsker;
  readonly #named: NamedNamespaces;
  readonly #ending: EndingNamespaces;
  readonly #gone: GoneNamespaces;
  readonly #readable: ReadableNamespaces;
  readonly #commits: DeployedCommits;
  readonly #items: NamespaceItems;
  readonly #deployed: DeployedPods;
  readonly #outputs: PodOutputs;
  /** Null: it only observes. */
  readonly #deployer: ClusterDeployer | null;
  readonly observeOnly?: true;

  constructor(options: KubernetesRuntimeOptions) {
    const {
      connection,
      identity,
      target,
      defaultNamespace,
      namespaces,
      deploys = false,
      dir = null,
      say = () => {},
    } = options;
    this.identity = identity;
    this.defaultNamespace = defaultNamespace;
    if (!deploys) this.observeOnly = true;
    this.#connection = connection;
    this.#read = namespaces;
    this.#refusals = new RefusalLog(say);
    this.#outages = new ClusterOutages(say);
    this.#names = new ServiceNames(target, defaultNamespace);
    this.#memory = new MemoryFile(dir, identity);
    const { before } = this.#memory;
    this.#cache = new ClusterCache(connection, {
      namespaces,
      highest: before?.highest ?? {},
      onChange: (change) => {
        const now = performance.now();
        this.#observer.receive(change, now);
        if (leavesNamespace(change)) this.#ending.left(change.record.namespace, now);
        this.#forgetStale();
        if (change.of === 'Pod' && change.kind === 'put') this.#askReady(change.record);
        if (change.of === 'Deployment' && change.kind === 'put' && change.before === null)
          this.#lookForStray(change.record);
      },
    });
    this.#deployed = new DeployedPods(this.#cache, target, () => this.#deployNamespace);
    this.#outputs = new PodOutputs(connection, deploys ? dir : null);
    const standing = {
      nodesProvenAt: () => this.#cache.nodesStanding().provenAt,
      arePodsProven: () => this.#cache.arePodsProven(),
    };
    this.#observer = new ClusterObserver(this.#cache, standing, before, performance.now());
    const { isInside } = connection.access;
    this.#asker = new AppAsker(
      isInside ? 'inside' : 'api_server',
      isInside ? askByAddress : askThroughApiServer(connection),
      () => this.#askedPods(),
      (pod, hasChanged) => this.#heard(pod, hasChanged),
    );
    const lookUp = (path: string) => connection.document(path, { timeoutMs: LOOK_UP_MS });
    this.#named = new NamedNamespaces(lookUp, () => this.#announce());
    this.#readable = new ReadableNamespaces(lookUp, (namespace) =>
      say(`The cluster may not be read as a whole: namespace ${namespace} is read by itself.`),
    );
    const observeAgain = (namespace: string) => {
      this.#observed.delete(namespace);
      this.#announce();
    };
    this.#ending = new EndingNamespaces(lookUp, observeAgain);
    this.#gone = new GoneNamespaces(lookUp, observeAgain);
    this.#commits = new DeployedCommits(lookUp, observeAgain);
    this.#items = new NamespaceItems({
      ...{ records: this.#cache, observer: this.#observer, names: this.#names },
      ...{ ending: this.#ending, commits: this.#commits },
      answers: (at, whose) => this.#answers(at, whose),
      isOurs: ({ namespace, deployed = null }) => this.#deployed.isOurs({ namespace, marks: deployed }),
    });
    this.#deployer = deploys ? new ClusterDeployer(connection, this.#view(), say) : null;
    if (deploys) this.#asker.start();
    this.#cache.start();
    this.#keeping = setInterval(() => this.#keep(), KEEP_MS);
    this.#keeping.unref();
    this.#looking = setInterval(() => this.#look(namespaces), LOOK_MS);
    this.#looking.unref();
  }

  learn({ names, namespaces, defaultNamespace }: TargetRecord): void {
    if (defaultNamespace !== null) this.#names.settle(defaultNamespace);
    this.#names.learn(names);
    for (const namespace of namespaces) this.#recorded.add(namespace);
  }

  follow(rule: ObservationAnswer): void {
    if (rule?.version === this.#rule?.version) return;
    this.#rule = rule;
    // The agent asks the apps that it deployed itself under every rule.
    if (this.#deployer === null) this.#asker.stop();
    if (rule?.ask) this.#asker.start();
    // A later rule may cover them again: one that is deleted meanwhile must then be reported, as empty.
    for (const namespace of this.#reported) this.#recorded.add(namespace);
    this.#reported.clear();
    this.#forgetAll();
  }

  nameTaken(service: string): void {
    this.#names.refuse(service);
    this.#forgetAll();
  }

  async observe(): Promise<readonly ScopedObservation[]> {
    await this.#ending.settled();
    const rule = this.#rule;
    const now = performance.now();
    const nodes = this.#cache.nodesStanding(now);
    const standings = this.#cache.namespaceStandings(now);
    const covered = rule === null ? [] : this.#namespaces(rule);
    const own = [this.#deployNamespace].flatMap((one) => (one === null || covered.includes(one) ? [] : one));
    const scopes = [
      ...covered.flatMap((one) => this.#namespace(one, rule, standings(one), nodes) ?? []),
      ...own.flatMap((one) => this.#namespace(one, null, standings(one), nodes) ?? []),
      ...this.#leftOut(rule),
    ];
    if (nodes.watchAgeMs === null && nodes.problem === null) return scopes;
    const believed = isRefused(nodes) || isUnreachable(nodes) ? { ...nodes, watchAgeMs: null } : nodes;
    return [...scopes, { ...NOTHING, scope: 'nodes', ...reportedStanding(believed) }];
  }

  /** Null: it deploys nothing. */
  get #deployNamespace(): string | null {
    return this.#deployer === null ? null : this.#names.defaultNamespace;
  }

  #namespaces(rule: NonNullable<ObservationAnswer>): readonly string[] {
    const named = rule.namespaces.filter((one) => one !== '*');
    const found = new Set([...this.#cache.namespaces(), ...this.#reported, ...this.#recorded, ...named]);
    return [...found].filter((one) => isCovered(one, rule)).toSorted();
  }

  /** An earlier agent may have ended before it could say that the rule no longer covers them. */
  #leftOut(rule: ObservationAnswer): ScopedObservation[] {
    return [...this.#recorded]
      .filter((namespace) => !isCovered(namespace, rule) && namespace !== this.#deployNamespace)
      .map((namespace) => ({ ...NOTHING, scope: `ns/${namespace}`, isLeftOut: true }));
  }

  /** Null until it was read once: nothing is said of it before. */
  #namespace(
    namespace: string,
    rule: ObservationAnswer,
    own: ScopeStanding,
    nodes: ScopeStanding,
  ): ScopedObservation | null {
    const scope = `ns/${namespace}`;
    // Its agent was not started for it, so that it may not look there.
    if (this.#read !== 'all' && !this.#read.includes(namespace))
      return { ...NOTHING, scope, unavailable: 'forbidden' };
    const problem = own.problem ?? nodes.problem;
    const refused = [own, nodes].find(isRefused);
    const isCutOff = [own, nodes].some(isUnreachable);
    if (own.watchAgeMs === null || nodes.watchAgeMs === null || refused !== undefined || isCutOff) {
      if (problem === null && !this.#reported.has(namespace)) return null;
      this.#reported.add(namespace);
      const said = refused?.problem ?? problem;
      const denied = [...own.denied, ...nodes.denied];
      return { ...NOTHING, scope, ...reportedStanding({ watchAgeMs: null, problem: said, denied }) };
    }
    this.#reported.add(namespace);
    const { until: _, hasOrphans, ...items } = this.#itemsIn(namespace, rule);
    return {
      ...items,
      scope,
      ...([this.#named, this.#gone].some((one) => one.isAbsent(namespace)) && { absent: true }),
      complete: own.isComplete && nodes.isComplete && !hasOrphans,
      watchAgeMs: Math.round(Math.max(own.watchAgeMs, nodes.watchAgeMs)),
      beats: true,
      ...(rule !== null && { observation: rule.version }),
    };
  }

  #itemsIn(namespace: string, rule: ObservationAnswer): ObservedItems {
    const now = performance.now();
    const before = this.#observed.get(namespace);
    if (before !== undefined && now < before.until) return before;
    const items = this.#items.observe(namespace, rule, now);
    this.#observed.set(namespace, items);
    return items;
  }

  /** Pods that the rule covers, or that were deployed here, and that should answer, or are doubted. */
  *#askedPods(): Generator<PodRecord> {
    const rule = this.#rule;
    const covered = new Set(rule?.ask ? this.#namespaces(rule) : []);
    for (const pod of this.#cache.records('Pod'))
      if (covered.has(pod.namespace) || this.#deployed.has(pod))
        if (pod.phase === 'Running' && pod.deletingSince === null) yield pod;
  }

  #answers(now: number, whose: 'deployed' | 'observed'): AppAnswers | null {
    const asker = this.#asker;
    if (!asker.isAsking || (whose === 'observed' && !this.#rule?.ask)) return null;
    return { vantage: asker.vantage, of: (pod) => asker.answerOf(pod, now) };
  }

  #lookForStray({ marks, ...found }: DeploymentRecord): void {
    if (marks !== null && this.#deployed.isOurs({ marks, namespace: found.namespace }))
      void this.#deployer?.pruneStray({ ...found, marks });
  }

  /** A copy that has just become ready is asked at once: its route waits for that. */
  #askReady(pod: PodRecord): void {
    const isReady = pod.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    if (isReady && pod.deletingSince === null && this.#deployed.has(pod)) this.#asker.askSoon(pod);
  }

  #view(): ConstructorParameters<typeof ClusterDeployer>[1] {
    const workload = (uid: string) => {
      const namespace = this.#deployNamespace ?? '';
      const all = this.#observer.workloads(namespace, performance.now(), Date.now());
      return all.find((one) => one.uid === uid) ?? null;
    };
    return {
      workload,
      isGone: (uid, since) => {
        const namespace = this.#deployNamespace ?? '';
        const { provenAt } = this.#cache.namespaceStanding(namespace);
        if (provenAt === null || provenAt < since) return false;
        return (uid === null || workload(uid) === null) && !this.#observer.hasOrphans(namespace);
      },
      isStuck: ({ instances }) =>
        instances.some(({ uid, revision }) => {
          const pod = revision === 'current' ? this.#cache.record('Pod', uid) : null;
          return pod !== null && podReason(pod) !== null;
        }),
      onChange: (listener) => this.onChange(listener),
    };
  }

  #heard(pod: PodRecord, hasChanged: boolean): void {
    const answers = this.#asker.answerOf(pod, performance.now()) === 'answers';
    const isNews = answers && this.#observer.answered(pod.uid);
    if (!isNews && !hasChanged) return;
    this.#observed.delete(pod.namespace);
    this.#announce();
  }

  #keep(): void {
    this.#memory.write(this.#cache.provenVersions(), this.#observer.doubts());
    this.#outputs.keep();
  }

  /** Silence of a node and the first proof of a watch come without an event. */
  #look(namespaces: KubernetesRuntimeOptions['namespaces']): void {
    const now = performance.now();
    this.#observer.lookAtNodes(now);
    this.#forgetStale();
    this.#forgetDue(now);
    this.#named.look(this.#emptyNamed(), now);
    this.#ending.lookAgain(now);
    this.#lookForReadable(now);
    this.#lookForGone(now);
    this.#commits.look(now, (uid) => WORKLOADS.some((kind) => this.#cache.record(kind, uid) !== null));
    const standings = this.#cache.namespaceStandings(now);
    const looked = [
      ['nodes', this.#cache.nodesStanding(now)] as const,
      ...(namespaces === 'all'
        ? [['the cluster', standings('')] as const]
        : namespaces.map((one) => [`ns/${one}`, standings(one)] as const)),
    ];
    // Of single namespaces nodes are not read at all: that is no permission.
    const heard = this.#cache.isNarrow() ? looked.filter(([place]) => place !== 'nodes') : looked;
    for (const [place, { problem }] of heard) this.#refusals.hear(place, problem);
    this.#outages.hear(
      looked.map(([, { problem }]) => problem),
      now,
    );
    const words = looked
      .map(([, standing]) => standing)
      .map(({ watchAgeMs, isComplete, problem }) => [watchAgeMs === null, isComplete, problem?.kind].join())
      .join(' ');
    if (words === this.#words) return;
    this.#words = words;
    this.#announce();
  }

  /** Rights that became those of single namespaces are used without a restart, and those of the whole cluster again. */
  #lookForReadable(now: number): void {
    if (this.#cache.widen()) {
      this.#readable.forget();
      // Two watches of a namespace may have been apart by a moment.
      this.#forgetAll();
    }
    if (this.#rule === null || !this.#cache.isWholeRefused()) return;
    this.#readable.look(this.#namespaces(this.#rule), now);
    this.#cache.narrow(this.#readable.found);
  }

  /** A namespace that may not be read may be gone, with the role that let us read it. */
  #lookForGone(now: number): void {
    if (this.#rule === null) return;
    const standing = this.#cache.namespaceStandings(now);
    const covered = this.#namespaces(this.#rule);
    this.#gone.look(
      covered.filter((one) => standing(one).problem?.kind === 'forbidden'),
      now,
    );
    for (const namespace of covered) this.#cache.markAbsent(namespace, this.#gone.absentAsOf(namespace));
  }

  /** Namespaces that the rule names and in which nothing is, as far as this agent reads them. */
  #emptyNamed(): readonly string[] {
    if (this.#rule === null || this.#read !== 'all') return [];
    const found = new Set(this.#cache.namespaces());
    return this.#rule.namespaces.filter((one) => one !== '*' && !found.has(one));
  }

  /** A namespace in which something was held back, or has aged, is observed again though nothing changed in it. */
  #forgetDue(now: number): void {
    const due = [...this.#observed].filter(([, { until }]) => until <= now);
    for (const [namespace] of due) this.#observed.delete(namespace);
    if (due.length > 0) this.#announce();
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
  outputs = (): readonly InstanceOutput[] => this.#outputs.of([...this.#deployed.writing()]);

  async apply(order: ApplyOrder, signal: AbortSignal): Promise<ApplyResult> {
    if (this.#deployer !== null) return this.#deployer.apply(order, this.#names.defaultNamespace, signal);
    return {
      kind: 'refused',
      code: 'observe_only',
      message: 'The agent of this target observes what other tools deploy, and deploys nothing itself.',
      retrySafe: false,
    };
  }

  /** Nothing of ours runs where it only observes. */
  async remove(service: string, stamp: FencedStamp, signal: AbortSignal): Promise<RemoveResult> {
    if (this.#deployer === null) return { contained: true };
    return this.#deployer.remove(service, this.#names.defaultNamespace, stamp, signal);
  }

  close(): Promise<void> {
    this.#asker.stop();
    clearInterval(this.#looking);
    clearInterval(this.#keeping);
    this.#keep();
    this.#outputs.close();
    this.#cache.stop();
    this.#connection.close();
    return Promise.resolve();
  }
}

/** The kinds whose objects a tool marks as its own. */
const WORKLOADS = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'ReplicaSet', 'Pod'] as const;

const isCovered = (namespace: string, rule: ObservationAnswer): boolean =>
  rule !== null && (rule.namespaces.includes('*') || rule.namespaces.includes(namespace));

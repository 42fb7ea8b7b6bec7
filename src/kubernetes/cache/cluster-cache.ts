import type { DeniedPermission } from '../../contract/report.ts';
import type { ApiConnection } from '../api/connection.ts';
import { deniedIn } from '../api/denied.ts';
import type { ClusterProblem } from '../api/problem.ts';
import type { KeptRecord } from '../api/reflect/record-store.ts';
import { Reflector, type ReflectorChange } from '../api/reflect/reflector.ts';
import type { ListScope } from '../api/resources.ts';
import { CACHED_KINDS, type CachedKind, type CachedRecords, NODE_LEASES } from './kinds.ts';

export type CacheChange = {
  readonly [K in CachedKind]: { readonly of: K } & ReflectorChange<CachedRecords[K]>;
}[CachedKind];

interface ClusterCacheOptions {
  /** `all`: one watch per kind for the whole cluster. Else one per kind and namespace, each with its own permission. */
  readonly namespaces: readonly string[] | 'all';
  readonly onChange?: (change: CacheChange) => void;
  /** Highest versions that an earlier agent saw in this cluster, by kind and place (rule 1). */
  readonly highest?: Readonly<Record<string, string>>;
  readonly now?: () => number;
  readonly random?: () => number;
}

/** The degree to which a scope may be believed: `ns/NAME` or `nodes`. */
export interface ScopeStanding {
  /** Every kind that a claim needs is complete. */
  readonly isComplete: boolean;
  /** The oldest proof over the kinds that a claim needs (rule 2); null while one of them has none. */
  readonly watchAgeMs: number | null;
  readonly provenAt: number | null;
  readonly problem: ClusterProblem | null;
  /** Every permission that is missing for it. */
  readonly denied: readonly DeniedPermission[];
}

/** A reflector of whatever kind. */
type AnyReflector = Pick<Reflector<KeptRecord>, 'start' | 'stop' | 'standing'>;

type Watched = { readonly [K in CachedKind]: Reflector<CachedRecords[K]>[] };

/**
 * The part of a cluster that claims are made of: small records of each kind, kept up to date, and how far they may be
 * believed. One forbidden or stalled namespace harms only its own scope.
 */
export class ClusterCache {
  readonly #watched: Watched;
  readonly #namespaces: readonly string[] | 'all';
  readonly #now: () => number;
  /** The scope of each reflector; null: the whole cluster. */
  readonly #places = new Map<AnyReflector, string | null>();

  constructor(connection: ApiConnection, options: ClusterCacheOptions) {
    this.#namespaces = options.namespaces;
    this.#now = options.now ?? (() => performance.now());
    const open = <K extends CachedKind>(kind: K): Reflector<CachedRecords[K]>[] =>
      placesOf(kind, options.namespaces).map((namespace) => {
        const scope: ListScope = namespace === null ? 'all' : { namespace };
        const { resource, keep, fieldSelector } = CACHED_KINDS[kind];
        const onChange = (change: ReflectorChange<CachedRecords[K]>) =>
          options.onChange?.({ of: kind, ...change } as CacheChange);
        const { now, random } = options;
        const reflector = new Reflector<CachedRecords[K]>(connection, {
          resource,
          scope,
          keep,
          onChange,
          highest: options.highest?.[placeKey(kind, namespace)] ?? null,
          ...(fieldSelector === undefined ? {} : { fieldSelector }),
          ...(now === undefined ? {} : { now }),
          ...(random === undefined ? {} : { random }),
        });
        this.#places.set(reflector, namespace);
        return reflector;
      });
    this.#watched = {
      Pod: open('Pod'),
      Deployment: open('Deployment'),
      ReplicaSet: open('ReplicaSet'),
      StatefulSet: open('StatefulSet'),
      DaemonSet: open('DaemonSet'),
      ControllerRevision: open('ControllerRevision'),
      Job: open('Job'),
      CronJob: open('CronJob'),
      Service: open('Service'),
      EndpointSlice: open('EndpointSlice'),
      PersistentVolumeClaim: open('PersistentVolumeClaim'),
      Event: open('Event'),
      Node: open('Node'),
      Lease: open('Lease'),
    };
  }

  start(): void {
    for (const reflector of this.#all()) reflector.start();
  }

  stop(): void {
    for (const reflector of this.#all()) reflector.stop();
  }

  /** Records of a kind, of one namespace or of all. */
  *records<K extends CachedKind>(kind: K, namespace?: string): Generator<CachedRecords[K]> {
    for (const reflector of this.#watched[kind])
      yield* namespace === undefined ? reflector.records.values() : reflector.recordsIn(namespace);
  }

  record<K extends CachedKind>(kind: K, uid: string): CachedRecords[K] | null {
    for (const reflector of this.#watched[kind]) {
      const found = reflector.records.get(uid);
      if (found !== undefined) return found;
    }
    return null;
  }

  /** Namespaces with anything in them, or those that were named. */
  namespaces(): string[] {
    if (this.#namespaces !== 'all') return [...this.#namespaces];
    const found = new Set<string>();
    for (const kind of CLAIMED)
      for (const reflector of this.#watched[kind])
        for (const namespace of reflector.namespaces()) found.add(namespace);
    return [...found].toSorted();
  }

  namespaceStanding(namespace: string, now = this.#now()): ScopeStanding {
    return this.#standing('namespace', (place) => place === null || place === namespace, now);
  }

  /** The standing of every namespace at one instant. One watch of the whole cluster is the same for all of them. */
  namespaceStandings(now = this.#now()): (namespace: string) => ScopeStanding {
    if (this.#namespaces !== 'all') return (namespace) => this.namespaceStanding(namespace, now);
    const shared = this.namespaceStanding('', now);
    return () => shared;
  }

  /** The highest version of each kind and place that is proven to be of this cluster's history. */
  provenVersions(): Readonly<Record<string, string>> {
    const versions = KINDS.flatMap((kind) =>
      this.#watched[kind].flatMap((reflector) => {
        const { highest, provenAt } = reflector.standing();
        const key = placeKey(kind, this.#places.get(reflector) ?? null);
        return highest === null || provenAt === null ? [] : [[key, highest] as const];
      }),
    );
    return Object.fromEntries(versions);
  }

  /** Every copy of pods is complete and proven. */
  arePodsProven(): boolean {
    return this.#watched.Pod.every((reflector) => reflector.standing().provenAt !== null);
  }

  nodesStanding(now = this.#now()): ScopeStanding {
    return this.#standing('nodes', () => true, now);
  }

  #standing(
    needed: 'namespace' | 'nodes',
    isThere: (place: string | null) => boolean,
    now: number,
  ): ScopeStanding {
    // While one kind shows the past of a restored cluster, the same API server is not believed about any (rule 1).
    const restored = this.#all().find((one) => one.standing(now).problem?.kind === 'restored');
    const standings = kindsOf(needed).flatMap((kind) =>
      this.#watched[kind]
        .filter((one) => isThere(this.#places.get(one) ?? null))
        .map((one) => one.standing(now)),
    );
    const isProven = restored === undefined && standings.every(({ provenAt }) => provenAt !== null);
    const provenAt = isProven ? Math.min(...standings.map((one) => one.provenAt ?? 0)) : null;
    return {
      isComplete: restored === undefined && standings.every(({ isComplete }) => isComplete),
      provenAt,
      watchAgeMs: provenAt === null ? null : Math.max(0, now - provenAt),
      denied: deniedIn(standings.map(({ problem }) => problem)),
      problem: worstOf([restored?.standing(now).problem ?? null, ...standings.map(({ problem }) => problem)]),
    };
  }

  #all(): AnyReflector[] {
    return [...this.#places.keys()];
  }
}

const KINDS = Object.keys(CACHED_KINDS) as CachedKind[];
const kindsOf = (needed: 'namespace' | 'nodes') =>
  KINDS.filter((kind) => CACHED_KINDS[kind].needed === needed);
/** Kinds that make a namespace worth a scope. */
const CLAIMED: readonly CachedKind[] = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'CronJob',
  'ReplicaSet',
  'Pod',
];

const placeKey = (kind: CachedKind, namespace: string | null) =>
  namespace === null ? kind : `${kind}/${namespace}`;

function placesOf(kind: CachedKind, namespaces: readonly string[] | 'all'): readonly (string | null)[] {
  if (kind === 'Lease') return [NODE_LEASES];
  // Nodes are of no namespace: an agent for named ones may not read them, and tells silent ones by their leases alone.
  if (kind === 'Node') return namespaces === 'all' ? [null] : [];
  if (namespaces === 'all') return [null];
  return namespaces;
}

/** The problem to show: the one that somebody can act on. */
const WEIGHTS: Readonly<Record<ClusterProblem['kind'], number>> = {
  restored: 9,
  forbidden: 8,
  unauthorized: 7,
  absent: 6,
  refused: 5,
  protocol: 4,
  unreachable: 3,
  timed_out: 2,
  unavailable: 1,
  gone: 0,
};

function worstOf(problems: readonly (ClusterProblem | null)[]): ClusterProblem | null {
  return problems.reduce(
    (worst, one) =>
      one !== null && (worst === null || WEIGHTS[one.kind] > WEIGHTS[worst.kind]) ? one : worst,
    null,
  );
}

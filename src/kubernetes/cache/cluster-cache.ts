import type { DeniedPermission } from '../../contract/report.ts';
import type { ApiConnection } from '../api/connection.ts';
import { deniedIn } from '../api/denied.ts';
import type { ClusterProblem } from '../api/problem.ts';
import type { KeptRecord } from '../api/reflect/record-store.ts';
import { Reflector, type ReflectorChange } from '../api/reflect/reflector.ts';
import { KindWatch } from './kind-watch.ts';
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

/** The part of a reflector that no kind changes. */
type AnyReflector = Pick<Reflector<KeptRecord>, 'standing'>;

type Watched = { readonly [K in CachedKind]: KindWatch<CachedRecords[K]> };

/**
 * The part of a cluster that claims are made of: small records of each kind, kept up to date, and how far they may be
 * believed. One forbidden or stalled namespace harms only its own scope.
 */
export class ClusterCache {
  readonly #watched: Watched;
  readonly #namespaces: readonly string[] | 'all';
  readonly #now: () => number;
  /** Namespaces that were read themselves and are no more, with the monotonic instant of the last look. */
  readonly #absent = new Map<string, number>();

  constructor(connection: ApiConnection, options: ClusterCacheOptions) {
    this.#namespaces = options.namespaces;
    this.#now = options.now ?? (() => performance.now());
    const open = <K extends CachedKind>(kind: K): KindWatch<CachedRecords[K]> => {
      const { resource, keep, fieldSelector } = CACHED_KINDS[kind];
      const onChange = (change: ReflectorChange<CachedRecords[K]>) =>
        options.onChange?.({ of: kind, ...change } as CacheChange);
      const { now, random } = options;
      const reflector = (namespace: string | null, seed: readonly CachedRecords[K][]) =>
        new Reflector<CachedRecords[K]>(connection, {
          resource,
          scope: namespace === null ? 'all' : { namespace },
          keep,
          onChange,
          seed,
          highest: options.highest?.[placeKey(kind, namespace)] ?? null,
          ...(fieldSelector === undefined ? {} : { fieldSelector }),
          ...(now === undefined ? {} : { now }),
          ...(random === undefined ? {} : { random }),
        });
      const deleted = (record: CachedRecords[K]) => onChange({ kind: 'deleted', record });
      return new KindWatch(placesOf(kind, options.namespaces), reflector, deleted);
    };
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
    for (const kind of KINDS) this.#watched[kind].start();
  }

  stop(): void {
    for (const kind of KINDS) this.#watched[kind].stop();
  }

  /** Records of a kind, of one namespace or of all. */
  records<K extends CachedKind>(kind: K, namespace?: string): Generator<CachedRecords[K]> {
    return this.#watched[kind].records(namespace);
  }

  record<K extends CachedKind>(kind: K, uid: string): CachedRecords[K] | null {
    return this.#watched[kind].record(uid);
  }

  /** Namespaces with anything in them, or those that were named. */
  namespaces(): string[] {
    if (this.#namespaces !== 'all') return [...this.#namespaces];
    const found = new Set<string>();
    for (const kind of CLAIMED)
      for (const namespace of this.#watched[kind].namespaces()) found.add(namespace);
    return [...found].toSorted();
  }

  namespaceStanding(namespace: string, now = this.#now()): ScopeStanding {
    const lookedAt = this.#absent.get(namespace);
    if (lookedAt !== undefined) return absentStanding(lookedAt, now);
    const needed = KINDS.filter((kind) => CACHED_KINDS[kind].needed === 'namespace');
    return this.#standing(
      needed.flatMap((kind) => this.#watched[kind].believed(namespace) ?? []),
      now,
    );
  }

  /** The standing of every namespace at one instant. One watch of the whole cluster is the same for all of them. */
  namespaceStandings(now = this.#now()): (namespace: string) => ScopeStanding {
    if (this.#namespaces !== 'all' || this.isNarrow())
      return (namespace) => this.namespaceStanding(namespace, now);
    const shared = this.namespaceStanding('', now);
    return (namespace) => (this.#absent.has(namespace) ? this.namespaceStanding(namespace, now) : shared);
  }

  /** The highest version of each kind and place that is proven to be of this cluster's history. */
  provenVersions(): Readonly<Record<string, string>> {
    const versions = KINDS.flatMap((kind) =>
      [...this.#watched[kind].places()].flatMap(([place, reflector]) => {
        const { highest, provenAt } = reflector.standing();
        return highest === null || provenAt === null ? [] : [[placeKey(kind, place), highest] as const];
      }),
    );
    return Object.fromEntries(versions);
  }

  /** Every copy of pods is complete and proven; one of the whole cluster that is refused is replaced by others. */
  arePodsProven(): boolean {
    const { Pod } = this.#watched;
    return Pod.all().every(
      (reflector) =>
        reflector.standing().provenAt !== null || (Pod.isNarrow && reflector.standing().problem !== null),
    );
  }

  /** Of single namespaces nodes may not be read: silent ones are told by their leases alone. */
  nodesStanding(now = this.#now()): ScopeStanding {
    const { Node, Lease } = this.#watched;
    const isLeftOut = this.isNarrow() && Node.isWholeRefused();
    return this.#standing([...Lease.whole(), ...(isLeftOut ? [] : Node.whole())], now);
  }

  /** The cluster refuses to be read as a whole; single namespaces of it may still be readable. */
  isWholeRefused(): boolean {
    return CLAIMED.some((kind) => this.#watched[kind].isWholeRefused());
  }

  /** Reads namespaces by themselves that may be read, for each kind that the cluster refuses as a whole. */
  narrow(namespaces: Iterable<string>): void {
    const readable = [...namespaces];
    for (const kind of NAMESPACED) this.#watched[kind].narrow(readable, this.#now());
  }

  /** Reads the whole cluster again, as far as it lets; true if anything changed by that. */
  widen(): boolean {
    return NAMESPACED.map((kind) => this.#watched[kind].widen()).includes(true);
  }

  /** The namespace itself was read, and is no more: nothing is in it as of that instant. Null: it is there, or may be. */
  markAbsent(namespace: string, lookedAt: number | null): void {
    if (lookedAt === null) {
      this.#absent.delete(namespace);
      return;
    }
    const isNews = !this.#absent.has(namespace);
    this.#absent.set(namespace, lookedAt);
    if (isNews) for (const kind of NAMESPACED) this.#watched[kind].forget(namespace);
  }

  /** Single namespaces are read by themselves, since the cluster refuses the whole. */
  isNarrow(): boolean {
    return NAMESPACED.some((kind) => this.#watched[kind].isNarrow);
  }

  #standing(needed: readonly AnyReflector[], now: number): ScopeStanding {
    // While one kind shows the past of a restored cluster, the same API server is not believed about any (rule 1).
    const restored = this.#all().find((one) => one.standing(now).problem?.kind === 'restored');
    const standings = needed.map((one) => one.standing(now));
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
    return KINDS.flatMap((kind): AnyReflector[] => this.#watched[kind].all());
  }
}

const absentStanding = (lookedAt: number, now: number): ScopeStanding => ({
  ...{ isComplete: true, provenAt: lookedAt, watchAgeMs: Math.max(0, now - lookedAt) },
  ...{ problem: null, denied: [] },
});

const KINDS = Object.keys(CACHED_KINDS) as CachedKind[];
const NAMESPACED = KINDS.filter((kind) => CACHED_KINDS[kind].needed !== 'nodes');
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
  conflict: 5,
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

import type { ApiConnection } from '../connection.ts';
import { readPage } from '../list-pages.ts';
import { ApiFailure, type ClusterProblem, clusterProblemOf } from '../problem.ts';
import { type ApiResource, type ListScope, listPath } from '../resources.ts';
import type { ApiSession } from '../session.ts';
import {
  beginReflecting,
  decideReflect,
  type ReflectAction,
  type ReflectDecision,
  type ReflectEvent,
  type ReflectState,
  tickAt,
} from './decide.ts';
import { type HistoryWitness, readProbe } from './probe.ts';
import { type KeptRecord, RecordStore } from './record-store.ts';
import { compareVersions } from './versions.ts';
import { watchLines } from './watch-lines.ts';

interface ReflectorOptions<R extends KeptRecord> {
  readonly resource: ApiResource;
  readonly scope: ListScope;
  readonly fieldSelector?: string;
  /** Takes from an object what is kept; null for one without identity. The object itself is forgotten. */
  readonly keep: (object: unknown) => R | null;
  readonly onChange?: (change: ReflectorChange<R>) => void;
  /** Highest version that an earlier process saw in this cluster, if it is remembered. */
  readonly highest?: string | null;
  /** What another watch had of the scope: the first list says what of it is gone. */
  readonly seed?: Iterable<R>;
  readonly now?: () => number;
  readonly random?: () => number;
}

export type ReflectorChange<R> =
  | { readonly kind: 'put'; readonly record: R; readonly before: R | null }
  /** The API no longer has it. Its processes may still run (rule 6). */
  | { readonly kind: 'deleted'; readonly record: R }
  /** The copy is forgotten now: the cluster was restored (rule 1), or the kind is not served any more. */
  | { readonly kind: 'dropped'; readonly because: 'restored' | 'absent' }
  /** A list is complete: everything that came before it is in the copy. */
  | { readonly kind: 'complete' };

/** The degree to which the copy may be believed at an instant. */
interface ReflectorStanding {
  /** The copy is a whole list plus events. */
  readonly isComplete: boolean;
  /** Age of the last proof; null before the first. */
  readonly watchAgeMs: number | null;
  /** Monotonic instant up to which everything is in the copy; null before the first proof. */
  readonly provenAt: number | null;
  readonly problem: ClusterProblem | null;
  readonly highest: string | null;
}

const PAGE_MS = 10_000;
const OPEN_MS = 5_000;
/** Caps the facts that one probe reads again: the oldest are worth most. */
const WITNESSES = 6;

/** Keeps the records of one kind in one scope up to date. decide.ts decides; this carries out. */
export class Reflector<R extends KeptRecord> {
  readonly #connection: ApiConnection;
  readonly #options: ReflectorOptions<R>;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #records = new RecordStore<R>();
  #staged: Map<string, R> = new Map();
  #state: ReflectState | null = null;
  #run = new AbortController();
  #session: ApiSession | null = null;
  /** Facts of the copy's past that etcd has not confirmed. */
  #witnesses: readonly HistoryWitness[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(connection: ApiConnection, options: ReflectorOptions<R>) {
    this.#connection = connection;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#random = options.random ?? Math.random;
    for (const record of options.seed ?? []) this.#records.set(record);
  }

  get resource(): ApiResource {
    return this.#options.resource;
  }

  get records(): ReadonlyMap<string, R> {
    return this.#records.byUid;
  }

  recordsIn(namespace: string): Iterable<R> {
    return this.#records.inNamespace(namespace);
  }

  /** Namespaces with a record in them. */
  namespaces(): Iterable<string> {
    return this.#records.namespaces();
  }

  /** Hands over what it has of a namespace to another watch, for whom it is there as before. */
  take(namespace: string): readonly R[] {
    const records = [...this.#records.inNamespace(namespace)];
    for (const { uid } of records) this.#records.delete(uid);
    return records;
  }

  /** Somebody else has proven that nothing of the namespace is there any more. */
  forget(namespace: string): void {
    for (const record of this.take(namespace)) this.#options.onChange?.({ kind: 'deleted', record });
  }

  standing(now: number = this.#now()): ReflectorStanding {
    const { isComplete = false, provenAt = null, problem = null, highest = null } = this.#state ?? {};
    return {
      isComplete,
      provenAt,
      problem,
      highest,
      watchAgeMs: provenAt === null ? null : Math.max(0, now - provenAt),
    };
  }

  start(): void {
    if (this.#state === null) this.#carryOut(beginReflecting(this.#options.highest ?? null, this.#now()));
  }

  stop(): void {
    this.#state = null;
    this.#run.abort(STOPPED);
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** `content` is what `stage` and `apply` work on. */
  #receive(event: ReflectEvent, content?: RunContent<R>): void {
    if (this.#state === null) return;
    this.#carryOut(decideReflect(this.#state, event, this.#now(), this.#random), content);
  }

  #carryOut({ state, actions }: ReflectDecision, content?: RunContent<R>): void {
    this.#state = state;
    for (const action of actions) this.#act(action, content);
    this.#setTimer();
  }

  #setTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const at = this.#state === null ? null : tickAt(this.#state);
    if (at === null) return;
    this.#timer = setTimeout(() => this.#receive({ kind: 'tick' }), Math.max(0, at - this.#now()));
  }

  #act(action: ReflectAction, content?: RunContent<R>): void {
    switch (action.do) {
      case 'abandon':
        this.#run.abort(STOPPED);
        this.#run = new AbortController();
        this.#staged = new Map();
        return;
      case 'list':
        void this.#list(action, this.#run.signal);
        return;
      case 'watch':
        this.#addWitness();
        void this.#watch(action, this.#run.signal);
        return;
      case 'probe':
        void this.#probe(action, this.#run.signal);
        return;
      case 'stage':
        if (content?.kind === 'page')
          for (const record of content.records) this.#staged.set(record.uid, record);
        return;
      case 'commit':
        this.#commit();
        return;
      case 'apply':
        if (content?.kind === 'changed') this.#apply(content);
        return;
      case 'drop':
        this.#options.onChange?.({ kind: 'dropped', because: action.because });
        this.#records.clear();
        this.#witnesses = [];
        return;
    }
  }

  async #list(action: Extract<ReflectAction, { do: 'list' }>, signal: AbortSignal): Promise<void> {
    const { resource, scope, fieldSelector } = this.#options;
    try {
      const page = await readPage(this.#connection, resource, scope, {
        limit: action.limit,
        next: action.next,
        timeoutMs: PAGE_MS,
        signal,
        ...(fieldSelector === undefined ? {} : { fieldSelector }),
      });
      if (page.resourceVersion === '') throw unusable('A list has no version.');
      const records = page.items.map((item) => this.#kept(item));
      const { resourceVersion: version, next, bytes } = page;
      this.#receive({ kind: 'page', run: action.run, version, next, bytes }, { kind: 'page', records });
    } catch (error) {
      if (!signal.aborted)
        this.#receive({ kind: 'ended', run: action.run, problem: clusterProblemOf(error) });
    }
  }

  async #watch(action: Extract<ReflectAction, { do: 'watch' }>, signal: AbortSignal): Promise<void> {
    const { resource, scope, fieldSelector } = this.#options;
    const { run } = action;
    const path = listPath(resource, scope, {
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: action.version,
      timeoutSeconds: String(action.timeoutSeconds),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    });
    try {
      const { session, body } = await this.#connection.stream(path, { signal, timeoutMs: OPEN_MS });
      const isSameConnection = session === this.#session;
      this.#session = session;
      this.#receive({ kind: 'opened', run, isSameConnection });
      for await (const line of watchLines(body)) {
        if (signal.aborted) return;
        if (line.kind === 'error') throw new ApiFailure(line.problem);
        const { kind, version } = line;
        // Kept before it counts: an event that cannot be read must not move the copy's version.
        if (line.kind === 'bookmark') this.#receive({ kind, run, version });
        else
          this.#receive(
            { kind, run, version },
            { kind: 'changed', type: line.type, record: this.#kept(line.object) },
          );
      }
      if (!signal.aborted) this.#receive({ kind: 'ended', run, problem: null });
    } catch (error) {
      if (!signal.aborted) this.#receive({ kind: 'ended', run, problem: clusterProblemOf(error) });
    }
  }

  async #probe(action: Extract<ReflectAction, { do: 'probe' }>, signal: AbortSignal): Promise<void> {
    const { resource, scope } = this.#options;
    const { run, timeoutMs } = action;
    const session = this.#session;
    if (session === null) return;
    this.#addWitness();
    const witnesses = this.#witnesses;
    try {
      const answer = await readProbe(this.#connection, {
        resource,
        scope,
        session,
        timeoutMs,
        signal,
        witnesses,
      });
      if (signal.aborted) return;
      if (answer.isSameHistory) this.#witnesses = [];
      this.#receive({ kind: 'probed', run, ...answer });
    } catch (error) {
      if (!signal.aborted) this.#receive({ kind: 'probe_failed', run, problem: clusterProblemOf(error) });
    }
  }

  /**
   * Before a watch begins and before each probe: events that follow may be of a restored cluster, and would make a copy
   * of two worlds whose newest object is right. Kept until etcd has confirmed them.
   */
  #addWitness(): void {
    const witness = this.#newestWitness();
    if (witness === null || this.#witnesses.length >= WITNESSES) return;
    if (this.#witnesses.every(({ version }) => version !== witness.version))
      this.#witnesses = [...this.#witnesses, witness];
  }

  #newestWitness(): HistoryWitness | null {
    let newest: R | null = null;
    for (const record of this.#records.byUid.values())
      if (newest === null || (compareVersions(record.version, newest.version) ?? 0) > 0) newest = record;
    const version = this.#state?.version ?? null;
    return version === null ? null : { version, newest };
  }

  #kept(object: unknown): R {
    const record = this.#options.keep(object);
    // Passing it over would make it look deleted.
    if (record === null) throw unusable(`An object of ${this.resource.resource} has no identity.`);
    return record;
  }

  #apply({ type, record }: Extract<RunContent<R>, { kind: 'changed' }>): void {
    const before = this.#records.byUid.get(record.uid) ?? null;
    if (type === 'put') {
      this.#records.set(record);
      this.#options.onChange?.({ kind: 'put', record, before });
    } else {
      this.#records.delete(record.uid);
      // The event carries the last state, which may be newer than the copy's.
      if (before !== null) this.#options.onChange?.({ kind: 'deleted', record });
    }
  }

  /** The copy changes only here and by events: a list that is not complete proves no absence (F58). */
  #commit(): void {
    this.#witnesses = [];
    const staged = this.#staged;
    this.#staged = new Map();
    for (const [uid, record] of this.#records.byUid)
      if (!staged.has(uid)) {
        this.#records.delete(uid);
        this.#options.onChange?.({ kind: 'deleted', record });
      }
    for (const [uid, record] of staged) {
      const before = this.#records.byUid.get(uid) ?? null;
      this.#records.set(record);
      this.#options.onChange?.({ kind: 'put', record, before });
    }
    this.#options.onChange?.({ kind: 'complete' });
  }
}

type RunContent<R> =
  | { readonly kind: 'page'; readonly records: readonly R[] }
  | { readonly kind: 'changed'; readonly type: 'put' | 'deleted'; readonly record: R };

const STOPPED = new Error('abandoned');
const unusable = (message: string) => new ApiFailure({ kind: 'protocol', message });

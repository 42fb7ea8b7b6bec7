import type { Rng } from '../../lab/rng.ts';
import type { ClusterProblem } from '../../src/kubernetes/api/problem.ts';
import {
  beginReflecting,
  decideReflect,
  type ReflectAction,
  type ReflectDecision,
  type ReflectEvent,
  type ReflectState,
  tickAt,
} from '../../src/kubernetes/api/reflect/decide.ts';

interface Change {
  readonly at: number;
  readonly version: number;
  readonly uid: string;
  readonly type: 'put' | 'deleted';
}

type Objects = ReadonlyMap<string, number>;

/** Contents of etcd: every change that ever happened, in order. */
interface Store {
  readonly version: number;
  readonly log: readonly Change[];
}

const objectsAt = (store: Store, version: number): Map<string, number> => {
  const objects = new Map<string, number>();
  for (const change of store.log) {
    if (change.version > version) break;
    if (change.type === 'put') objects.set(change.uid, change.version);
    else objects.delete(change.uid);
  }
  return objects;
};

/**
 * A model of one kind in a cluster, with a reflector on it, in simulated time: an etcd that freezes and is restored, an
 * API server with a memory of its own that may not notice, and a network that delays, breaks and goes deaf. Only for
 * schedules of the reflector's decisions; it is written from the observed facts, not from the code.
 */
export class ModelCluster {
  now = 0;
  state: ReflectState;
  requests: number[] = [];
  restoredSignals = 0;
  readonly copy = new Map<string, number>();
  readonly #rng: Rng;
  #staged = new Map<string, number>();
  #etcd: Store = { version: 100, log: [] };
  /** The API server shows etcd, or its memory of the etcd from before a restore. */
  #memory: Store | null = null;
  #backup: Store | null = null;
  #restoredAt = -1;
  #restoredBefore = -1;
  #oldest = 0;
  #etcdFrozenUntil = -1;
  #brokenUntil = -1;
  #deafUntil = -1;
  #refusal: { readonly until: number; readonly problem: ClusterProblem } | null = null;
  #queue: { readonly at: number; readonly run: () => void }[] = [];
  #witnesses: { readonly version: number; readonly newest: readonly [string, number] | undefined }[] = [];
  #watch: { readonly run: number; version: number } | null = null;

  constructor(rng: Rng) {
    this.#rng = rng;
    const begun = beginReflecting(null, 0);
    this.state = begun.state;
    this.#carryOut(begun);
  }

  get #shown(): Store {
    return this.#memory ?? this.#etcd;
  }

  /** Lets one thing happen to the cluster. */
  disturb(): void {
    const rng = this.#rng;
    const until = this.now + rng.int(1, 12_000);
    const kinds = ['unauthorized', 'forbidden', 'absent', 'refused'] as const;
    switch (rng.int(0, 13)) {
      case 0:
        this.#etcdFrozenUntil = until;
        return;
      case 1:
        this.#brokenUntil = until;
        {
          this.#breakWatch({ kind: 'unreachable', message: '' });
          return;
        }
      case 2:
        this.#deafUntil = until;
        return;
      case 3:
        this.#refusal = {
          until,
          problem: { kind: kinds[rng.int(0, 3)] ?? 'refused', message: '', status: 400 },
        };
        return;
      case 4: {
        const problem = {
          kind: 'unavailable',
          status: 429,
          message: '',
          retryAfterMs: rng.int(0, 3_000),
        } as const;
        this.#refusal = { until, problem };
        return;
      }
      case 5:
        this.#oldest = this.#shown.version;
        {
          this.#breakWatch({ kind: 'gone', message: '' });
          return;
        }
      case 6: {
        this.#restartApi();
        return;
      }
      case 7:
        this.#backup = this.#memory === null ? this.#etcd : null;
        return;
      case 8: {
        this.#restore();
        return;
      }
      default: {
        this.#write();
        return;
      }
    }
  }

  #write(): void {
    // Writes reach etcd; a memory from before a restore does not see them.
    if (this.now < this.#etcdFrozenUntil || this.#memory !== null) return;
    const version = this.#etcd.version + this.#rng.int(1, 40);
    const uid = `u${this.#rng.int(0, 5)}`;
    const exists = objectsAt(this.#etcd, version).has(uid);
    // Since a backup only puts: a deletion that a restore undoes cannot be told by the newest object alone.
    const type = exists && this.#backup === null && this.#rng.int(0, 2) === 0 ? 'deleted' : 'put';
    this.#etcd = { version, log: [...this.#etcd.log, { at: this.now, version, uid, type }] };
    this.#deliver();
  }

  #restore(): void {
    if (this.#backup === null || this.#backup.version === this.#etcd.version) return;
    if (this.#etcd.log.at(-1)?.version === this.#backup.log.at(-1)?.version) return;
    this.#memory = this.#etcd;
    this.#etcd = this.#backup;
    this.#backup = null;
    this.#restoredBefore = this.#restoredAt;
    this.#restoredAt = this.now;
    if (this.#rng.int(0, 1) === 0) this.#restartApi();
  }

  #restartApi(): void {
    this.#memory = null;
    this.#oldest = this.#etcd.version;
    this.#breakWatch({ kind: 'unreachable', message: '' });
  }

  #breakWatch(problem: ClusterProblem): void {
    const watch = this.#watch;
    this.#watch = null;
    if (watch !== null) this.#receive({ kind: 'ended', run: watch.run, problem });
  }

  /** Ends every disturbance. */
  heal(): void {
    if (this.#memory !== null) this.#restartApi();
    this.#backup = null;
    this.#refusal = null;
    this.#etcdFrozenUntil = this.#brokenUntil = this.#deafUntil = -1;
  }

  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const tick = tickAt(this.state);
      const [first] = this.#queue.toSorted((a, b) => a.at - b.at);
      const at = Math.min(tick ?? Number.POSITIVE_INFINITY, first?.at ?? Number.POSITIVE_INFINITY);
      if (at > end) break;
      this.now = Math.max(this.now, at);
      if (first !== undefined && first.at === at) {
        this.#queue = this.#queue.filter((one) => one !== first);
        first.run();
      } else this.#receive({ kind: 'tick' });
    }
    this.now = end;
  }

  /** The rule of rule 2: whatever happened up to the instant of the proof is in the copy. */
  violation(): string | null {
    const { provenAt, isComplete } = this.state;
    if (provenAt === null) return null;
    if (!isComplete) return 'proven without a complete list';
    if (provenAt > this.now) return 'proven in the future';
    if (this.#memory !== null && provenAt > this.#restoredAt)
      return 'proven by an API server that shows the past';
    // A proof from before a restore is about the world before it.
    const world = this.#memory ?? this.#etcd;
    if (provenAt < (this.#memory === null ? this.#restoredAt : this.#restoredBefore)) return null;
    const floor = world.log.filter(({ at }) => at < provenAt).at(-1)?.version ?? 0;
    const states = [floor, ...world.log.map(({ version }) => version).filter((v) => v > floor)].map(
      (version) => objectsAt(world, version),
    );
    const uids = new Set([...this.copy.keys(), ...(states[0]?.keys() ?? [])]);
    for (const uid of uids)
      if (!states.some((objects) => objects.get(uid) === this.copy.get(uid)))
        return `proven as of ${provenAt}, and ${uid} is ${this.copy.get(uid)}`;
    return null;
  }

  /** The copy is the cluster, and proven not long ago. */
  isSettled(): boolean {
    const { provenAt } = this.state;
    const objects: Objects = objectsAt(this.#etcd, this.#etcd.version);
    const isSame =
      objects.size === this.copy.size && [...objects].every(([uid, v]) => this.copy.get(uid) === v);
    return isSame && provenAt !== null && this.now - provenAt <= 8_000;
  }

  #receive(event: ReflectEvent, change?: Change | Objects): void {
    this.#carryOut(
      decideReflect(this.state, event, this.now, () => this.#rng.int(0, 999) / 1000),
      change,
    );
  }

  #carryOut({ state, actions }: ReflectDecision, content?: Change | Objects): void {
    this.state = state;
    for (const action of actions) this.#act(action, content);
  }

  #act(action: ReflectAction, content?: Change | Objects): void {
    switch (action.do) {
      case 'abandon':
        this.#watch = null;
        this.#staged = new Map();
        return;
      case 'stage':
        if (content instanceof Map) for (const [uid, version] of content) this.#staged.set(uid, version);
        return;
      case 'commit':
        this.copy.clear();
        for (const [uid, version] of this.#staged) this.copy.set(uid, version);
        this.#witnesses = [];
        return;
      case 'apply':
        if (content === undefined || !('uid' in content)) return;
        if (content.type === 'put') this.copy.set(content.uid, content.version);
        else this.copy.delete(content.uid);
        return;
      case 'drop':
        this.copy.clear();
        this.#witnesses = [];
        if (action.because === 'restored') this.restoredSignals++;
        return;
      case 'list': {
        this.#list(action);
        return;
      }
      case 'watch': {
        this.#witnesses.push(this.#newest());
        this.#open(action);
        return;
      }
      case 'probe': {
        this.#probe(action);
        return;
      }
    }
  }

  #later(ms: number, run: () => void): void {
    this.#queue.push({ at: this.now + ms, run });
  }

  /** The fault that meets a request now, after the time it takes to show. */
  #fault(
    timeoutMs: number,
    needsEtcd: boolean,
  ): { readonly ms: number; readonly problem: ClusterProblem } | null {
    this.requests.push(this.now);
    if (this.now < this.#brokenUntil) return { ms: 5, problem: { kind: 'unreachable', message: '' } };
    if (this.#refusal !== null && this.now < this.#refusal.until)
      return { ms: 5, problem: this.#refusal.problem };
    if (needsEtcd && this.now < this.#etcdFrozenUntil)
      return { ms: timeoutMs, problem: { kind: 'timed_out', message: '' } };
    return null;
  }

  #list({ run, next }: Extract<ReflectAction, { do: 'list' }>): void {
    const fault = this.#fault(10_000, true);
    if (fault !== null) {
      this.#later(fault.ms, () => this.#receive({ kind: 'ended', run, problem: fault.problem }));
      return;
    }
    const store = this.#shown;
    const version = next === null ? store.version : Number(next.split('/')[0]);
    const delay = this.#rng.int(1, 300);
    this.#later(delay, () => {
      if (next !== null && version < this.#oldest) {
        this.#receive({ kind: 'ended', run, problem: { kind: 'gone', message: '' } });
        return;
      }
      const objects = [...objectsAt(store, version)];
      const from = next === null ? 0 : 2;
      const hasMore = next === null && objects.length > 2;
      const content = new Map(objects.slice(from, hasMore ? 2 : undefined));
      const token = hasMore ? `${version}/2` : null;
      this.#receive({ kind: 'page', run, version: String(version), next: token, bytes: 100 }, content);
    });
  }

  #open({ run, version, timeoutSeconds }: Extract<ReflectAction, { do: 'watch' }>): void {
    const fault = this.#fault(5_000, false);
    if (fault !== null) {
      this.#later(fault.ms, () => this.#receive({ kind: 'ended', run, problem: fault.problem }));
      return;
    }
    this.#later(this.#rng.int(1, 50), () => {
      if (this.state.run !== run) return;
      if (Number(version) < this.#oldest) {
        this.#receive({ kind: 'ended', run, problem: { kind: 'gone', message: '' } });
        return;
      }
      const watch = { run, version: Number(version) };
      this.#watch = watch;
      this.#receive({ kind: 'opened', run, isSameConnection: this.#rng.int(0, 3) > 0 });
      this.#deliver();
      this.#later(timeoutSeconds * 1000 - 1_500, () => {
        // Bookmarks come from the API server's memory and go on over a frozen etcd.
        if (this.#watch !== watch || this.now < this.#deafUntil || watch.version >= this.#shown.version)
          return;
        this.#deliver();
        watch.version = this.#shown.version;
        this.#receive({ kind: 'bookmark', run, version: String(watch.version) });
      });
      this.#later(timeoutSeconds * 1000, () => {
        if (this.#watch !== watch || this.now < this.#deafUntil) return;
        this.#watch = null;
        this.#receive({ kind: 'ended', run, problem: null });
      });
    });
  }

  #deliver(): void {
    const watch = this.#watch;
    if (watch === null || this.now < this.#deafUntil) return;
    for (const change of this.#shown.log) {
      if (change.version <= watch.version || this.#watch !== watch) continue;
      watch.version = change.version;
      this.#receive({ kind: 'changed', run: watch.run, version: String(change.version) }, change);
    }
  }

  #newest() {
    const newest = [...this.copy].toSorted(([, a], [, b]) => b - a)[0];
    return { version: Number(this.state.version), newest };
  }

  #probe({ run, timeoutMs }: Extract<ReflectAction, { do: 'probe' }>): void {
    const fault = this.#fault(timeoutMs, true);
    if (fault !== null) {
      this.#later(fault.ms, () => this.#receive({ kind: 'probe_failed', run, problem: fault.problem }));
      return;
    }
    const witnesses = [...this.#witnesses, this.#newest()];
    this.#witnesses = witnesses;
    this.#later(this.#rng.int(1, 40), () => {
      const shown = String(this.#shown.version);
      const isSameHistory = [...witnesses, { version: Number(shown), newest: undefined }].every(
        ({ version, newest }) => {
          const isNew = newest === undefined || objectsAt(this.#etcd, version).get(newest[0]) === newest[1];
          return isNew && version <= this.#etcd.version;
        },
      );
      this.#later(this.#rng.int(1, 400), () => {
        if (isSameHistory && run === this.state.run) this.#witnesses = [];
        this.#receive({ kind: 'probed', run, version: shown, isSameHistory });
      });
    });
  }
}

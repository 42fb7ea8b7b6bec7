import type { Caller } from '../../src/access/caller.ts';
import type { Claim } from '../../src/contract/claim.ts';
import type { Git, Origin, Spec } from '../../src/contract/intent.ts';
import type { TokenRole } from '../../src/contract/vocabulary.ts';
import { claimAt, claimNow, evidenceOf, history, transitionsOf } from '../../src/evidence/read.ts';
import { setObservation } from '../../src/evidence/report/observation-rule.ts';
import { retirePlace } from '../../src/evidence/report/retire.ts';
import { cancel } from '../../src/intent/cancel.ts';
import { deploy } from '../../src/intent/deploy.ts';
import { restart, rollback, scale } from '../../src/intent/derive.ts';
import { retry } from '../../src/intent/retry.ts';
import { teardown } from '../../src/intent/teardown.ts';
import { type Deliver, publish } from '../../src/ownership/publish.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/projection/facts.ts';
import { type Reach, recover } from '../../src/repair/recover.ts';
import { sweep } from '../../src/repair/sweep.ts';
import { isIntactEntry } from '../../src/server/reads/history.ts';
import { isIntact } from '../../src/store/broken-row.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/port.ts';
import type { Rows, Table } from '../../src/store/schema.ts';
import { Agent } from './agent.ts';
import { granted, ORG, T0, WEB } from './names.ts';
import { Taker } from './taker.ts';

export * from './names.ts';

export const newLab = (settings: Partial<Settings> = {}) => new Lab(settings);

/** The store's clock of a scenario: only the test moves it. */
export interface Clock {
  now: number;
}

/** The verbs on any store, for a test that plays all parties. */
export class Platform<S extends Store = Store> {
  readonly store: S;
  readonly clock: Clock;
  readonly host: { readonly store: S; readonly settings: Settings };
  #ids = 0;

  constructor(store: S, clock: Clock, settings: Partial<Settings> = {}) {
    this.store = store;
    this.clock = clock;
    this.host = { store, settings: { ...DEFAULT_SETTINGS, ...settings } };
  }

  get now(): number {
    return this.clock.now;
  }
  set now(at: number) {
    this.clock.now = at;
  }

  caller(name: string, role: TokenRole, bound: Partial<Caller> = {}): Caller {
    return { org: ORG, role, name, instance: `${name}-1`, target: '*', service: '*', ...bound };
  }
  id = (prefix: string) => `${prefix}-${++this.#ids}`;

  // Actions that people request.
  async deploy(
    origin: Origin | null,
    spec: Spec = {},
    how: {
      service?: string;
      actor?: string;
      key?: string;
      fingerprint?: string;
      git?: Git;
      unset?: string[];
      declared?: string[];
    } = {},
  ) {
    const { service = WEB, actor = 'ana', key, fingerprint: _fingerprint, ...rest } = how;
    const request = {
      service,
      spec,
      ...(origin === null ? {} : { origin }),
      ...rest,
    };
    const fingerprint = how.fingerprint ?? JSON.stringify(request);
    return granted(await deploy(this.host, this.#user(actor), request, key ? { key, fingerprint } : null));
  }
  restart = async (service = WEB) => granted(await restart(this.host, this.#user(), service));
  scale = async (replicas: number, service = WEB) =>
    granted(await scale(this.host, this.#user(), service, replicas));
  rollback = async (to: number | null = null, service = WEB) =>
    granted(await rollback(this.host, this.#user(), service, to));
  retry = async (service = WEB, actor = 'ana') => granted(await retry(this.host, this.#user(actor), service));
  cancel = async (revision: number | null = null, service = WEB) =>
    granted(await cancel(this.host, this.#user(), service, revision));
  teardown = async (force: string | null = null, service = WEB) =>
    granted(
      force === null
        ? await teardown(this.host, this.#user(), service)
        : await teardown(this.host, this.caller('olga', 'operator'), service, { reason: force }),
    );
  retire = async (identity: string, target = 'lab') =>
    granted(
      await retirePlace(this.host, this.caller('olga', 'operator'), target, {
        identity,
        reason: 'it burned',
      }),
    );
  observe = async (rule: { namespaces: string[]; selector?: string; ask?: boolean } | null, target = 'lab') =>
    granted(await setObservation(this.host, this.caller('adam', 'admin'), target, rule)).rule;
  #user = (name = 'ana') => this.caller(name, 'deployer');

  // Actions of the platform itself.
  publish = (deliver?: Deliver) =>
    publish(this.host, { name: 'publisher', instance: 'p1' }, ORG, ...(deliver ? [deliver] : []));
  sweep = (name = 'sweeper-a') => sweep(this.host, { name, instance: 's1' }, ORG);
  /** Declares that the store was restored. `reached` is what a witness remembers of the time before. */
  recover = (reached: Readonly<Record<string, Reach>> = {}) =>
    this.store.transact((tx) =>
      recover(tx, this.host, {
        id: this.id('incarnation'),
        why: 'declared',
        reason: 'a test restored it',
        actor: 'otto',
        identity: null,
        reached,
      }),
    );
  async holds(...digests: string[]): Promise<void> {
    await this.store.transact(async (tx) => {
      for (const digest of digests) await tx.insert('artifacts', { org: ORG, digest, size: 1 });
    });
  }

  /** Advances the clock while the platform is awake: it beats and sweeps every second. */
  async tick(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1000) {
      this.now += Math.min(1000, left);
      await this.sweep();
    }
  }
  /** Advances the clock while nothing of the platform runs. */
  sleep(ms: number): void {
    this.now += ms;
  }

  // The parties that build and observe.
  builder(name = 'builder-a', bound: Partial<Caller> = {}) {
    return new Taker(this, this.caller(name, 'builder', bound), ['build'], `${name}-1`, undefined);
  }
  agent(name = 'agent-lab', instance = `${name}-1`) {
    return new Agent(this, this.caller(name, 'agent', { target: 'lab', instance }), instance, 'lab');
  }

  // Claims and rows that the platform shows.
  claim = async (service = WEB): Promise<Claim> => granted(await claimNow(this.host, ORG, service)).claim;
  asOperator = async (service = WEB): Promise<Claim> =>
    granted(await claimNow(this.host, ORG, service, 'operator')).claim;
  claimAt = async (at: number, service = WEB): Promise<Claim> =>
    granted(await claimAt(this.host, ORG, service, at)).claim;
  history = async (service = WEB) => (await history(this.host, ORG, service, 100)).filter(isIntactEntry);
  evidence = async (service = WEB) => (await evidenceOf(this.host, ORG, service)).filter(isIntact);
  transitions = async (service = WEB) => (await transitionsOf(this.host, ORG, service)).filter(isIntact);
  /** The recorded transitions as `state by owner`. */
  path = async (service = WEB) => (await this.transitions(service)).map((t) => `${t.to} by ${t.owner}`);
  outcomes = async (service = WEB) =>
    (await this.history(service)).flatMap((r) =>
      r.attempts.map((a) => `r${a.revision}.a${a.attempt} ${a.outcome}`),
    );
}

/** A platform on the store in memory, whose tables a test may look into. */
export class Lab extends Platform<MemoryStore> {
  constructor(settings: Partial<Settings>) {
    const clock = { now: T0 };
    super(new MemoryStore(() => clock.now), clock, settings);
  }
  count = (table: Table) => this.store.tables[table].size;
  rows = <T extends Table>(table: T): Rows[T][] => [...this.store.tables[table].values()];
}

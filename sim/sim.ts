import type { Rng } from '../lab/rng.ts';
import type { Caller } from '../src/access/caller.ts';
import type { TokenRole } from '../src/contract/vocabulary.ts';
import { type Host, sharingHost } from '../src/evidence/door/host.ts';
import { Sharing, type SharingPauses, type Wait } from '../src/evidence/door/sharing.ts';
import { TARGET_SIZE } from '../src/evidence/door/through-door.ts';
import type { Settings } from '../src/projection/facts.ts';
import { MemoryStore, type Seams } from '../src/store/memory.ts';
import { Conflict, OutcomeUnknown } from '../src/store/port.ts';
import { answerText, type CallResult } from './answer-text.ts';
import { CALM, type Fault, type FaultCounts, noFaults, type Rates } from './faults.ts';
import { Crashed, Kernel, type Process, type Task } from './kernel.ts';
import type { Happening } from './oracle-port.ts';
import type { SimTarget } from './target.ts';
import type { RealStore } from './twin/real-store.ts';
import { TwinStore } from './twin/twin-store.ts';
import { World } from './world.ts';

/** Never two reports in one transaction: the oracle derives from a commit which report it accepted, and of which agent. */
const LIMITS = { together: 2 * TARGET_SIZE - 1, waiting: 1_000 };

interface SimService {
  readonly org: string;
  readonly service: string;
  readonly target: SimTarget;
  /** Of a workload that a rule of the target finds: nobody deploys it here. */
  readonly namespace?: string;
}

const START = Date.UTC(2026, 10, 14, 14, 0, 0);

/** What differs between schedules without being rolled: the rest of a schedule stays what it was. */
interface SimHabits {
  readonly shares?: boolean;
  readonly takesSeveral?: boolean;
}

/** One schedule's universe: time, chance, the store under test, the truth, and who lives in it. */
export class Sim {
  readonly rng: Rng;
  readonly kernel: Kernel;
  readonly world = new World();
  /** The store that the simulator and its oracle read. */
  readonly store: MemoryStore;
  /** Memory and a real database as one, if there is one. */
  readonly twin: TwinStore | null;
  /** Callers of a server share transactions. */
  readonly sharesTransactions: boolean;
  /** Builders ask for several builds at once. */
  readonly takesSeveral: boolean;
  readonly #lives = new Map<string, Host>();
  readonly settings: Settings;
  readonly servers: Process[] = [];
  readonly targets: SimTarget[] = [];
  readonly services: SimService[] = [];
  /** Services that another tool deploys: they are only looked at. */
  readonly observed = new Set<string>();
  readonly faults: FaultCounts = noFaults();
  rates: Rates;
  healing = false;
  clockOffset = 0;
  onHappening: ((happening: Happening) => void) | null = null;
  onFault: ((fault: Fault) => void) | null = null;

  constructor(
    rng: Rng,
    settings: Settings,
    rates: Rates,
    real?: { readonly store: RealStore; readonly rng: Rng },
    { shares = false, takesSeveral = false }: SimHabits = {},
  ) {
    this.rng = rng;
    this.rates = rates;
    this.settings = settings;
    this.kernel = new Kernel(rng, START);
    const serial = real?.store.serial ?? false;
    this.store = new MemoryStore(() => this.storeNow(), this.#seams(), { serial });
    this.twin = real === undefined ? null : new TwinStore(this.store, real.store, real.rng);
    this.sharesTransactions = shares;
    this.takesSeveral = takesSeveral;
  }

  /** The host of the process that has the turn: callers share transactions only within one process. */
  get host(): Host {
    const host = { store: this.twin ?? this.store, settings: this.settings };
    const process = this.kernel.current;
    if (!this.sharesTransactions || process === null) return host;
    const life = `${process.name} ${process.incarnation}`;
    const known =
      this.#lives.get(life) ?? sharingHost(host.store, host.settings, new Sharing(LIMITS, this.#pauses()));
    this.#lives.set(life, known);
    return known;
  }

  /** A caller that waits is parked; a commit calls `onCommit` of every caller that its transaction serves. */
  #pauses(): SharingPauses {
    const { kernel } = this;
    const callers = new Map<Wait, Task>();
    return {
      wait: () => {
        const { task } = kernel;
        const wait = kernel.sleep();
        if (task !== null) callers.set(wait, task);
        return wait;
      },
      pauseToJoin: () => undefined,
      serving: (others) => {
        const { task } = kernel;
        if (task === null || others.length === 0) return () => {};
        this.hit('transaction shared');
        const own = task.onCommit;
        const all = others.flatMap((wait) => callers.get(wait) ?? []);
        task.onCommit = () => {
          own?.();
          for (const { onCommit } of all) onCommit?.();
        };
        return () => {
          task.onCommit = own;
        };
      },
      isDeath: (error) => !isForeseen(error),
    };
  }

  storeNow(): number {
    return this.kernel.now + this.clockOffset;
  }

  hit(fault: Fault): void {
    this.faults[fault]++;
    this.onFault?.(fault);
  }

  /** Rolls for a fault and counts it if it strikes. */
  strikes(rate: number, fault: Fault): boolean {
    if (!this.rng.chance(rate)) return false;
    this.hit(fault);
    return true;
  }

  happened(happening: Happening): void {
    this.onHappening?.(happening);
  }

  process(name: string): Process {
    return { name, incarnation: 1, pausedUntil: 0, alive: true };
  }

  caller(org: string, role: TokenRole, name: string, instance = name, target = '*'): Caller {
    return { org, role, name: `${org}:${name}`, instance, target, service: '*' };
  }

  readonly #idle = new Map<Process, { readonly kind: 'publisher' | 'worker'; readonly wake: () => void }>();

  /** Waits as a long poll does: for a while, or until there may be something to do. */
  async idle(process: Process, ms: number, label: string, kind: 'publisher' | 'worker'): Promise<void> {
    const { kernel } = this;
    const { promise, resume } = kernel.sleep();
    const timer = kernel.after(ms, process, label, resume);
    const wake = () => {
      timer.cancelled = true;
      this.#idle.delete(process);
      kernel.after(this.rng.int(1, 40), process, label, resume);
    };
    this.#idle.set(process, { kind, wake });
    await promise;
    this.#idle.delete(process);
  }

  readonly #announced = new Set<string>();

  /** A hint, never a promise, and given once: to publishers of what is recorded, to workers of what is published. */
  wakeIdle(): void {
    let [recorded, published] = [false, false];
    for (const { org, id, state, availableAt } of this.store.tables.commands.values()) {
      if (state !== 'recorded' && state !== 'published') continue;
      const news = `${org}/${id}/${state}/${availableAt}`;
      if (this.#announced.has(news)) continue;
      this.#announced.add(news);
      recorded ||= state === 'recorded';
      published ||= state === 'published';
    }
    if (!recorded && !published) return;
    for (const { kind, wake } of [...this.#idle.values()])
      if (kind === 'publisher' ? recorded : published) wake();
  }

  /** Kills a process now and brings it back later, as a supervisor would. */
  crash(process: Process, boot: () => void, downMs: number): void {
    this.kernel.crash(process);
    process.alive = false;
    this.kernel.after(downMs, null, `${process.name} starts again`, () => {
      if (process.alive) return undefined;
      process.alive = true;
      process.pausedUntil = 0;
      boot();
      return undefined;
    });
  }

  stopFaults(): void {
    this.rates = CALM;
    this.healing = true;
    for (const server of this.servers) server.pausedUntil = 0;
  }

  /** The places where verbs touch the store: there a server can be killed, paused or overtaken. */
  #seams(): Seams {
    const { kernel, rng } = this;
    return {
      before: () => {
        const process = kernel.current;
        if (process === null) return undefined;
        if (this.strikes(this.rates.crash, 'crash before a statement')) this.#killServer(process);
        if (this.strikes(this.rates.pause, 'server paused')) {
          const ms = rng.int(1_000, 3 * this.settings.leaseTtlMs);
          process.pausedUntil = kernel.now + ms;
          return kernel.park(ms, 'wakes from a pause');
        }
        if (!this.strikes(this.rates.interleave, 'interleaved statement')) return undefined;
        return kernel.park(rng.int(0, 50), 'goes on with its transaction');
      },
      commit: (apply) => {
        const { task } = kernel;
        const process = kernel.current;
        const durable = () => {
          apply();
          task?.onCommit?.();
        };
        if (process === null) return void durable();
        if (this.strikes(this.rates.crash, 'crash before the commit')) this.#killServer(process);
        if (this.strikes(this.rates.unknownCommit / 2, 'commit of unknown outcome, not done'))
          throw new OutcomeUnknown();
        durable();
        if (this.strikes(this.rates.crash, 'crash after the commit')) this.#killServer(process);
        if (this.strikes(this.rates.unknownCommit / 2, 'commit of unknown outcome, done'))
          throw new OutcomeUnknown();
        return undefined;
      },
      wait: () => kernel.sleep(),
    };
  }

  #killServer(process: Process): never {
    this.crash(process, () => this.onServerBoot(process), this.rng.int(500, 4_000));
    throw new Crashed();
  }

  onServerBoot: (server: Process) => void = () => {};

  /** A call over the network: it may be lost, delayed, doubled, and its answer may never come. */
  async call<T>(
    words: string,
    verb: () => Promise<T>,
    onCommit: (() => void) | null = null,
  ): Promise<CallResult<T>> {
    const { kernel, rng } = this;
    const from = kernel.current;
    const label = withOrg(words, from);
    let reply: CallResult<T> = { kind: 'timeout' };
    const { promise, resume } = kernel.sleep();
    const giveUp = kernel.after(4_000, from, `${label}: gives up waiting`, resume);
    const deliver = (delay: number) => {
      const server = rng.pick(this.servers);
      kernel.after(delay, server, `${label} arrives`, async () => {
        if (kernel.task) kernel.task.onCommit = onCommit;
        const answer = await attempt(verb);
        if (this.rng.chance(0.7)) this.wakeIdle();
        if (this.strikes(this.rates.lose, 'answer lost')) return;
        const words = kernel.onStep === null ? '' : answerText(answer);
        kernel.after(this.#latency(), from, `${label} is answered${words}`, () => {
          if (reply.kind === 'timeout') reply = answer;
          giveUp.cancelled = true;
          return resume();
        });
      });
    };
    if (!this.strikes(this.rates.lose, 'request lost')) deliver(this.#latency());
    if (this.strikes(this.rates.duplicate, 'request duplicated')) deliver(rng.int(1, 8_000));
    await promise;
    return reply;
  }

  #latency(): number {
    return this.strikes(this.rates.delay, 'request delayed') ? this.rng.int(50, 6_000) : this.rng.int(1, 20);
  }
}

/** Names the caller in a step's words with its org: the step at the server has no other trace of it. */
function withOrg(words: string, from: Process | null): string {
  const [org, name] = from?.name.split(':') ?? [];
  return name !== undefined && words.startsWith(`${name} `) ? `${org}:${words}` : words;
}

/** A server's answer: the verb's value, or 503 if the outcome is unknown to it. */
export async function attempt<T>(verb: () => Promise<T>): Promise<CallResult<T>> {
  try {
    return { kind: 'answer', value: await verb() };
  } catch (error) {
    if (isForeseen(error)) return { kind: 'unavailable' };
    throw error;
  }
}

/** Errors that a store may throw. Any other is a death, a difference or a bug: serving the caller alone would hide it. */
const isForeseen = (error: unknown) => error instanceof OutcomeUnknown || error instanceof Conflict;

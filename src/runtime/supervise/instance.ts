import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { AWAKE } from './awake-clock.ts';
import type { InstancePort, Started } from './instance-port.ts';
import {
  type Alive,
  type InstanceLife,
  lifeOf,
  observedAtOf,
  type Running,
  readinessOf,
  recordOf,
} from './instance-state.ts';
import { type InstanceEffect, type InstanceEvent, transition } from './instance-transition.ts';
import { late, type ProbeManner, probe } from './probe.ts';
import {
  answerCountsMs,
  answerWithinMs,
  isProbeDue,
  type ProbeResult,
  probePauseMs,
  type Readiness,
} from './readiness.ts';
import type { Exit, InstanceRecord, Launch } from './record.ts';
import type { Timing } from './timing.ts';

/** The service of an instance, as the instance needs it. */
export interface InstanceHost<P> {
  readonly service: string;
  readonly timing: Timing;
  readonly port: InstancePort<P>;
  /** Calls `take` with a port that no other instance has, before any other instance gets one. */
  choosePort(before: number | null, take: (port: number) => void): Promise<void>;
  /** Resolves when the record is durable. */
  save(): Promise<void>;
  /** Saves without anybody waiting for it: data that a crash loses is observed again. */
  saveSoon(): void;
  /** An observation would show something else than before. */
  changed(): void;
  /** Work that nobody waits for has failed. */
  troubled(error: unknown): void;
  /** It has ended for good. */
  gone(uid: string): void;
}

/** Caps how long an adopted instance is waited for: one that hangs must not keep the others from being served. */
const ADOPTED_MS = 1_000;
/** The shortest pause between the end of one probe and the next. */
const SOONEST_MS = 20;
/** The interval at which an ending instance is polled whose end nobody reports. */
const POLL_MS = 20;
/** The pause before something that did not end is killed again. */
const LEFTOVERS_MS = 1_000;

/** The pause between two looks at the other ports of an instance that does not listen on its own. */
const ELSEWHERE_EVERY_MS = 500;
/** The most ports that are told. */
const ELSEWHERE_PORTS = 8;

/**
 * One supervised instance: starts, adopts, probes, restarts and stops it through the instance port. Every decision is in
 * the pure `transition`; this shell performs the effects and turns what happens into events.
 */
export class SupervisedInstance<P> {
  readonly launch: Launch;
  readonly #host: InstanceHost<P>;
  readonly #timers = new Set<NodeJS.Timeout>();
  #life: InstanceLife<P>;
  #probing: Promise<void> | null = null;
  /** Calls off the wait for the next answer. */
  #unanswered: () => void = () => {};
  /** The last look at the ports on which it listens, while it does not listen on its own. */
  #elsewhere: { readonly process: P; readonly at: number; readonly ports: readonly number[] } | null = null;
  /** Resolves when nothing is left of its former lives. */
  #leftovers: Promise<void> = Promise.resolve();

  constructor(host: InstanceHost<P>, record: InstanceRecord<P>, launch: Launch) {
    this.#host = host;
    this.#life = lifeOf(record);
    this.launch = launch;
  }

  get record(): InstanceRecord<P> {
    return recordOf(this.#life);
  }

  get readiness(): Readiness {
    return readinessOf(this.#life.state);
  }

  get mayServe(): boolean {
    return this.readiness.kind === 'ready';
  }

  /** Monotonic instant of the oldest observation that its condition rests on. */
  get observedAt(): number {
    return observedAtOf(this.#life.state) ?? performance.now();
  }

  /** Starts it for the first time. */
  begin(): void {
    this.#dispatch({ kind: 'began' });
  }

  /**
   * Takes up what a former agent started.
   *
   * @param found runs with this uid, for a start that was not recorded before that agent died
   */
  async adopt(found: P | null): Promise<void> {
    const process = this.record.process ?? found;
    const resumed = process === null ? null : await this.#host.port.resume(process);
    const [at, now] = [performance.now(), new Date().toISOString()];
    if (resumed === null || !('process' in resumed))
      return this.#dispatch({ kind: 'adopted', found: resumed, at, now });
    const isWatched = this.#reportEnd(resumed);
    this.#dispatch({ kind: 'adopted', found: { process: resumed.process, isWatched }, at, now });
    await Promise.race([this.refresh(), wait(ADOPTED_MS, undefined, { ref: false })]);
  }

  /**
   * Observes it before a report. An answer of one that is stable counts for its interval: a report that comes between two
   * probes needs no third one, and whoever reads the app's log no line for it.
   */
  async refreshIfDue(): Promise<void> {
    const { state } = this.#life;
    const isDue =
      state.kind !== 'running' ||
      isProbeDue(state, AWAKE.now(), this.#upMs(state), this.launch.health, this.#host.timing);
    await (isDue ? this.refresh() : this.checkAlive());
  }

  #upMs({ upAt }: Running<P>): number {
    return performance.now() - upAt;
  }

  /** Observes it now; a probe that is under way is shared. */
  async refresh(): Promise<void> {
    await this.checkAlive();
    // A probe that could not be made proves nothing, so the last observation ages (F122).
    const unmade = (error: unknown) => this.#host.troubled(error);
    this.#probing ??= this.#probe()
      .catch(unmade)
      .finally(() => {
        this.#probing = null;
      });
    await this.#probing;
  }

  async checkAlive(): Promise<void> {
    const { process } = this.record;
    if (process === null) return;
    try {
      const isAlive = await this.#host.port.isAlive(process);
      this.#dispatch({ kind: 'observed', process, isAlive, at: performance.now() });
    } catch {
      // It proves nothing, so the last observation ages.
    }
  }

  /**
   * Stops it for good once its requests are answered: signals it to end, and kills it after the grace period.
   */
  async stop(drained: Promise<void>): Promise<void> {
    this.#dispatch({ kind: 'stop' });
    await drained;
    this.#dispatch({ kind: 'drained' });
  }

  /** Ends the supervision; what runs is left as it is. */
  release(): void {
    this.#dispatch({ kind: 'release' });
    this.#clearTimers();
  }

  #dispatch(event: InstanceEvent<P>): void {
    const { life, effects } = transition(this.#life, event, this.#host.timing);
    this.#life = life;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: InstanceEffect<P>): void {
    const { timing } = this.#host;
    const { uid } = this.#life.facts;
    switch (effect.kind) {
      case 'launch':
        void this.#launch();
        return;
      case 'pause':
        this.#later(effect.ms, () => this.#dispatch({ kind: 'pause_over' }));
        return;
      case 'probe':
        this.#probeAgain(effect.process);
        return;
      case 'expect_long_life': {
        const { process } = effect;
        this.#later(timing.longLifeMs, () => this.#dispatch({ kind: 'lived_long', process }));
        return;
      }
      case 'expect_answer':
        this.#expectAnswer(effect.process, effect.withinMs);
        return;
      case 'terminate':
        this.#terminate(effect.alive);
        return;
      case 'end_leftovers':
        this.#leftovers = this.#endLeftovers(uid);
        return;
      case 'changed':
        this.#host.changed();
        return;
      case 'save':
        this.#host.saveSoon();
        return;
      case 'gone':
        this.#clearTimers();
        // Until then it is reported as stopping: absence is claimed when nothing is left of it (S1, F117).
        this.#unwaited(this.#leftovers.then(() => this.#host.gone(uid)));
        return;
    }
  }

  async #launch(): Promise<void> {
    const { port: instances, service } = this.#host;
    const { launch } = this;
    try {
      // A remnant of a former life may hold its port or its files.
      await this.#leftovers;
      if (launch.port)
        await this.#host.choosePort(this.#life.facts.port, (port) =>
          this.#dispatch({ kind: 'port_chosen', port }),
        );
      this.#dispatch({ kind: 'prepared' });
      // On record before it runs: an agent that dies in between finds it by its uid.
      await this.#host.save();
      if (this.#life.state.kind !== 'starting') return this.#dispatch({ kind: 'start_dropped' });
      const { uid, stamp, port } = this.#life.facts;
      const started = await instances.start({ service, uid, stamp, port, launch });
      const { process } = started;
      const isWatched = this.#reportEnd(started);
      const [at, now] = [performance.now(), new Date().toISOString()];
      this.#dispatch({ kind: 'started', process, isWatched, at, now });
    } catch (error) {
      this.#dispatch({ kind: 'start_failed', message: (error as Error).message.slice(0, 300) });
    }
  }

  /** Tries until everything has ended, or nobody supervises it any more: the next agent goes on. */
  async #endLeftovers(uid: string): Promise<void> {
    for (;;) {
      try {
        return await this.#host.port.endLeftovers(uid);
      } catch (error) {
        this.#host.troubled(error);
      }
      await wait(LEFTOVERS_MS, undefined, { ref: false });
      if (this.#life.state.kind === 'released')
        throw new Error(`${uid} was released before all of it had ended`);
    }
  }

  /** Turns the end that the port reports into an event. False if it reports none. */
  #reportEnd({ process, ended }: Started<P>): boolean {
    const end = (exit: Exit) => this.#dispatch({ kind: 'ended', process, exit, at: performance.now() });
    ended?.then(end).catch((error: unknown) => this.#host.troubled(error));
    return ended !== null;
  }

  #terminate({ process, isWatched }: Alive<P>): void {
    const { port, timing } = this.#host;
    this.#unwaited(port.terminate(process));
    this.#later(timing.graceMs, () => this.#unwaited(port.kill(process)));
    const poll = () => {
      if (this.#life.state.kind === 'ending') this.#later(POLL_MS, () => void this.checkAlive().then(poll));
    };
    if (!isWatched) poll();
  }

  /** Probes it again and again during this life. */
  #probeAgain(process: P): void {
    if (this.#runningAs(process) === null) return;
    const begunAt = performance.now();
    void this.refresh().finally(() => {
      const state = this.#runningAs(process);
      if (state === null) return;
      const now = performance.now();
      const pauseMs = probePauseMs(state.readiness, now - state.upAt, this.launch.health, this.#host.timing);
      // From beginning to beginning: answers that take long still come as often as they have to.
      this.#later(Math.max(SOONEST_MS, pauseMs - (now - begunAt)), () => this.#probeAgain(process));
    });
  }

  async #probe(): Promise<void> {
    const { state } = this.#life;
    if (state.kind !== 'running') return;
    const { process } = state;
    const result = await this.#resultOf(state).catch((): ProbeResult => ({ kind: 'unobserved' }));
    if (result !== null) this.#probed(process, result);
  }

  /** Null before there is anything to tell: what has no port proves itself by staying alive. */
  async #resultOf(state: Running<P>): Promise<ProbeResult | null> {
    const { process, upAt } = state;
    const { port: instances, timing } = this.#host;
    const { port, uid } = this.#life.facts;
    if (port === null) {
      if (performance.now() - upAt < timing.aliveMs) return null;
      const isSuspended = await instances.isSuspended(process);
      return isSuspended ? { kind: 'suspended' } : { kind: 'ready', address: '', by: 'staying_alive' };
    }
    const { addresses, isTaken } = await instances.listening(process, uid, port);
    if (addresses.length === 0 && isTaken) return { kind: 'port_taken' };
    if (addresses.length === 0) return { kind: 'not_listening', listens: await this.#portsElsewhere(state) };
    const manner = this.#manner(state);
    const timeoutMs = answerWithinMs(this.launch.health, timing);
    const result = await probe({ addresses, port, manner, timeoutMs });
    // The kernel accepts for a process that is suspended.
    const isAccepted = result.kind === 'ready' && result.by === 'connect';
    return isAccepted && (await instances.isSuspended(process)) ? { kind: 'suspended' } : result;
  }

  /**
   * The ports on which it listens though not on its own. An app in its first moment is not asked, and later ones now
   * and then: a look at the descriptors of all its processes costs more than one at the sockets of the machine.
   */
  async #portsElsewhere({ process, upAt }: Running<P>): Promise<readonly number[]> {
    const now = performance.now();
    if (now - upAt < this.#host.timing.aliveMs) return [];
    if (this.#elsewhere?.process !== process || now - this.#elsewhere.at >= ELSEWHERE_EVERY_MS) {
      const ports = await this.#host.port.listeningPorts(process, this.#life.facts.uid);
      this.#elsewhere = { process, at: now, ports: ports.slice(0, ELSEWHERE_PORTS) };
    }
    return this.#elsewhere.ports;
  }

  /** An instance that speaks no HTTP is not sent any once its start is over: some log each as an attack. */
  #manner({ readiness, upAt }: Running<P>): ProbeManner {
    const { path } = this.launch.health;
    if (path !== undefined) return { kind: 'path', path };
    const by = readiness.kind === 'ready' ? readiness.by : null;
    if (by === 'connect' && performance.now() - upAt >= this.#host.timing.eagerForMs)
      return { kind: 'connect' };
    return { kind: 'request' };
  }

  #probed(process: P, result: ProbeResult): void {
    const countsMs = answerCountsMs(this.launch.health, this.#host.timing);
    this.#dispatch({
      kind: 'probed',
      process,
      result,
      at: performance.now(),
      awakeAt: AWAKE.now(),
      countsMs,
    });
  }

  /** An answer counts for its time, and not until a probe that hangs is given up. */
  #expectAnswer(process: P, withinMs: number): void {
    this.#unanswered();
    this.#unanswered = AWAKE.after(withinMs, () => {
      const state = this.#runningAs(process);
      if (state === null || state.blindSince !== null) return;
      const timeoutMs = answerWithinMs(this.launch.health, this.#host.timing);
      this.#probed(process, late(this.#manner(state), timeoutMs));
    });
  }

  #runningAs(process: P): Running<P> | null {
    const { state } = this.#life;
    return state.kind === 'running' && state.process === process ? state : null;
  }

  #unwaited(work: Promise<void>): void {
    work.catch((error: unknown) => this.#host.troubled(error));
  }

  #later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }

  #clearTimers(): void {
    this.#unanswered();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

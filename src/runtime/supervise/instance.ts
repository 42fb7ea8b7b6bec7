import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
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
import { probe, replies } from './probe.ts';
import { type ProbeResult, probePauseMs, type Readiness } from './readiness.ts';
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

/** Caps how long readiness waits for the first reply, so that one report can show both. */
const REPLY_SOON_MS = 50;
/** The interval at which an ending instance is polled whose end nobody reports. */
const POLL_MS = 20;

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

  /** True if it is ready and, where it has a port, has answered a request. */
  get mayServe(): boolean {
    const { state } = this.#life;
    const isReady = state.kind === 'running' && state.readiness.kind === 'ready';
    return isReady && (state.reply === 'received' || !this.launch.port);
  }

  /** Monotonic instant of the oldest observation that its condition rests on. */
  get observedAt(): number {
    return observedAtOf(this.#life.state, this.launch.port) ?? performance.now();
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
    await this.refresh();
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
    const { port, timing } = this.#host;
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
      case 'terminate':
        this.#terminate(effect.alive);
        return;
      case 'end_leftovers':
        this.#unwaited(port.endLeftovers(uid));
        return;
      case 'changed':
        this.#host.changed();
        return;
      case 'save':
        this.#host.saveSoon();
        return;
      case 'gone':
        this.#clearTimers();
        this.#host.gone(uid);
        return;
    }
  }

  async #launch(): Promise<void> {
    const { port: instances, service } = this.#host;
    const { launch } = this;
    try {
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
    void this.refresh().finally(() => {
      const state = this.#runningAs(process);
      if (state === null) return;
      const upMs = performance.now() - state.upAt;
      const pauseMs = probePauseMs(state.readiness, upMs, this.launch.health, this.#host.timing);
      this.#later(pauseMs, () => this.#probeAgain(process));
    });
  }

  async #probe(): Promise<void> {
    const { state } = this.#life;
    if (state.kind !== 'running') return;
    const { process, upAt } = state;
    const { aliveMs, probeTimeoutMs, proveEveryMs } = this.#host.timing;
    const { port } = this.#life.facts;
    if (port === null) {
      const at = performance.now();
      const result = { kind: 'ready', address: '' } as const;
      if (at - upAt >= aliveMs) this.#dispatch({ kind: 'probed', process, result, at });
      return;
    }
    const { health } = this.launch;
    const timeoutMs = Math.min(health.timeoutMs ?? probeTimeoutMs, proveEveryMs);
    const addresses = this.#host.port.addresses(process);
    const answer = await probe({ addresses, port, path: health.path ?? null, timeoutMs });
    const at = performance.now();
    const result = answer.kind === 'ready' ? await this.#verified(process, answer, port, timeoutMs) : answer;
    this.#dispatch({ kind: 'probed', process, result, at });
  }

  /** Requests a reply until there was one. Checks who listens only when it becomes ready: a listener keeps its port. */
  async #verified(
    process: P,
    answer: Extract<ProbeResult, { kind: 'ready' }>,
    port: number,
    timeoutMs: number,
  ): Promise<ProbeResult> {
    await this.#requestReply(process, { address: answer.address, port, timeoutMs });
    const state = this.#runningAs(process);
    if (state === null || state.readiness.kind === 'ready') return answer;
    const isForeign = await this.#host.port.isForeignListener(this.#life.facts.uid, port);
    return isForeign ? { kind: 'failed', message: `another process listens on port ${port}` } : answer;
  }

  /** Waits a moment for the reply, so that readiness and reply are reported together. */
  async #requestReply(
    process: P,
    at: { readonly address: string; readonly port: number; readonly timeoutMs: number },
  ): Promise<void> {
    if (this.#runningAs(process)?.reply !== 'none') return;
    // A health path that answers is a reply.
    if (this.launch.health.path !== undefined)
      return this.#dispatch({ kind: 'reply', process, reply: 'received' });
    this.#dispatch({ kind: 'reply', process, reply: 'requested' });
    const replied = replies(at).then((received) =>
      this.#dispatch({ kind: 'reply', process, reply: received ? 'received' : 'none' }),
    );
    await Promise.race([replied, wait(REPLY_SOON_MS)]);
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
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { throughLauncher } from '../../artifact/launcher.ts';
import { argumentsOf, environmentOf, INSTANCE_VARIABLE } from '../process/environment.ts';
import { listenerOf } from '../process/listener.ts';
import {
  bootId,
  identify,
  isAlive,
  markedWith,
  oomKills,
  type ProcessId,
  signal,
  signalGroup,
} from '../process/proc.ts';
import type { Readiness } from './observed.ts';
import { probe, replies } from './probe.ts';
import type { Exit, InstanceRecord, Launch } from './record.ts';
import { restartPause, type Timing } from './timing.ts';

export interface InstanceHost {
  readonly runtime: string;
  readonly service: string;
  readonly timing: Timing;
  /** Where the artifact of a launch lies unpacked. */
  directory(launch: Launch): string;
  home(uid: string): string;
  /** Hands a port that nobody has to `take`, the same as before where it can be; before anybody else gets one. */
  port(before: number | null, take: (port: number) => void): Promise<void>;
  /** The record has changed and has to be durable before what follows. */
  save(): Promise<void>;
  /** The same where nothing waits for it: what is lost with a crash is found out again. */
  saveSoon(): void;
  /** Something is to be seen that was not before. */
  changed(): void;
  /** How often the kernel had killed for want of memory when it was last asked, a moment ago. */
  oomKills(): number | null;
  /** It has ended for good. */
  gone(uid: string): void;
}

const FAILURES_TO_DOUBT = 2;
const SOONEST_PROBE_MS = 20;
/** So long readiness waits for the first answer, so that one report can say both. */
const SOON_MS = 50;

/**
 * One supervised process group. It is started detached, with its output in a file: it shares nothing with us that would
 * break when we die, and the next agent finds it by pid, start time and mark.
 */
export class ProcessInstance {
  readonly launch: Launch;
  readonly #host: InstanceHost;
  #record: InstanceRecord;
  /** Null for one that was adopted: nobody tells us when it ends, so it is looked for. */
  #child: ChildProcess | null = null;
  #readiness: Readiness = { kind: 'starting' };
  #failures = 0;
  #answered = false;
  #asking = false;
  /** Monotonic: when it was last known to be alive, when it was last asked, since when it lives. */
  #pidSeenAt = performance.now();
  #probedAt = performance.now();
  #upAt = performance.now();
  #timers = new Set<NodeJS.Timeout>();
  #probing: Promise<void> | null = null;
  #ended: (() => void)[] = [];
  #released = false;
  #starting = false;

  constructor(host: InstanceHost, record: InstanceRecord, launch: Launch) {
    this.#host = host;
    this.#record = record;
    this.launch = launch;
  }

  get record(): InstanceRecord {
    return this.#record;
  }

  get readiness(): Readiness {
    return this.#record.retiring || this.#record.process === null ? { kind: 'starting' } : this.#readiness;
  }

  get isReady(): boolean {
    return this.readiness.kind === 'ready';
  }

  /** Ready, and it has answered a request: whoever only accepts connections would leave users waiting. */
  get mayServe(): boolean {
    return this.isReady && (this.#answered || !this.launch.port);
  }

  /** When the oldest look was made that its condition rests on. What has ended rests on none: that stays true. */
  get seenAt(): number {
    if (this.#record.process === null) return performance.now();
    return this.isReady && this.launch.port ? Math.min(this.#pidSeenAt, this.#probedAt) : this.#pidSeenAt;
  }

  /** Starts it for the first time. */
  begin(): void {
    void this.#start();
  }

  /**
   * Takes up again what an agent before us started. `found` is a process with our mark, for a start that was not
   * written down before that agent died.
   */
  async adopt(found: ProcessId | null): Promise<void> {
    const { process, lastExit, startedAt } = this.#record;
    const id = process !== null && isAlive(process) ? process : process === null ? found : null;
    if (startedAt !== null) this.#upAt -= Math.max(0, Date.now() - Date.parse(startedAt));
    if (id !== null) {
      this.#update({ process: id, startedAt: startedAt ?? new Date().toISOString() });
      this.#watch();
      if (this.#record.retiring) void this.stop(Promise.resolve());
      else await this.look();
      return;
    }
    if (process !== null) {
      const exit: Exit = process.boot === bootId() ? { kind: 'unwatched' } : { kind: 'rebooted' };
      this.#hasEnded(process.pid, exit);
    } else if (this.#record.retiring) this.#host.gone(this.#record.uid);
    else if (lastExit !== null) this.#restartLater();
    else this.begin();
  }

  /** Asks now, or waits for the answer that is on its way. */
  look(): Promise<void> {
    this.checkPid();
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = null;
    });
    return this.#probing;
  }

  checkPid(): void {
    const { process } = this.#record;
    if (process === null || this.#released) return;
    if (isAlive(process)) {
      this.#pidSeenAt = performance.now();
    } else if (this.#child === null) this.#hasEnded(process.pid, { kind: 'unwatched' });
  }

  /** For good: when what it has in hand is done, by SIGTERM, after the grace by SIGKILL. Resolves when it is gone. */
  async stop(drained: Promise<void>): Promise<void> {
    if (!this.#record.retiring) {
      this.#update({ retiring: true });
      this.#host.changed();
      this.#host.saveSoon();
    }
    await drained;
    if (this.#released) return;
    const { process } = this.#record;
    if (process === null || !isAlive(process)) {
      // A start that is under way finds out by itself that it came too late.
      if (process === null && !this.#starting) this.#finish();
      else if (process !== null && this.#child === null) this.#hasEnded(process.pid, { kind: 'unwatched' });
      return;
    }
    const ended = new Promise<void>((done) => this.#ended.push(done));
    signalGroup(process.pid, 'SIGTERM');
    const kill = this.#later(this.#host.timing.graceMs, () => {
      if (isAlive(process)) signalGroup(process.pid, 'SIGKILL');
    });
    // Not our child: nobody tells us, so it is looked for more often than otherwise.
    const poll = setInterval(() => this.checkPid(), 20);
    await ended;
    clearInterval(poll);
    this.#clear(kill);
  }

  /** No more supervision; the process is left as it is. */
  release(): void {
    this.#released = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#child?.removeAllListeners();
    this.#child = null;
    for (const done of this.#ended.splice(0)) done();
  }

  async #start(): Promise<void> {
    if (this.#starting || this.#released || this.#record.retiring) return;
    this.#starting = true;
    try {
      await this.#launch();
    } catch (error) {
      if (!this.#released)
        this.#hasEnded(null, { kind: 'not_started', message: (error as Error).message.slice(0, 300) });
    } finally {
      this.#starting = false;
    }
    if (this.#record.retiring && this.#record.process === null) this.#finish();
  }

  async #launch(): Promise<void> {
    const { runtime, service, timing } = this.#host;
    const { uid, stamp, startedAt, restarts } = this.#record;
    const home = this.#host.home(uid);
    await mkdir(home, { recursive: true, mode: 0o700 });
    if (this.launch.port) await this.#host.port(this.#record.port, (port) => this.#update({ port }));
    // On record before it runs: an agent that dies in between finds the process by its mark.
    this.#update({ restarts: startedAt === null ? restarts : restarts + 1 });
    await this.#host.save();
    if (this.#released || this.#record.retiring) return;
    const { port } = this.#record;
    const env = environmentOf(this.launch, { runtime, service, uid, stamp, port, home });
    const dir = this.#host.directory(this.launch);
    const [program = '', ...args] = throughLauncher(dir, argumentsOf(this.launch, env));
    const output = openSync(join(home, 'output.log'), 'a', 0o600);
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        cwd: dir,
        env,
        detached: true,
        stdio: ['ignore', output, output],
      });
    } finally {
      closeSync(output);
    }
    const { pid } = child;
    if (pid === undefined) {
      const [error] = (await new Promise((done) => child.once('error', (e) => done([e])))) as [Error];
      throw error;
    }
    child.unref();
    this.#child = child;
    this.#upAt = performance.now();
    this.#readiness = { kind: 'starting' };
    this.#failures = 0;
    this.#answered = false;
    child.once('exit', (code, signal) => {
      this.#child = null;
      this.#hasEnded(pid, this.#exitOf(code, signal));
    });
    this.#update({ process: identify(pid), startedAt: new Date().toISOString() });
    this.#watch();
    this.#host.changed();
    this.#host.saveSoon();
    if (this.#record.retiring && !this.#released) void this.stop(Promise.resolve());
    // A life that lasts ends the count of short ones.
    this.#later(timing.longLifeMs, () => {
      if (this.#record.process?.pid !== pid || this.#record.shortLives === 0) return;
      this.#update({ shortLives: 0 });
      this.#host.saveSoon();
    });
  }

  #exitOf(code: number | null, signal: NodeJS.Signals | null): Exit {
    if (signal === null) return { kind: 'exited', code: code ?? 0 };
    const before = this.#host.oomKills();
    const now = oomKills();
    const outOfMemory = signal === 'SIGKILL' && before !== null && now !== null && now > before;
    return { kind: 'signalled', signal, outOfMemory };
  }

  #hasEnded(pid: number | null, exit: Exit): void {
    const { uid, process, shortLives, retiring } = this.#record;
    if (pid !== null && process !== null && process.pid !== pid) return;
    if (pid !== null) endLeftovers(uid);
    const livedMs = performance.now() - this.#upAt;
    const isShort = livedMs < this.#host.timing.longLifeMs;
    this.#readiness = { kind: 'starting' };
    this.#update({
      process: null,
      lastExit: exit,
      shortLives: isShort || exit.kind === 'not_started' ? shortLives + 1 : 1,
    });
    if (retiring) {
      if (!this.#starting) this.#finish();
      return;
    }
    this.#host.changed();
    this.#host.saveSoon();
    this.#restartLater();
  }

  #finish(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#host.gone(this.#record.uid);
    for (const done of this.#ended.splice(0)) done();
  }

  #restartLater(): void {
    this.#later(restartPause(this.#host.timing, this.#record.shortLives), () => void this.#start());
  }

  /** Asks again and again while it lives. */
  #watch(): void {
    const { process } = this.#record;
    const again = () => {
      if (this.#released || this.#record.retiring || this.#record.process?.pid !== process?.pid) return;
      void this.look().finally(() => this.#later(this.#pauseMs(), again));
    };
    again();
  }

  #pauseMs(): number {
    const { eagerProbeMs, eagerForMs, probeEveryMs, proveEveryMs } = this.#host.timing;
    const wished = Math.min(this.launch.health.intervalMs ?? probeEveryMs, proveEveryMs);
    // Whoever is not ready by then is in no hurry.
    const upMs = performance.now() - this.#upAt;
    const isEager = this.#readiness.kind !== 'ready' && upMs < eagerForMs;
    // Whoever starts fast is found fast, and nobody is found later than a tenth of the time that the start took.
    return isEager ? Math.min(wished, eagerProbeMs, Math.max(SOONEST_PROBE_MS, upMs / 10)) : wished;
  }

  async #probe(): Promise<void> {
    const { process, port } = this.#record;
    if (process === null || this.#record.retiring) return;
    const { aliveMs, probeTimeoutMs, proveEveryMs } = this.#host.timing;
    const upMs = performance.now() - this.#upAt;
    if (port === null) {
      if (upMs >= aliveMs) this.#shows({ kind: 'ready', address: '' });
      return;
    }
    const { health } = this.launch;
    const timeoutMs = Math.min(health.timeoutMs ?? probeTimeoutMs, proveEveryMs);
    const result = await probe({ port, path: health.path ?? null, timeoutMs });
    if (this.#released || this.#record.process?.pid !== process.pid) return;
    this.#probedAt = performance.now();
    if (result.kind === 'ready') {
      this.#failures = 0;
      await this.#hear(process, { port, address: result.address, timeoutMs });
      if (this.#released || this.#record.process?.pid !== process.pid) return;
      // Asked when it becomes ready, and not with every look: whoever has the port keeps it.
      const isForeign = this.#readiness.kind !== 'ready' && listenerOf(this.#record.uid, port) === 'foreign';
      this.#shows(
        isForeign ? { kind: 'failed', message: `another process listens on port ${port}` } : result,
      );
      return;
    }
    this.#failures += 1;
    // One slow answer is no outage; a port that refuses is, at once.
    if (this.isReady && result.kind === 'failed' && this.#failures < FAILURES_TO_DOUBT) return;
    // Nobody listens in the first moment: that is starting, and not worth a report.
    if (result.kind === 'not_listening' && this.#readiness.kind === 'starting' && upMs < aliveMs) return;
    this.#shows(result);
  }

  /** Asks for an answer until there was one. Who answers soon is told as ready and answering at once. */
  async #hear(process: ProcessId, at: { port: number; address: string; timeoutMs: number }): Promise<void> {
    if (this.launch.health.path !== undefined) this.#answered = true;
    if (this.#answered || this.#asking) return;
    this.#asking = true;
    const heard = replies(at).then((answered) => {
      this.#asking = false;
      if (!answered || this.#released || this.#record.process?.pid !== process.pid) return;
      this.#answered = true;
      this.#host.changed();
    });
    await Promise.race([heard, wait(SOON_MS)]);
  }

  #shows(readiness: Readiness): void {
    const before = this.#readiness;
    this.#readiness = readiness;
    if (JSON.stringify(before) !== JSON.stringify(readiness)) this.#host.changed();
  }

  #update(part: Partial<InstanceRecord>): void {
    this.#record = { ...this.#record, ...part };
  }

  #later(ms: number, act: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#released) act();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  #clear(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.#timers.delete(timer);
  }
}

/** Whatever an instance started and left behind goes with it, also what has left its group: by its mark it is ours. */
function endLeftovers(uid: string): void {
  for (const { id, value } of markedWith(INSTANCE_VARIABLE)) if (value === uid) signal(id.pid, 'SIGKILL');
}

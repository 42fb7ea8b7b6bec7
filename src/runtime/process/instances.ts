import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, closeSync, mkdirSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { throughLauncher } from '../../artifact/launcher.ts';
import { DIGEST } from '../../contract/names.ts';
import type { ApplyOrder } from '../port.ts';
import type { FencedStamp } from '../stamp.ts';
import { ApplyRefused } from '../supervise/apply-refused.ts';
import { freeInstancePort, isFree } from '../supervise/free-port.ts';
import type { InstancePort, InstanceStart, ListeningAddresses, Started } from '../supervise/instance-port.ts';
import type { Exit, Launch } from '../supervise/record.ts';
import type { AppUser } from './app-users.ts';
import { type Containment, endContainer } from './containment.ts';
import {
  argumentsOf,
  checkLaunch,
  environmentOf,
  INSTANCE_VARIABLE,
  RUNTIME_VARIABLE,
} from './environment.ts';
import { type Isolation, passage } from './isolation.ts';
import { Listeners } from './listener.ts';
import { OutputFile } from './output-file.ts';
import {
  bootId,
  identify,
  isAlive,
  markedWith,
  oomKills,
  type ProcessId,
  signal as send,
  signalGroup,
} from './proc.ts';
import type { Unpacked } from './unpacked.ts';

interface ProcessInstancesOptions {
  /** The identity of the place, which every process carries in its environment. */
  readonly runtime: string;
  /** The directory in which each instance has a home of its own, named by its uid. */
  readonly homes: string;
  readonly unpacked: Unpacked;
  readonly containment: Containment;
  readonly isolation: Isolation;
  /** The interval at which the kernel's count of out-of-memory kills is read. */
  readonly oomEveryMs: number;
  readonly say?: (line: string) => void;
}

/** The time the kernel has to end a killed process. */
const KILLED_MS = 5_000;
const POLL_MS = 10;
/** The time to fetch an artifact again whose unpacked files are not there. */
const FETCHED_MS = 60_000;
/** The pause before a process is looked at again that could not be looked at. */
const LOOK_AGAIN_MS = 100;
/**
 * Waits until the process is in its container, then becomes the app; ends if the agent dies before. What the shell adds
 * to the environment is taken out again.
 */
const GATE = 'read -r _ <&3 || exit; exec 3<&-; unset PWD OLDPWD SHLVL _; exec "$@"';

/**
 * Instances as process groups of this machine. Each is started detached, with its output in files: it shares nothing
 * with the agent that would break when the agent dies, and the next agent finds it by pid, start time and mark.
 */
export class ProcessInstances implements InstancePort<ProcessId> {
  readonly kind = 'process';
  readonly contains: boolean;
  readonly #options: ProcessInstancesOptions;
  readonly #listeners = new Listeners();
  /** The kernel's count of out-of-memory kills, as of a moment ago. */
  #oomKills = oomKills();
  #ticker: NodeJS.Timeout | undefined;

  constructor(options: ProcessInstancesOptions) {
    this.#options = options;
    this.contains = options.containment.kind !== 'none';
  }

  async open(recorded: ReadonlySet<string>): Promise<ReadonlyMap<string, ProcessId>> {
    const { homes, unpacked, oomEveryMs, isolation } = this.#options;
    await mkdir(homes, { recursive: true, mode: 0o700 });
    if (isolation.kind === 'users') passage(join(isolation.apps, 'homes'));
    await unpacked.open(isolation.kind);
    const leaders = markedWith(INSTANCE_VARIABLE).filter(({ id, group }) => group === id.pid);
    await this.#endStrays(recorded);
    for (const uid of await readdir(homes)) if (!recorded.has(uid)) await this.forget(uid);
    this.#ticker = setInterval(() => {
      this.#oomKills = oomKills();
    }, oomEveryMs);
    // A helper that has left the group keeps the mark and leads a group of its own: the lowest pid is the instance.
    return new Map(leaders.reverse().map(({ id, value }) => [value, id]));
  }

  check({ artifact, spec }: ApplyOrder): void {
    if (spec.runtime !== undefined && spec.runtime !== 'process')
      throw new ApplyRefused(
        'wrong_runtime',
        `This agent runs processes, and the spec asks for ${spec.runtime}.`,
      );
    if (!DIGEST.test(artifact))
      throw new ApplyRefused(
        'image_unsupported',
        'This agent runs processes, and an image is no tar of files.',
      );
  }

  async prepare(service: string, stamp: FencedStamp, launch: Launch, signal: AbortSignal): Promise<void> {
    const { runtime, unpacked } = this.#options;
    const user = this.#userOf(service);
    await unpacked.ensure(launch.artifact, signal, user);
    const place = { runtime, service, uid: '', stamp, port: 0, home: '/' };
    checkLaunch(launch, unpacked.path(launch.artifact, user), environmentOf(launch, place));
  }

  collect(needed: () => ReadonlySet<string>): Promise<void> {
    return this.#options.unpacked.collect(needed);
  }

  async choosePort(before: number | null, taken: ReadonlySet<number>): Promise<number> {
    const isSame = before !== null && !taken.has(before) && (await isFree(before));
    return isSame ? before : freeInstancePort(taken);
  }

  async start({ service, uid, stamp, port, launch }: InstanceStart): Promise<Started<ProcessId>> {
    const { runtime, unpacked, containment } = this.#options;
    const home = this.#home(uid);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const user = this.#userOf(service);
    const appHome = this.#appHome(uid);
    if (user !== null) {
      mkdirSync(appHome, { recursive: true, mode: 0o700 });
      chownSync(appHome, user.uid, user.gid);
      // An agent that isolates may have taken over from one that did not: its files lay elsewhere.
      await unpacked.ensure(launch.artifact, AbortSignal.timeout(FETCHED_MS), user);
    }
    const env = environmentOf(launch, { runtime, service, uid, stamp, port, home: appHome });
    const cwd = unpacked.path(launch.artifact, user);
    const [program = '', ...args] = throughLauncher(cwd, argumentsOf(launch, env));
    const output = await new OutputFile(home).begin(user);
    let child: ChildProcess;
    try {
      child = spawn('/bin/sh', ['-c', GATE, 'evident-app', program, ...args], {
        ...{ cwd, env, ...user },
        detached: true,
        stdio: ['ignore', output, output, 'pipe'],
      });
    } finally {
      closeSync(output);
    }
    const { pid } = child;
    if (pid === undefined)
      return new Promise((_, fail) => {
        child.once('error', fail);
      });
    child.unref();
    try {
      containment.enter(home, uid, pid);
      const gate = child.stdio[3] as Writable;
      gate.on('error', () => {});
      gate.end('\n');
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
    const ended = new Promise<Exit>((done) => {
      child.once('exit', (code, signal) => done(this.#exitOf(code, signal)));
    });
    // No live process has the empty start time: it stands for a child that has ended already.
    const found = await this.#looked(() => identify(pid));
    return { process: found ?? { pid, startTicks: '', boot: bootId() }, ended };
  }

  async resume(process: ProcessId): Promise<Started<ProcessId> | Exit> {
    if (await this.#looked(() => isAlive(process))) return { process, ended: null };
    return process.boot === bootId() ? { kind: 'unwatched' } : { kind: 'rebooted' };
  }

  async isAlive(process: ProcessId): Promise<boolean> {
    return isAlive(process);
  }

  async terminate(process: ProcessId): Promise<void> {
    if (await this.#looked(() => isAlive(process))) signalGroup(process.pid, 'SIGTERM');
  }

  async kill(process: ProcessId): Promise<void> {
    if (await this.#looked(() => isAlive(process))) signalGroup(process.pid, 'SIGKILL');
  }

  /** Ends also what has left its group: it is in the container of the instance, or still carries its mark (F117). */
  async endLeftovers(uid: string): Promise<void> {
    if ((await endContainer(this.#home(uid))) === 'empty') return;
    const left = () => this.#looked(() => markedWith(INSTANCE_VARIABLE).filter(({ value }) => value === uid));
    for (let ms = KILLED_MS, found = await left(); found.length > 0; ms -= POLL_MS, found = await left()) {
      if (ms <= 0) throw new Error(`Process ${found[0]?.id.pid} was killed and is still there.`);
      for (const { id } of found) send(id.pid, 'SIGKILL');
      await wait(POLL_MS);
    }
  }

  listening(process: ProcessId, uid: string, port: number): Promise<ListeningAddresses> {
    return this.#listeners.of({ leader: process, uid, home: this.#home(uid) }, port);
  }

  isSuspended(process: ProcessId): Promise<boolean> {
    return this.#listeners.isSuspended(process);
  }

  output(uid: string): OutputFile {
    return new OutputFile(this.#home(uid));
  }

  async forget(uid: string): Promise<void> {
    const home = this.#home(uid);
    await endContainer(home);
    new OutputFile(home).end();
    await rm(this.#appHome(uid), { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  }

  close(): void {
    clearInterval(this.#ticker);
  }

  /**
   * Looks until it can (F122): a process that could not be looked at is as much to be adopted, or to be ended, as before.
   */
  async #looked<T>(look: () => T): Promise<T> {
    for (;;) {
      try {
        return look();
      } catch {
        await wait(LOOK_AGAIN_MS);
      }
    }
  }

  #userOf(service: string): AppUser | null {
    const { isolation } = this.#options;
    return isolation.kind === 'users' ? isolation.users.of(service) : null;
  }

  /** The home that the app itself sees. The other one holds its output, and only we may enter it. */
  #appHome(uid: string): string {
    const { isolation } = this.#options;
    return isolation.kind === 'users' ? join(isolation.apps, 'homes', uid) : this.#home(uid);
  }

  #home(uid: string): string {
    return join(this.#options.homes, uid);
  }

  #exitOf(code: number | null, signal: NodeJS.Signals | null): Exit {
    if (signal === null) return { kind: 'exited', code: code ?? 0 };
    const before = this.#oomKills;
    const now = oomKills();
    const outOfMemory = signal === 'SIGKILL' && before !== null && now !== null && now > before;
    return { kind: 'signalled', signal, outOfMemory };
  }

  /** Waits for their end: until a stray is gone it holds a port or a lock that the next instance needs. */
  async #endStrays(recorded: ReadonlySet<string>): Promise<void> {
    const { runtime, say } = this.#options;
    const ours = new Set(
      markedWith(RUNTIME_VARIABLE)
        .filter(({ value }) => value === runtime)
        .map(({ id }) => id.pid),
    );
    const strays = markedWith(INSTANCE_VARIABLE).filter(
      ({ id, value }) => ours.has(id.pid) && !recorded.has(value),
    );
    for (const { id } of strays) {
      say?.(`Process ${id.pid} was started here and is on no record: it is ended.`);
      send(id.pid, 'SIGKILL');
    }
    const left = () => strays.filter(({ id }) => isAlive(id));
    for (let ms = KILLED_MS; ms > 0 && left().length > 0; ms -= POLL_MS) await wait(POLL_MS);
    for (const { id } of left()) say?.(`Process ${id.pid} was killed and is still there.`);
  }
}

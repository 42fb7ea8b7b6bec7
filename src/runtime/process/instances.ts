import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, realpathSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { throughLauncher } from '../../artifact/launcher.ts';
import { DIGEST } from '../../contract/names.ts';
import type { ApplyOrder } from '../port.ts';
import type { FencedStamp } from '../stamp.ts';
import { ApplyRefused } from '../supervise/apply-refused.ts';
import { freeInstancePort, isFree } from '../supervise/free-port.ts';
import type { InstancePort, InstanceStart, ListeningAddresses, Started } from '../supervise/instance-port.ts';
import type { Exit, Launch } from '../supervise/record.ts';
import { appHomeOf, appViewOf } from './app-files.ts';
import { type Containment, endContainer, hasContainer, initOf } from './containment.ts';
import {
  argumentsOf,
  checkLaunch,
  environmentOf,
  INSTANCE_VARIABLE,
  RUNTIME_VARIABLE,
  SERVICE_VARIABLE,
} from './environment.ts';
import { type Isolation, ownerOf, passage } from './isolation.ts';
import { Listeners } from './listener.ts';
import { LooseServices } from './loose-services.ts';
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
  signalIn,
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
 * Instances as process groups of this machine. Each is started detached, with its output in files: it shares nothing
 * with the agent that would break when the agent dies, and the next agent finds it by pid, start time and mark.
 */
export class ProcessInstances implements InstancePort<ProcessId> {
  readonly kind = 'process';
  readonly #options: ProcessInstancesOptions;
  readonly #listeners = new Listeners();
  readonly #loose: LooseServices;
  /** The kernel's count of out-of-memory kills, as of a moment ago. */
  #oomKills = oomKills();
  #ticker: NodeJS.Timeout | undefined;

  constructor(options: ProcessInstancesOptions) {
    this.#options = options;
    this.#loose = LooseServices.open(join(dirname(options.homes), 'loose.json'));
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
    const found = new Map(leaders.reverse().map(({ id, value }) => [value, id]));
    for (const uid of recorded) await this.#inNamespace(uid, found);
    this.#noteLoose(recorded, found);
    return found;
  }

  contains(service: string): boolean {
    return this.#options.containment.kind !== 'none' && !this.#loose.has(service);
  }

  /** A former agent, perhaps of a former version, may have held nothing together. */
  #noteLoose(recorded: ReadonlySet<string>, found: ReadonlyMap<string, ProcessId>): void {
    const services = new Map(markedWith(SERVICE_VARIABLE).map(({ id, value }) => [id.pid, value]));
    for (const uid of recorded) {
      const service = services.get(found.get(uid)?.pid ?? 0);
      if (service !== undefined && !hasContainer(this.#home(uid))) this.#loose.add(service);
    }
  }

  /** An instance in a namespace is known by the first process in it, not by what waits outside for its end. */
  async #inNamespace(uid: string, found: Map<string, ProcessId>): Promise<void> {
    const init = initOf(this.#home(uid));
    if (init === null) return;
    if (await this.#looked(() => isAlive(init))) found.set(uid, init);
    else found.delete(uid);
  }

  check({ artifact, spec }: ApplyOrder): void {
    if (spec.runtime !== undefined && spec.runtime !== 'process')
      throw new ApplyRefused(
        'wrong_runtime',
        `This agent runs processes, and the spec asks for ${spec.runtime}.`,
        true,
      );
    if (!DIGEST.test(artifact))
      throw new ApplyRefused(
        'image_unsupported',
        'This agent runs processes, and an image is no tar of files.',
        true,
      );
  }

  async prepare(service: string, stamp: FencedStamp, launch: Launch, signal: AbortSignal): Promise<void> {
    const { runtime, unpacked, isolation } = this.#options;
    const owner = ownerOf(isolation, service);
    await unpacked.ensure(launch.artifact, signal, owner);
    const place = { runtime, service, uid: '', stamp, port: 0, home: '/' };
    checkLaunch(launch, unpacked.path(launch.artifact, owner), environmentOf(launch, place));
  }

  collect(needed: () => ReadonlySet<string>): Promise<void> {
    return this.#options.unpacked.collect(needed);
  }

  async choosePort(before: number | null, taken: ReadonlySet<number>): Promise<number> {
    const isSame = before !== null && !taken.has(before) && (await isFree(before));
    return isSame ? before : freeInstancePort(taken);
  }

  async start({ service, uid, stamp, port, launch }: InstanceStart): Promise<Started<ProcessId>> {
    const { runtime, unpacked, containment, isolation } = this.#options;
    const home = this.#home(uid);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const owner = ownerOf(isolation, service);
    const user = owner?.user ?? null;
    const ownHome = appHomeOf(isolation, home, uid);
    if (owner !== null) {
      mkdirSync(ownHome, { recursive: true, mode: 0o700 });
      if (user !== null) chownSync(ownHome, user.uid, user.gid);
      // An agent that isolates may have taken over from one that did not: its files lay elsewhere.
      await unpacked.ensure(launch.artifact, AbortSignal.timeout(FETCHED_MS), owner);
    }
    // Real paths: an app that sees only its own directories sees no link on the way to them.
    const appHome = realpathSync(ownHome);
    const cwd = realpathSync(unpacked.path(launch.artifact, owner));
    const env = environmentOf(launch, { runtime, service, uid, stamp, port, home: appHome });
    const words = throughLauncher(cwd, argumentsOf(launch, env));
    const contained = containment.command(words, cwd, appViewOf(isolation, home, [cwd, appHome]));
    const [program = '', ...args] = contained.words;
    if (containment.kind === 'none') this.#loose.add(service);
    const output = await new OutputFile(home).begin(user);
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        ...{ cwd, env, ...user },
        detached: true,
        stdio: ['ignore', output, output, ...contained.pipes],
      });
    } finally {
      closeSync(output);
    }
    if (child.pid === undefined)
      return new Promise((_, fail) => {
        child.once('error', fail);
      });
    child.unref();
    const ended = new Promise<Exit>((done) => {
      child.once('exit', (code, signal) => done(this.#exitOf(code, signal)));
    });
    const pid = await containment.begin(home, uid, child);
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

  listeningPorts(process: ProcessId, uid: string): Promise<readonly number[]> {
    return this.#listeners.portsOf({ leader: process, uid, home: this.#home(uid) });
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
    await new OutputFile(home).end();
    await rm(appHomeOf(this.#options.isolation, home, uid), { recursive: true, force: true });
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

  #home(uid: string): string {
    return join(this.#options.homes, uid);
  }

  #exitOf(code: number | null, signal: NodeJS.Signals | null): Exit {
    const by = signal ?? (this.#options.containment.kind === 'namespace' ? signalIn(code ?? 0) : null);
    if (by === null) return { kind: 'exited', code: code ?? 0 };
    const before = this.#oomKills;
    const now = oomKills();
    const outOfMemory = by === 'SIGKILL' && before !== null && now !== null && now > before;
    return { kind: 'signalled', signal: by, outOfMemory };
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

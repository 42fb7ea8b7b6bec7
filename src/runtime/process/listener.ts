import { readdirSync, readlinkSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { ListeningAddresses } from '../supervise/instance-port.ts';
import { containedIn } from './containment.ts';
import { INSTANCE_VARIABLE } from './environment.ts';
import { type ListeningSocket, listeningSockets, RECEIVERS } from './listening-sockets.ts';
import { hasSuspended, membersOf, processTable } from './members.ts';
import { type Marked, markedWith, type ProcessId, type Stat } from './proc.ts';

/** The rest after a look at /proc, as a multiple of the time that the look took: caps its share of the machine. */
const REST = 3;
/** The longest rest: a machine that is busy makes looks long, and no answer should wait for that. */
const LONGEST_REST_MS = 250;

/**
 * Finds out whose sockets listen on the ports of instances, and which instances are suspended. It looks with every
 * proof (F118): another process may take the port before, beside or after the instance. Everybody who requests a look
 * before it begins shares it, so that a hundred instances cost as much as one.
 */
export class Listeners {
  #next: Promise<ProcLook> | null = null;
  #restUntil = 0;

  async of(instance: ListeningInstance, port: number): Promise<ListeningAddresses> {
    const look = await this.#look();
    try {
      return listeningAt(look, instance, port);
    } finally {
      this.#rest(look);
    }
  }

  /** Every port on which the instance listens, at whatever address, in ascending order. */
  async portsOf(instance: ListeningInstance): Promise<readonly number[]> {
    const look = await this.#look();
    try {
      return listeningPorts(look, instance);
    } finally {
      this.#rest(look);
    }
  }

  async isSuspended(leader: ProcessId): Promise<boolean> {
    const look = await this.#look();
    try {
      return hasSuspended(leader, look.table);
    } finally {
      this.#rest(look);
    }
  }

  #look(): Promise<ProcLook> {
    this.#next ??= wait(Math.max(0, this.#restUntil - performance.now())).then(() => {
      this.#next = null;
      return new ProcLook();
    });
    return this.#next;
  }

  #rest({ begunAt }: ProcLook): void {
    const now = performance.now();
    this.#restUntil = Math.max(this.#restUntil, now + Math.min(LONGEST_REST_MS, REST * (now - begunAt)));
  }
}

/** An instance by everything that its processes are found by. */
interface ListeningInstance {
  readonly leader: ProcessId;
  readonly uid: string;
  readonly home: string;
}

/** One look at /proc. Each part is read when it is first needed. */
class ProcLook {
  readonly begunAt = performance.now();
  readonly #sockets = new Map<number, ReadonlySet<string> | null>();
  #listening: ReadonlyMap<number, readonly ListeningSocket[]> | null | undefined;
  #table: ReadonlyMap<number, Stat> | undefined;
  #marked: readonly Marked[] | undefined;

  get listening(): ReadonlyMap<number, readonly ListeningSocket[]> | null {
    if (this.#listening === undefined) this.#listening = listeningSockets();
    return this.#listening;
  }

  get table(): ReadonlyMap<number, Stat> {
    this.#table ??= processTable();
    return this.#table;
  }

  get marked(): readonly Marked[] {
    this.#marked ??= markedWith(INSTANCE_VARIABLE);
    return this.#marked;
  }

  /** Null if the kernel does not let us read them, which happens with no process of our own user. */
  socketsOf(pid: number): ReadonlySet<string> | null {
    const known = this.#sockets.get(pid);
    if (known !== undefined) return known;
    const found = socketsOf(pid);
    this.#sockets.set(pid, found);
    return found;
  }
}

/**
 * An address is the instance's if it holds every socket that receives connections to it: of two that share an address,
 * either may receive the next one.
 */
function listeningAt(look: ProcLook, instance: ListeningInstance, port: number): ListeningAddresses {
  if (look.listening === null) return { addresses: RECEIVERS.map(({ address }) => address), isTaken: false };
  const sockets = look.listening.get(port) ?? [];
  if (sockets.length === 0) return { addresses: [], isTaken: false };
  const isOwn = ownSockets(look, instance, sockets);
  const addresses: string[] = [];
  let isTaken = false;
  for (const { address, bindings } of RECEIVERS) {
    const receivers = bindings
      .map((bound) => sockets.filter((socket) => bound.includes(socket.bound)))
      .find((found) => found.length > 0);
    if (receivers === undefined) continue;
    if (receivers.every(({ socket }) => isOwn(socket))) addresses.push(address);
    else isTaken = true;
  }
  return { addresses, isTaken };
}

function listeningPorts(look: ProcLook, instance: ListeningInstance): readonly number[] {
  const held = new Set<string>();
  for (const pid of [...membersOf(instance.leader, look.table), ...containedIn(instance.home)])
    for (const socket of look.socketsOf(pid) ?? []) held.add(socket);
  return [...(look.listening ?? [])]
    .filter(([, sockets]) => sockets.some(({ socket }) => held.has(socket)))
    .map(([port]) => port)
    .sort((a, b) => a - b);
}

/**
 * Looks into the container, and for our mark in the environment of every process, only if the sockets are held by none
 * that descends from it.
 */
function ownSockets(
  look: ProcLook,
  { leader, uid, home }: ListeningInstance,
  sockets: readonly ListeningSocket[],
): (socket: string) => boolean {
  const own = new Set<string>();
  let isHidden = false;
  const take = (pids: Iterable<number>) => {
    for (const pid of pids) {
      const held = look.socketsOf(pid);
      if (held === null) isHidden = true;
      else for (const { socket } of sockets) if (held.has(socket)) own.add(socket);
    }
  };
  take(membersOf(leader, look.table));
  if (own.size < sockets.length) take(containedIn(home));
  if (own.size < sockets.length)
    take(look.marked.filter(({ value }) => value === uid).map(({ id }) => id.pid));
  return (socket) => own.has(socket) || isHidden;
}

function socketsOf(pid: number): ReadonlySet<string> | null {
  let open: readonly string[];
  try {
    open = readdirSync(`/proc/${pid}/fd`);
  } catch (error) {
    // One that has ended meanwhile holds nothing.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return new Set();
    if (code === 'EACCES' || code === 'EPERM') return null;
    throw error;
  }
  const sockets = open.flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
  return new Set(sockets);
}

import type { ApplyOrder, OutputLine } from '../port.ts';
import type { FencedStamp } from '../stamp.ts';
import type { Exit, Launch } from './record.ts';

/** One instance to start. */
export interface InstanceStart {
  readonly service: string;
  readonly uid: string;
  readonly stamp: FencedStamp;
  readonly port: number | null;
  readonly launch: Launch;
}

/** An instance that runs. */
export interface Started<P> {
  readonly process: P;
  /** Resolves when it ends. Null if nobody reports that (a process that another agent started): then it is polled. */
  readonly ended: Promise<Exit> | null;
}

/** The addresses of a port, told apart by who listens there. */
export interface ListeningAddresses {
  /** The instance listens here, in the order in which they are probed. */
  readonly addresses: readonly string[];
  /** Another listens at some address of the port: its answers prove nothing about the instance (S1, F118). */
  readonly isTaken: boolean;
}

/** The lines that one instance has written. Where lines were dropped, a line says how many (F121). */
export interface OutputSource {
  /** @param ended the instance writes no more, so a last line without an end counts as one */
  read(maxLines: number, ended: boolean): Promise<readonly OutputLine[]>;
  taken(lines: readonly OutputLine[]): Promise<void>;
  /** Everything that was written can be read now. */
  readonly isComplete: boolean;
}

/**
 * Runs the instances of services at one place: process groups (src/runtime/process), containers behind the same port.
 * Supervision (plan, restarts, probes, routes, records) stands above it and knows no more of an instance than this.
 *
 * `P` identifies what runs and is stored as JSON: after a restart of agent or machine it must never fit another.
 */
export interface InstancePort<P> {
  /** The kind of the objects that `runtime.applied` names. */
  readonly kind: string;
  /** True if no instance of the service that has ended can have left anything, wherever it went (F117). */
  contains(service: string): boolean;

  /**
   * Opens the place: ends and removes everything that was started here and is on no record, because it would never be
   * stopped. Gives what runs, by uid, also what was started and never recorded.
   */
  open(recorded: ReadonlySet<string>): Promise<ReadonlyMap<string, P>>;

  /** Throws `ApplyRefused` for an order that this kind of instance cannot carry out. */
  check(order: ApplyOrder): void;
  /** Fetches what instances of the launch are started from, and throws `ApplyRefused` for what cannot start. */
  prepare(service: string, stamp: FencedStamp, launch: Launch, signal: AbortSignal): Promise<void>;
  /** Removes artifacts that nothing needs at the moment of the call. */
  collect(needed: () => ReadonlySet<string>): Promise<void>;

  /** The port for the next start: the one before if it can be, and none of `taken`. Called one at a time. */
  choosePort(before: number | null, taken: ReadonlySet<number>): Promise<number>;
  /** Everything it starts carries the uid, so that `open` finds it. Throws what kept it from starting. */
  start(instance: InstanceStart): Promise<Started<P>>;
  /** Takes up what a former agent started; gives its exit if it has ended. */
  resume(process: P): Promise<Started<P> | Exit>;
  /** Rejects if that cannot be found out: then the last observation ages. */
  isAlive(process: P): Promise<boolean>;
  /** Signals the instance to end. Does nothing to one that has ended. */
  terminate(process: P): Promise<void>;
  kill(process: P): Promise<void>;
  /** Ends whatever an instance that has ended started and left behind; resolves when that is gone. */
  endLeftovers(uid: string): Promise<void>;

  /** Finds out, now, where the instance itself listens on its port. Rejects if that cannot be found out. */
  listening(process: P, uid: string, port: number): Promise<ListeningAddresses>;
  /** Finds out, now, on which ports the instance listens, in ascending order. Rejects if that cannot be found out. */
  listeningPorts(process: P, uid: string): Promise<readonly number[]>;
  /** True if it is alive and was suspended: it does nothing. Rejects if that cannot be found out. */
  isSuspended(process: P): Promise<boolean>;

  output(uid: string): OutputSource;
  /** Removes everything that an instance which is gone has left, its output included. */
  forget(uid: string): Promise<void>;

  /** Stops observing. What runs goes on running. */
  close(): void;
}

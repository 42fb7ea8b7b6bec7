import type { Spec, Stamp } from '../contract/intent.ts';
import type { ObservationAnswer, Workload } from '../contract/observation.ts';
import type { DeniedPermission, Instance, ServiceEntry } from '../contract/report.ts';
import type { FencedStamp } from './stamp.ts';

/** An order: make `replicas` of this artifact run, with this stamp. */
export interface ApplyOrder {
  readonly service: string;
  readonly stamp: FencedStamp;
  /** A digest in our store, or an image. */
  readonly artifact: string;
  readonly spec: Spec;
  /** Stamps of other revisions whose instances count as this one's: a `scale` keeps the instances there are. */
  readonly accepts: readonly Stamp[];
}

/**
 * `applied`: the runtime holds the order durably and works on it; running is observed, never promised here
 * (S1). `refused`: nothing was changed; `retrySafe`: another try does no harm.
 */
export type ApplyResult =
  | {
      readonly kind: 'applied';
      readonly objects: readonly { kind: string; name: string }[];
      /** The digest of what will run, where the order named an image by a tag: nothing else proves it. */
      readonly artifact?: string;
    }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly retrySafe: boolean;
      /** The service that is in the way. */
      readonly holder?: string;
    };

/** False: what an instance started and what then left it may run still; nothing here could hold it (F117). */
export interface RemoveResult {
  readonly contained: boolean;
}

/**
 * One scope of the target, as it was last observed: typed facts; no environment, no command line, no raw object (S15).
 * Scopes are independent: one that cannot be read ages alone.
 */
export interface ScopedObservation {
  /** The part of the target that this is about; `*` is all of it. A scope that is no longer listed is given up. */
  readonly scope: string;
  /** Everything in the scope is listed: an instance that is not listed is gone. */
  readonly complete: boolean;
  /** The age of the oldest observation that any of it rests on (F66). */
  readonly watchAgeMs: number;
  /** The same list as in the observation before means that nothing of it has changed. */
  readonly instances: readonly Instance[];
  readonly services: readonly ServiceEntry[];
  /** Whatever changes is announced, so that a heartbeat says as much as a full report; if absent, it may not be. */
  readonly beats?: true;
  /** The scope cannot be observed now, and for which reason: nothing else of this counts. */
  readonly unavailable?: 'forbidden' | 'runtime_unreachable';
  /** The permissions that are missing for it. */
  readonly denied?: readonly DeniedPermission[];
  /** The place of the scope does not exist: it is empty for that reason. */
  readonly absent?: true;
  /** The server has records of the scope, and no rule covers it: it is given up, also by an agent that never reported it. */
  readonly isLeftOut?: true;
  /** The version of the target's rule that the observation follows. */
  readonly observation?: number;
  /** Workloads that are there and that the rule leaves out by their labels, by kind and name: `Deployment/web`. */
  readonly uncovered?: readonly string[];
  /** The stability window of each service, so that the agent can report when it is over. */
  readonly stabilityMs: ReadonlyMap<string, number>;
}

/** A workload that the server knows under another name than its own. */
export interface NamedByServer {
  readonly service: string;
  readonly workload: Workload;
}

/** The server's record of a target, which an agent cannot know by itself. */
export interface TargetRecord {
  readonly names: readonly NamedByServer[];
  /** Namespaces with services: one that is empty by now is still to be reported, as empty. */
  readonly namespaces: readonly string[];
  readonly defaultNamespace: string | null;
}

/** A line that an app wrote. `seq` grows by each line and names the same line after a restart of the agent. */
export interface OutputLine {
  readonly seq: number;
  /** The latest instant at which it may have been written. */
  readonly at: number;
  readonly line: string;
}

/** The lines that an instance wrote since the last that were `taken`; until then they are read again. */
export interface InstanceOutput {
  readonly service: string;
  readonly stamp: FencedStamp;
  readonly instance: string;
  read(maxLines: number): Promise<readonly OutputLine[]>;
  taken(lines: readonly OutputLine[]): Promise<void>;
}

/**
 * A place that runs services: processes here, containers and Kubernetes behind the same port. One suite holds all
 * of them to it: src/runtime/conformance.ts.
 *
 * Level-triggered: an order is recorded durably, and the runtime works towards it until a newer one comes, also after
 * a crash between the two. Therefore every call may be repeated, and repeating one that has come true does nothing.
 */
export interface Runtime {
  /** Identifies the place, durably: under another identity, what was observed before is about another place. */
  readonly identity: string;
  /** The namespace of a cluster whose workloads are named without it, unless the target had another before. */
  readonly defaultNamespace?: string;
  /** It applies nothing: it observes what other tools deploy. */
  readonly observeOnly?: true;

  /**
   * An order older than what was applied or removed, by (revision, attempt, fence), is refused: what was replaced or
   * removed is never resurrected. Under a newer fence of the same attempt nothing is restarted. `signal` is the lease:
   * once it is aborted nothing more is begun.
   */
  apply(order: ApplyOrder, signal: AbortSignal): Promise<ApplyResult>;

  /** Ends everything with a lower or equal stamp; resolves when it is gone. Newer instances stay. */
  remove(service: string, stamp: FencedStamp, signal: AbortSignal): Promise<RemoveResult>;

  /** Sets the interval of reports: what is reported so often must be proven as often (F66). */
  pace(reportEveryMs: number): void;
  /**
   * Answers the last observation of every scope. Waits for none: a scope that stalls is answered with its
   * age.
   */
  observe(): Promise<readonly ScopedObservation[]>;
  /** Observes every scope again, now. */
  refresh(): Promise<void>;
  /** Calls the listener when an observation would show something else than before. */
  onChange(listener: () => void): () => void;

  outputs(): readonly InstanceOutput[];

  /** Follows the rule of the target from now on, where other tools deploy there too; absent: it knows no such things. */
  follow?(rule: ObservationAnswer): void;
  /** Learns what the server has on record of the target. */
  learn?(record: TargetRecord): void;
  /** The server says that the name of a service belongs to another workload. */
  nameTaken?(service: string): void;

  /** Stops supervising. What runs goes on running, and the next agent to open this place adopts it. */
  close(): Promise<void>;
}

/** Gives the bytes of an artifact by digest; the reader checks them against it. */
export type FetchArtifact = (digest: string, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

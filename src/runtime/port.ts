import type { Spec, Stamp } from '../contract/intent.ts';
import type { Instance, ServiceEntry } from '../contract/report.ts';
import type { FencedStamp } from './stamp.ts';

/** Make this true: `replicas` of this artifact, stamped so. */
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
 * `applied`: the runtime holds it durably and works on it; whether it runs is observed, never promised here (S1).
 * `refused`: nothing was changed, and repeating the same order changes nothing unless `retrySafe`.
 */
export type Applied =
  | { readonly kind: 'applied'; readonly objects: readonly { kind: string; name: string }[] }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly retrySafe: boolean;
    };

/** Everything that is there, as typed facts; no environment, no command line, no raw object (S15). */
export interface Observation {
  readonly instances: readonly Instance[];
  readonly services: readonly ServiceEntry[];
  /** The age of the oldest look that any of it rests on (F66). */
  readonly watchAgeMs: number;
  /** The stability window of each service, so that the agent can report when one has passed. */
  readonly stabilityMs: ReadonlyMap<string, number>;
}

/** A line that an app wrote. `seq` grows with each and names the same line after a restart of the agent. */
export interface OutputLine {
  readonly seq: number;
  /** Written by then, at the latest. */
  readonly at: number;
  readonly line: string;
}

/** What an instance wrote since it was last asked; nothing is forgotten before it is `taken`. */
export interface Output {
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
  /** Of the place itself, durable: another one means that what was known is about something else. */
  readonly identity: string;

  /**
   * An order older than what was applied or removed, by (revision, attempt, fence), is refused: what was replaced or
   * removed is never resurrected. Under a newer fence of the same attempt nothing is restarted. `signal` is the lease:
   * once it is aborted nothing more is begun.
   */
  apply(order: ApplyOrder, signal: AbortSignal): Promise<Applied>;

  /** Ends everything with a lower or equal stamp; done when it is gone. What is newer stays. */
  remove(service: string, stamp: FencedStamp, signal: AbortSignal): Promise<void>;

  /** How often it will be reported, and so has to be proven (F66). */
  pace(reportEveryMs: number): void;
  observe(): Observation;
  /** Looks at everything again, now. */
  look(): Promise<void>;
  /** Called when an observation would show something else than before. */
  onChange(listener: () => void): () => void;

  outputs(): readonly Output[];

  /** Stops supervising. What runs goes on running, and the next one to open this place adopts it. */
  close(): Promise<void>;
}

/** The bytes of an artifact, by digest; whoever unpacks them checks that they are what they are called. */
export type FetchArtifact = (digest: string, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

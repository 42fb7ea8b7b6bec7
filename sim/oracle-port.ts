import type { Claim } from '../src/contract/claim.ts';
import type { CommandKind, Rejection } from '../src/contract/vocabulary.ts';
import type { Settings } from '../src/projection/facts.ts';
import type { MemoryStore } from '../src/store/memory.ts';
import type { Counts } from './oracle/counters.ts';
import type { World } from './world.ts';

/** A report as the agent really made it: what it saw and when, whatever became of it on the way. */
export interface OriginalReport {
  readonly org: string;
  readonly target: string;
  readonly epoch: string;
  readonly seq: string;
  readonly scope: string;
  /** True time of the view that it shows. */
  readonly seenAt: number;
  readonly kind: 'full' | 'change' | 'heartbeat';
  readonly complete: boolean;
  /** The report is forged, replayed or mangled on purpose, and differs from what the agent observed. */
  readonly hostile: boolean;
  readonly body: unknown;
}

/** Something that happened at the edge of the code under test. */
export type Happening =
  /** A report was accepted: it will be visible from now on. */
  | {
      readonly kind: 'reported';
      readonly at: number;
      readonly report: OriginalReport;
      readonly ok: boolean;
      readonly resync: boolean;
    }
  /** A client got an answer to a request with this key. */
  | {
      readonly kind: 'answered';
      readonly org: string;
      readonly token: string;
      readonly key: string;
      readonly fingerprint: string;
      readonly service: string;
      readonly revision: number;
      readonly attempt: number;
      readonly replayed: boolean;
    }
  /** Evidence got its verdict. `rightful` says whether the sender really held that lease when it was sent. */
  | {
      readonly kind: 'judged';
      readonly at: number;
      readonly org: string;
      readonly source: string;
      readonly id: string;
      readonly verdict: 'admitted' | 'rejected';
      readonly duplicate: boolean;
      readonly position: string;
      readonly reason: Rejection | null;
      readonly hostile: boolean;
    }
  /** Somebody asked for work, and that is on record: `calledAt` is when the first such call arrived. */
  | {
      readonly kind: 'work_requested';
      readonly at: number;
      readonly calledAt: number;
      readonly org: string;
      readonly worker: string;
      readonly instance: string;
      readonly kinds: readonly CommandKind[];
      readonly target: string;
    }
  /** A heartbeat that was sent then was answered as good. */
  | {
      readonly kind: 'beat';
      readonly at: number;
      readonly org: string;
      readonly lease: string;
      readonly fence: string;
    }
  /** A reader that polls from a position got these. */
  | {
      readonly kind: 'streamed';
      readonly org: string;
      readonly reader: string;
      readonly positions: readonly string[];
    };

export interface OracleInputs {
  readonly store: MemoryStore;
  readonly world: World;
  readonly settings: Settings;
  /** The store's clock: what the code under test may go by. */
  storeNow(): number;
  /** True time; the same as the store's clock unless that was stepped. */
  trueNow(): number;
  /** The claim as the real code computes it now. */
  claim(org: string, service: string): Promise<Claim | null>;
  claimAt(org: string, service: string, at: number): Promise<Claim | null>;
}

export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

/** The judge of a schedule. Written apart from the model's code; throws nothing, returns what it found. */
export interface Oracle {
  happened(happening: Happening): void;
  /** After every step. Most of them change nothing that anybody claims: then there is nothing to wait for. */
  check(): Violation | null | Promise<Violation | null>;
  /** After faults have stopped and everything had time to come to rest. */
  finish(): Promise<Violation | null>;
  /** Counts how often each invariant was really put to the test: one at zero was not checked. */
  readonly counts: Counts;
}

import type { Claim } from '../contract/claim.ts';
import type { Digits } from '../contract/digits.ts';
import type { Git, Stamp } from '../contract/intent.ts';
import type {
  CommandKind,
  Outcome,
  Owner,
  Rejection,
  RevisionKind,
  Role,
  Stage,
  State,
} from '../contract/vocabulary.ts';

/** What the server answers to people, as it stands on the wire: exchange.md, sections 6 to 8. */
export interface Acted extends Stamp {
  readonly service: string;
  readonly claim: Claim;
}

export interface ServiceItem {
  readonly ref: string;
  readonly name: string;
  readonly target: string;
  readonly org: string;
  readonly urls: readonly string[];
  readonly createdAt: string;
  readonly claim: Claim;
}

export interface ServiceView extends ServiceItem {
  readonly spec: {
    readonly port?: number | 'auto' | null;
    readonly replicas?: number;
    readonly stabilityMs?: number;
    readonly [field: string]: unknown;
  };
}

export interface AttemptView {
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly stages: readonly { readonly stage: Stage; readonly ms: number }[];
}

export interface RevisionView {
  readonly revision: number;
  readonly kind: RevisionKind;
  readonly actor: string;
  readonly git: Git | null;
  /** A digest, or the image that was named; null until something is built. */
  readonly artifact: string | null;
  readonly replicas: number;
  readonly createdAt: string;
  readonly attempts: readonly AttemptView[];
}

export interface TransitionView extends Stamp {
  readonly position: Digits;
  readonly at: string;
  readonly from: State | null;
  readonly to: State;
  readonly owner: Owner;
  readonly evidence: string;
}

export interface EvidenceView {
  readonly id: string;
  readonly position: Digits;
  readonly kind: string;
  readonly revision: number | null;
  readonly attempt: number | null;
  readonly fence: Digits | null;
  readonly source: { readonly role: Role; readonly name: string; readonly instance: string };
  readonly receivedAt: string;
  readonly observedAt: string | null;
  readonly verdict: 'admitted' | 'rejected';
  readonly reason: Rejection | null;
  readonly body: unknown;
}

export interface AgentView {
  readonly id: string;
  readonly agent: string;
  readonly target: string;
  readonly instance: string;
  readonly epoch: Digits;
  readonly version: string;
  readonly identity: string;
  readonly state: 'alive' | 'stale' | 'fenced';
  readonly asOf: string | null;
  readonly watchAgeMs: number | null;
  readonly skewMs: number | null;
  readonly forbidden: readonly string[];
}

export interface WorkerView {
  readonly worker: string;
  readonly instance: string;
  readonly kinds: readonly string[];
  readonly state: 'online' | 'busy' | 'offline';
  readonly lastSeen: string | null;
  readonly holds: readonly { readonly command: string }[];
}

export interface CommandView extends Stamp {
  readonly command: string;
  readonly kind: CommandKind;
  readonly service: string;
  readonly state: string;
  readonly waitsFor: string;
  readonly since: string;
  readonly holder: { readonly worker: string; readonly instance: string; readonly until: string } | null;
  readonly lapses: number;
}

export interface TargetView {
  readonly target: string;
  readonly agent: { readonly agent: string; readonly state: 'alive' | 'stale' } | null;
  readonly services: number;
}

/** A line of a build or of an instance. A notice stands where lines are missing. */
export interface LogLine extends Stamp {
  readonly service: string;
  readonly stream: 'build' | 'run';
  readonly instance: string | null;
  readonly seq: string;
  readonly at: string;
  readonly line: string;
  readonly notice?: true;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

import type { Answer } from '../contract/problem.ts';
import type { CommandKind } from '../contract/vocabulary.ts';

export interface LeaseRequest {
  readonly kinds: readonly CommandKind[];
  readonly target?: string;
  readonly worker: string;
  readonly instance: string;
  /** Caps how many commands it is offered at once; one without it. */
  readonly max?: number;
}

/** The grant is an offer: its answer can be lost. Only the first fenced call makes it a lease. */
export interface Offer {
  readonly id: string;
  readonly command: string;
  readonly kind: CommandKind;
  readonly service: string;
  readonly revision: number;
  readonly attempt: number;
  readonly fence: string;
  readonly ttlMs: number;
}

export type Acquired = Answer<{ readonly offers: readonly Offer[] }>;

import type { Caller } from '../access/caller.ts';
import type { Problem } from '../contract/problem.ts';
import type { oneOf } from '../store/port.ts';
import type { CommandRow } from '../store/schema.ts';
import type { LeaseRequest, Offer } from './offer.ts';

export interface CallerRequest {
  readonly caller: Caller;
  readonly request: LeaseRequest;
}

/** A request in a transaction, with the epoch under which it acquires work, and what it is answered. */
export interface PendingRequest extends CallerRequest {
  readonly epoch: string | null;
  readonly waiting: CommandQueue | null;
  /** The reason that it is offered nothing; null: it may have work. */
  readonly refusal: Problem | null;
  offers: readonly Offer[];
  /** Nothing more waits for it. */
  isServed: boolean;
}

/** Commands of certain kinds, of one target or of any, the longest waiting first. */
export interface CommandQueue {
  readonly where: { readonly kind: ReturnType<typeof oneOf<CommandRow['kind']>>; readonly target?: string };
  commands: readonly CommandRow[];
  /** As many were read at most. */
  limit: number;
  /** True if the database may have more of them than were read. */
  more: boolean;
}

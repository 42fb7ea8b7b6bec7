import type { Caller } from '../access/caller.ts';
import type { oneOf } from '../store/port.ts';
import type { CommandRow } from '../store/schema.ts';
import type { Acquired, LeaseRequest } from './offer.ts';

export interface CallerRequest {
  readonly caller: Caller;
  readonly request: LeaseRequest;
}

/** A request in a transaction, with the epoch under which it acquires work, and its answer. */
export interface PendingRequest extends CallerRequest {
  readonly epoch: string | null;
  readonly waiting: CommandQueue | null;
  answer: Acquired | null;
}

/** Commands of certain kinds, of one target or of any, the longest waiting first. */
export interface CommandQueue {
  readonly where: { readonly kind: ReturnType<typeof oneOf<CommandRow['kind']>>; readonly target?: string };
  commands: readonly CommandRow[];
  /** True if the database may have more of them than were read. */
  more: boolean;
}

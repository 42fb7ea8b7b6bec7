import { compareDigits } from '../../contract/digits.ts';
import type { SubmittedItem } from '../../contract/evidence.ts';
import type { CommandKind, Kind, Rejection, Role } from '../../contract/vocabulary.ts';
import { isAbout, isSubmittable, mayCreate } from '../../projection/kinds.ts';

/** The facts that admission decides on, read behind the door's lock in the transaction that stores the verdict. */
export interface AdmissionContext {
  readonly role: Role | null;
  readonly caller: string;
  /** The token's binding covers the service, and the service is one of this org. */
  readonly bound: boolean;
  /** The same source has used the id before, for something else. */
  readonly isIdTaken: boolean;
  readonly active: { readonly revision: number; readonly attempt: number } | null;
  readonly newest: number;
  readonly command: {
    readonly kind: CommandKind;
    readonly service: string;
    readonly revision: number;
    readonly attempt: number;
    /** The highest fence ever issued for it. */
    readonly fence: string;
  } | null;
  readonly lease: {
    readonly caller: string;
    readonly ended: boolean;
    readonly lastSeq: string | null;
  } | null;
  readonly artifactHeld: boolean;
}

type Admission =
  | { readonly verdict: 'admitted' }
  | { readonly verdict: 'rejected'; readonly reason: Rejection };

/**
 * admit(context, item) -> verdict. The first match wins, in the order of the reasons table. Pure: a refusal is a
 * value that is recorded and shown, never an exception. The faults behind the reasons: `conflicting_duplicate` F19,
 * `not_owner` F27, `unissued` F24, `stale_revision` F21, `stale_attempt` F22, `stale_lease` F23, `out_of_order` F20.
 * Evidence that comes a day late (F26) is rejected by one of the stale reasons, if anything happened since: its age decides
 * nothing.
 */
export function admit(context: AdmissionContext, item: SubmittedItem & { readonly kind: Kind }): Admission {
  const { command, lease, active } = context;
  if (item.command == null || item.fence == null) return rejected('invalid');
  // mutant: one-body-per-id
  if (context.isIdTaken) return rejected('conflicting_duplicate');
  if (context.role === null || !isSubmittable(item.kind) || !mayCreate(context.role, item.kind))
    return rejected('not_owner');
  if (!context.bound || active === null) return rejected('not_owner');
  // mutant: kind-of-command
  if (command !== null && (command.service !== item.service || !isAbout(item.kind, command.kind)))
    return rejected('not_owner');
  // mutant: lease-of-caller
  if (lease !== null && lease.caller !== context.caller) return rejected('not_owner');
  if (
    command === null ||
    lease === null ||
    item.revision > context.newest ||
    item.revision !== command.revision ||
    /* mutant: attempt-of-command */ item.attempt !== command.attempt ||
    compareDigits(item.fence, command.fence) > 0
  ) {
    return rejected('unissued');
  }
  // mutant: stale-revision
  if (item.revision < active.revision) return rejected('stale_revision');
  if (item.attempt < active.attempt) return rejected('stale_attempt');
  // mutant: stale-lease
  if (compareDigits(item.fence, command.fence) < 0 || lease.ended) return rejected('stale_lease');
  if (item.seq != null && lease.lastSeq !== null && compareDigits(item.seq, lease.lastSeq) <= 0)
    return rejected('out_of_order');
  // mutant: artifact-held
  if (item.kind === 'artifact.stored' && !context.artifactHeld) return rejected('artifact_missing');
  return { verdict: 'admitted' };
}

const rejected = (reason: Rejection): Admission => ({ verdict: 'rejected', reason });

import { authorize } from '../../access/authorize.ts';
import { seesDetail } from '../../access/roles.ts';
import type { SignedIn } from '../auth/authenticate.ts';
import { Refused } from '../http/problems.ts';
import { unwrap } from '../http/unwrap.ts';

/** One request for GraphQL that was let in: what every field knows of its caller. */
export interface GraphqlCall extends SignedIn {
  readonly correlation: string;
  /** Aborts when the client closes its connection before it has the answer. */
  readonly left: AbortSignal;
}

/** Asks the permission that HTTP asks for the same reading. */
export const requireTo = (operation: 'read' | 'inspect', { caller }: GraphqlCall) =>
  void unwrap(authorize(caller, { operation }));

/** Refuses what only operators and admins are told, in place of an empty answer. */
export function requireDetail({ caller }: GraphqlCall): void {
  if (!seesDetail(caller.role))
    throw new Refused('forbidden', `A token with the role ${caller.role} is not told this.`);
}

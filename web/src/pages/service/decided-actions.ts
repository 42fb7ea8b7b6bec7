import type { Claim } from '../../../../src/contract/claim.ts';

/**
 * The claim with what the server decided about its actions when the service was read by itself. A claim of the stream leaves
 * a rollback undecided, because it does not read earlier revisions: without this a button would come and go. Pure.
 */
export function withDecisions(claim: Claim, read: Claim | undefined): Claim {
  const isSame =
    read?.desired.revision === claim.desired.revision && read.desired.attempt === claim.desired.attempt;
  if (!isSame) return claim;
  const actions = claim.actions.map((one) =>
    one.allowed === null ? (read.actions.find(({ action }) => action === one.action) ?? one) : one,
  );
  return { ...claim, actions };
}

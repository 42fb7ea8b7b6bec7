import { Link } from 'wouter';
import { isManagedElsewhere } from '../../../../../src/contract/actions.ts';
import type { RevisionView } from '../../../../../src/contract/answers/views.ts';
import { buttonsOf } from '../../../../../src/contract/presentation/buttons.ts';
import { serverNowOf } from '../../../../../src/contract/presentation/server-contact.ts';
import type { ClaimView } from '../../../live/claim-view.ts';
import { hasRoleAtLeast, type Session } from '../../../session.ts';
import type { DatedClaim } from '../dated-claim.ts';
import { useFailure } from '../failure.ts';
import { actionAddress } from '../next/asked-action.ts';
import { useServiceRibbon } from '../ribbon-reading.ts';
import { earlierOf } from '../rollback-goals.ts';
import { tabAddress } from '../tabs.ts';
import { DAY_MS } from '../windows.ts';
import { Compare, useComparison } from './compare.tsx';
import { RevisionTable } from './revision-table.tsx';

interface Props {
  readonly session: Session;
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  /** Null: they are not read yet. */
  readonly revisions: readonly RevisionView[] | null;
  /** How long ago they were read. */
  readonly sinceRead: number;
  /** Grows with each change of the claim. */
  readonly news: number;
}

/** All revisions: what each changed, what the log of the wanted one names of it, and the way back to each that can be one. */
export function RevisionsTab({ session, dated, claimView, revisions, sinceRead, news }: Props) {
  const { claim, at, contact, now } = dated;
  const { service, desired } = claim;
  const serverNow = serverNowOf(contact, now);
  const { ribbon } = useServiceRibbon(service, DAY_MS, serverNow, `${news}`);
  const { failure } = useFailure(service, claim, at, ribbon?.ticks ?? NONE);
  const named = failure?.named ?? NOTHING;
  const isPast = at !== null;
  const all = revisions ?? NONE;
  const { shown, isAwaited } = useComparison({ service, revisions: all, desired: desired.revision, isPast });
  const mayDeploy = hasRoleAtLeast(session, 'deployer') && !isPast;
  const earlier = earlierOf(all, desired.revision);
  const rollback = buttonsOf(claim, mayDeploy, earlier.length > 0).find(
    ({ action }) => action === 'rollback',
  );
  const goals = rollback?.whyNot === null ? earlier : NONE;
  const backTo = (revision: number) =>
    goals.some((goal) => goal.revision === revision) ? actionAddress(service, 'rollback', revision) : null;
  const wayBack = (against: number) => {
    const back = backTo(against);
    const mayConfigure = mayDeploy && !isManagedElsewhere(claim.actions);
    if (back === null && !mayConfigure) return null;
    return (
      <p className="way-back">
        {mayConfigure && (
          <Link href={tabAddress(service, 'configuration')} className="button">
            Edit configuration
          </Link>
        )}
        {back !== null && (
          <Link href={back} className="button">
            Roll back to r{against}
          </Link>
        )}
      </p>
    );
  };
  return (
    <>
      {shown !== null && (
        <Compare
          {...{ comparison: shown, named, wayBack }}
          numbers={all.map(({ revision }) => revision)}
          desired={desired.revision}
        />
      )}
      {/* Drawn before it, the list would be pushed down; a page that is not live waits for nothing. */}
      {(shown !== null || !isAwaited || !claimView.isLive) && (
        <RevisionTable
          {...{ claim, revisions, sinceRead, isPast, named, backTo }}
          {...{ now: serverNow, isLive: claimView.isLive, most: null }}
        />
      )}
    </>
  );
}

const NONE: never[] = [];
const NOTHING: ReadonlySet<string> = new Set();

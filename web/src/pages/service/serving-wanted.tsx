import type { InstanceView, RevisionView, ServiceView } from '../../../../src/contract/answers/views.ts';
import type { ServingRevision } from '../../../../src/contract/claim.ts';
import { authorAndActor, authorByActor } from '../../../../src/contract/presentation/author.ts';
import { keptRevisions } from '../../../../src/contract/presentation/kept-copies.ts';
import { readyOf } from '../../../../src/contract/presentation/ready-of.ts';
import {
  isSilentFor,
  lastProofAt,
  nothingServesNow,
  serverNowOf,
  servingNow,
} from '../../../../src/contract/presentation/server-contact.ts';
import { ago, before, clockTime, dayBefore } from '../../../../src/contract/presentation/times.ts';
import { isUpForNow } from '../../../../src/contract/presentation/up-for-now.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { Moment } from '../../parts/moment.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { Commit } from './commit.tsx';
import type { DatedClaim } from './dated-claim.ts';
import { whatOf } from './revision-name.ts';
import { provenServing } from './verdict.tsx';

interface Props {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  readonly revisions: readonly RevisionView[];
  readonly instances: readonly InstanceView[];
  readonly wanted: ServiceView['wanted'];
}

interface ServingRowProps {
  readonly label: string;
  readonly revision: number;
  readonly state: State;
  /** The number that is ready, or was; null: not known. */
  readonly copies: string | null;
  readonly agoMs: number | null;
  readonly about: RevisionView | undefined;
  /** A commit is known of one of the rows. */
  readonly hasCommits: boolean;
  readonly isPast: boolean;
  /** The target is silent: a count is what was last reported, whatever the state. */
  readonly isTargetSilent: boolean;
  readonly serverNow: number;
}

/** The number of its instances that were seen ready, with those that a scaling kept; null where none was. */
export function readyCopiesOf(
  instances: readonly InstanceView[],
  revision: number | null,
  revisions: readonly RevisionView[],
): number | null {
  if (revision === null) return null;
  const kept = keptRevisions(revisions, revision);
  const isOf = (one: number | null) => one === revision || (one !== null && kept.has(one));
  return instances.filter((one) => one.ready && isOf(one.revision)).length || null;
}

/** The revision that serves beside the one that is wanted; one line where they are the same. */
export function ServingAndWanted({ dated, claimView, revisions, instances, wanted }: Props) {
  const { claim, contact, now } = dated;
  const { desired } = claim;
  const serverNow = serverNowOf(contact, now);
  const aboutOf = (revision: number) => revisions.find((one) => one.revision === revision);
  const serving = provenServing(dated, claimView);
  const nothing = nothingServesNow(contact, claim, now);
  // A revision that was last seen serving has no row if it is proven that nothing serves, or was when last seen.
  const last = claim.nothingServes === undefined ? (claim.serving ?? claim.lastServing) : null;
  const copies =
    wanted?.revision === desired.revision && wanted.copies !== null
      ? readyOf(wanted.copies.ready, wanted.copies.wanted)
      : null;
  const isOne = (serving ?? last?.revision) === desired.revision;
  const readyCopies = readyCopiesOf(instances, serving, revisions);
  const hasCommits = [serving ?? last?.revision, desired.revision].some(
    (one) => one !== undefined && hasCommit(aboutOf(one)),
  );
  const isPast = dated.at !== null;
  const served = isPast ? 'Served' : 'Serving';
  const isUp = isUpForNow(claim);
  const common = {
    serverNow,
    hasCommits,
    isPast,
    isTargetSilent: !isPast && isSilentFor(contact, claim, now),
    agoMs: dated.at !== null && (claimView.ageMs ?? 0) < 1_000 ? null : claimView.ageMs,
  };
  // Each report of the target shows it anew, also while the wanted revision is not there yet.
  const servedAgo = (one: ServingRevision) => serverNow - servingNow(contact, claim.service, one, now).asOf;
  return (
    <table className="serving-wanted">
      <tbody>
        {serving !== null && (
          <Row
            {...common}
            label={isUp ? `${isPast ? 'Was up' : 'Up'} for now` : served}
            revision={serving}
            state={isUp ? 'degraded' : 'running'}
            agoMs={common.agoMs === null || claim.serving === null ? null : servedAgo(claim.serving)}
            copies={isOne ? copies : readyCopies === null ? null : `${readyCopies} ready`}
            about={aboutOf(serving)}
          />
        )}
        {serving === null && claim.nothingServes !== undefined && desired.replicas > 0 && (
          <tr>
            <th scope="row">{nothing === null ? 'Last seen' : served}</th>
            <td className="serving-which">
              <span className={nothing === null ? 'last-known' : undefined}>nothing</span>
            </td>
            <td colSpan={hasCommits ? 4 : 3} />
            <td className={`age ${nothing === null ? 'tone-unknown' : 'soft'}`}>
              {claim.nothingServes.validUntil === null && nothing !== null
                ? ''
                : (isPast ? before : ago)(serverNow - (nothing?.asOf ?? lastProofAt(contact, claim)))}
            </td>
          </tr>
        )}
        {serving === null && last !== null && (
          <Row
            {...common}
            label="Last seen"
            revision={last.revision}
            state="unknown"
            copies={isOne ? copies : null}
            agoMs={serverNow - Date.parse(last.asOf)}
            about={aboutOf(last.revision)}
          />
        )}
        {!isOne && (
          <Row
            {...common}
            label="Wanted"
            revision={desired.revision}
            state={claimView.state}
            copies={copies}
            about={aboutOf(desired.revision)}
          />
        )}
      </tbody>
    </table>
  );
}

function Row(props: ServingRowProps) {
  const { label, revision, state, copies, agoMs, about, hasCommits, isPast, serverNow } = props;
  const isLast = state === 'unknown';
  const isCountOld = isLast || props.isTargetSilent;
  return (
    <tr>
      <th scope="row">{label}</th>
      <td className="serving-which">
        <span className={`badge tone-${state}`}>
          <StateMark state={state} />r{revision}
        </span>
      </td>
      {hasCommits && (
        <td className="serving-commit mono soft">{about !== undefined && <Commit of={about} />}</td>
      )}
      <td className="cut serving-what">{whatOf(about)}</td>
      <td className="serving-who soft">
        {about !== undefined && (
          <>
            <Author of={about} />,{' '}
            <Moment at={about.createdAt}>
              {dayBefore(about.createdAt, serverNow)}
              {clockTime(about.createdAt).slice(0, 5)}
            </Moment>
          </>
        )}
      </td>
      <td className="serving-count">
        {copies !== null && <span className={isCountOld ? 'last-known' : ''}>{copies}</span>}
      </td>
      <td className={`age ${isLast ? 'tone-unknown' : 'soft'}`}>
        {agoMs === null ? '' : (isPast ? before : ago)(agoMs)}
      </td>
    </tr>
  );
}

/** Who wrote the commit of a revision, and who deployed it where that is somebody else. */
export function Author({ of }: { readonly of: RevisionView }) {
  const made = { ...of, managedBy: of.provenance?.managedBy ?? null };
  return <span title={authorAndActor(made)}>{authorByActor(made)}</span>;
}

const hasCommit = (about: RevisionView | undefined): boolean =>
  about?.git != null || about?.provenance?.commit != null;

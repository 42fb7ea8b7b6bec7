import '../../styles/service.css';
import { type ReactNode, useRef } from 'react';
import type { InstanceView, RevisionView, ServiceView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { processesBesideSpec } from '../../../../src/contract/presentation/declared-processes.ts';
import { keptRevisions } from '../../../../src/contract/presentation/kept-copies.ts';
import { isSilentFor, serverNowOf } from '../../../../src/contract/presentation/server-contact.ts';
import { witness } from '../../../../src/contract/presentation/workload.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { heldState } from '../../parts/ribbon/holding.ts';
import { hasRoleAtLeast, type Session } from '../../session.ts';
import { CaseFile } from './case-file.tsx';
import { Cause } from './cause.tsx';
import type { DatedClaim } from './dated-claim.ts';
import { DeclaredTable } from './declared-table.tsx';
import { type ShownFailure, useFailure } from './failure.ts';
import { Instances } from './instances.tsx';
import { useLines } from './log-reading.ts';
import { LogTail, TAIL_LINES } from './log-tail.tsx';
import { OperatorDetails } from './operator-details.tsx';
import { ProofLine } from './proof-line.tsx';
import { RevisionTable } from './revisions/revision-table.tsx';
import { useServiceRibbon } from './ribbon-reading.ts';
import { readyCopiesOf, ServingAndWanted } from './serving-wanted.tsx';
import { StateOverTime } from './state-over-time.tsx';
import { tabAddress } from './tabs.ts';
import { provenServing, Verdict } from './verdict.tsx';
import { DAY_MS } from './windows.ts';
import { Workload } from './workload.tsx';

interface Props {
  readonly service: string;
  readonly session: Session;
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  readonly about: ServiceView | null;
  /** Null: they are not read yet. */
  readonly revisions: readonly RevisionView[] | null;
  readonly instances: readonly InstanceView[] | null;
  /** When the instances were read, and how long ago the revisions were. */
  readonly readAt: number;
  readonly sinceRead: number;
  readonly isReading: boolean;
  /** Grows with each change of the claim. */
  readonly news: number;
  /** Takes the place of what is safe next in the past. */
  readonly cameNext: ReactNode;
}

/** States in which nothing is wrong or under way: the page then shows time in place of causes. */
const CALM: ReadonlySet<string> = new Set(['running', 'stopped', 'unknown', 'cancelled']);
/** States in which something is written that says how it goes. */
const UNDER_WAY: ReadonlySet<string> = new Set(['building', 'starting']);
const REVISIONS = 5;

/** The first screen of a service: what is so, why, what still serves, what to press. */
export function Overview(props: Props) {
  const { service, session, dated, claimView, about, instances } = props;
  const revisions = props.revisions ?? NONE;
  const { claim, at } = dated;
  const serverNow = serverNowOf(dated.contact, dated.now);
  const { exits = 0, lastExit = '' } = claim.cause?.params ?? {};
  const news = `${props.news} ${exits} ${lastExit}`;
  const isOperator = hasRoleAtLeast(session, 'operator');
  const revision = revisions.find((one) => one.revision === claim.desired.revision) ?? null;
  // The declared side and the ribbons are read for now only, never for the past.
  const workload = at === null ? (about?.workload ?? null) : null;
  const { ribbon, isAwaited: isRibbonAwaited } = useServiceRibbon(service, DAY_MS, serverNow, news);
  const { failure, isAwaited } = useFailure(service, claim, at, ribbon?.ticks ?? NONE);
  const kept = keptRevisions(revisions, claim.desired.revision);
  const isCalm = CALM.has(claimView.state);
  const isSilent = at === null && isSilentFor(dated.contact, claim, dated.now);
  const isKnown = claimView.isLive && claimView.state !== 'unknown' && !isSilent;
  const isUnderWay =
    at === null && claimView.isLive && UNDER_WAY.has(claimView.state) && about?.workload == null;
  const stream = claimView.state === 'building' ? 'build' : 'run';
  const { revision: wanted, attempt } = claim.desired;
  const tail = useLines(
    `/v1/services/${service}/logs?stream=${stream}&revision=${wanted}&attempt=${attempt}`,
    !isUnderWay,
    TAIL_LINES,
  );
  const overTime = at === null && (
    <StateOverTime dated={dated} claimView={claimView} createdAt={about?.createdAt ?? null} news={news} />
  );
  // The first view waits for the lines that say why: what is drawn before them would be pushed down. A page that is not
  // live waits for nothing.
  const wasShown = useRef(false);
  wasShown.current ||= !(isAwaited || (isRibbonAwaited && !isCalm)) || !claimView.isLive;
  if (!wasShown.current)
    return (
      <div className="columns">
        <div className="main-column">
          <Verdict dated={dated} claimView={claimView} exactly={null} held={null} exits={0}>
            {null}
          </Verdict>
        </div>
      </div>
    );
  return (
    <div className="columns">
      <div className="main-column">
        <Verdict
          dated={dated}
          claimView={claimView}
          exactly={failure?.ending ?? null}
          held={at === null ? heldState(ribbon, claim) : null}
          exits={props.isReading ? 0 : exitsSeen(instances ?? NONE, claim.desired.revision)}
        >
          <ServingAndWanted
            dated={dated}
            claimView={claimView}
            revisions={revisions}
            instances={instances ?? NONE}
            wanted={at === null ? (about?.wanted ?? null) : null}
          />
          {failure !== null && isTelling(claim, failure) && <Cause claim={claim} failure={failure} at={at} />}
          {isCalm && overTime}
        </Verdict>
        {(!isCalm || at !== null) && (
          <ProofLine dated={dated} claimView={claimView} revision={revision} spec={about?.spec ?? null} />
        )}
        {isUnderWay && (
          <LogTail revision={wanted} stream={stream} lines={tail} whole={tabAddress(service, 'logs')} />
        )}
        <Instances
          readAt={props.readAt}
          claimView={claimView}
          instances={instances}
          isReading={props.isReading}
          dated={dated}
          isOperator={isOperator}
          kept={kept}
          isAsked={about?.spec.port != null}
          template={workload?.declared.template ?? null}
        />
        <RevisionTable
          revisions={props.revisions}
          claim={claim}
          isLive={claimView.isLive}
          isPast={at !== null}
          now={serverNow}
          sinceRead={props.sinceRead}
          most={REVISIONS}
          named={failure?.named ?? NOTHING}
        />
      </div>
      <aside className="rail" aria-label="Case file">
        <CaseFile
          dated={dated}
          claimView={claimView}
          revisions={revisions}
          session={session}
          servingCopies={readyCopiesOf(instances ?? NONE, provenServing(dated, claimView), revisions)}
          failure={failure}
          witnesses={witnessesOf(instances ?? NONE)}
          cameNext={props.cameNext}
        />
        {workload !== null && (
          <Workload workload={workload} desired={claim.desired.revision} isKnown={isKnown} now={serverNow} />
        )}
        {workload === null &&
          at === null &&
          about?.spec.port !== undefined &&
          instances !== null &&
          instances.length > 0 && (
            <section className="card" aria-label="Declared and observed">
              <h2>Declared and observed</h2>
              <DeclaredTable
                rows={processesBesideSpec(claim, instances, about.spec, kept)}
                isKnown={isKnown}
              />
            </section>
          )}
        {!isCalm && overTime && <div className="card">{overTime}</div>}
        {claim.operator !== undefined && (
          <OperatorDetails
            operator={claim.operator}
            judged={at !== null ? 'Judged then' : claimView.isLive ? 'Judged' : 'Last judged'}
          />
        )}
      </aside>
    </div>
  );
}

const NONE: never[] = [];
const NOTHING: ReadonlySet<string> = new Set();

/** The end of the output of what goes on running says nothing of its trouble; that of what ended may. */
const isTelling = ({ state }: Claim, { output, changes }: ShownFailure) =>
  state !== 'degraded' || output.headline !== null || changes.length > 0;

/** Exits of the instances of a revision that its list counts. */
const exitsSeen = (instances: readonly InstanceView[], wanted: number): number =>
  instances.reduce((sum, { revision, exits }) => sum + (revision === wanted ? (exits?.count ?? 0) : 0), 0);

/** On whose word the ready ones are called so, each once. */
function witnessesOf(instances: readonly InstanceView[]): string | null {
  const words = new Set(
    instances.flatMap((one) => (one.ready ? (witness({ ...one, node: undefined }) ?? []) : [])),
  );
  return words.size === 0 ? null : [...words].join(', ');
}

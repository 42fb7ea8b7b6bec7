import { isUpForNow } from '../../../../../src/contract/presentation/up-for-now.ts';
import '../../../styles/revisions.css';
import { Link } from 'wouter';
import type { AttemptView, RevisionView } from '../../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { gapSentence } from '../../../../../src/contract/presentation/gap.ts';
import { listedChanges } from '../../../../../src/contract/presentation/revision-changes.ts';
import { clockTime, dayBefore, span } from '../../../../../src/contract/presentation/times.ts';
import { imagesOf, leftBy } from '../../../../../src/contract/presentation/workload.ts';
import type { Outcome, State } from '../../../../../src/contract/vocabulary.ts';
import { Moment } from '../../../parts/moment.tsx';
import { StateMark } from '../../../parts/state-mark.tsx';
import { Commit } from '../commit.tsx';
import { useQueryParameter } from '../query-parameter.ts';
import { whatOf } from '../revision-name.ts';
import { Author } from '../serving-wanted.tsx';
import { tabAddress } from '../tabs.ts';
import { ChangeChips } from './change-chips.tsx';
import { StageBar, StageLegend, totalOf } from './stage-bar.tsx';

/** The mark of an outcome: that of the state in which such an attempt ends. */
export const MARKS: Readonly<Record<Outcome, State>> = {
  in_progress: 'starting',
  succeeded: 'running',
  failed: 'failed',
  cancelled: 'cancelled',
  superseded: 'stopped',
  abandoned: 'unknown',
};

interface Props {
  /** Null: they are not read yet. */
  readonly revisions: readonly RevisionView[] | null;
  readonly claim: Claim;
  readonly isLive: boolean;
  readonly isPast: boolean;
  /** The server's time. */
  readonly now: number;
  /** Age of this answer: durations in progress have grown by it while the page is live. */
  readonly sinceRead: number;
  /** Only the newest of them; null: all that were read. */
  readonly most: number | null;
  /** Changed names that the end of the log of the wanted revision names too. */
  readonly named: ReadonlySet<string>;
  /** The address at which a rollback to a revision is asked for; null: it cannot be one, or not now. */
  readonly backTo?: ((revision: number) => string | null) | undefined;
}

/** The revisions, newest first: how each ended, what it was made of, who asked for it, how long it took. */
export function RevisionTable(props: Props) {
  const { revisions: read, claim, isLive, isPast, now, sinceRead, most, named, backTo } = props;
  const [at] = useQueryParameter('at');
  if (read === null) return <NotRead claim={claim} isLive={isLive} />;
  const shown = most === null ? read : read.slice(0, most);
  const revisions = isLive ? shown.map((one) => goneOn(one, sinceRead)) : shown;
  const longest = Math.max(1, ...revisions.flatMap(({ attempts }) => attempts.map(totalOf)));
  const newest = read[0]?.revision ?? 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section className="card scroll" aria-label="Revisions" tabIndex={0}>
      <h2>
        Revisions <span className="soft">newest first</span>
        {most !== null && read.length > most && (
          <Link className="all" href={tabAddress(claim.service, 'revisions', at)}>
            All {newest}
          </Link>
        )}
      </h2>
      <table className="revision-table">
        <tbody>
          {revisions.flatMap((one) => [
            ...one.recoveries.toReversed().map((gap) => (
              <tr key={gap.evidence}>
                <td colSpan={backTo === undefined ? COLUMNS : COLUMNS + 1} className="soft">
                  {gapSentence(gap)}
                </td>
              </tr>
            )),
            <Row
              key={one.revision}
              revision={one}
              claim={claim}
              isLive={isLive}
              isPast={isPast}
              longest={longest}
              now={now}
              at={at}
              all={read}
              named={one.revision === claim.desired.revision ? named : NOTHING}
              isShort={most !== null}
              backTo={backTo}
            />,
          ])}
        </tbody>
      </table>
      <StageLegend />
    </section>
  );
}

/** Without the list: the claim names the wanted revision and the one that serves. */
function NotRead({ claim: { desired, serving }, isLive }: Pick<Props, 'claim' | 'isLive'>) {
  const served = serving === null ? '' : `, and r${serving.revision} served`;
  return (
    <section className="card" aria-label="Revisions">
      <h2>Revisions</h2>
      <p className="soft">
        {isLive
          ? 'Reading …'
          : `This page lost its server before it read them. When last heard, r${desired.revision} was wanted${served}.`}
      </p>
    </section>
  );
}

/** A restored store's gap stands across all of them. */
const COLUMNS = 6;
const NOTHING: ReadonlySet<string> = new Set();

interface RevisionRowProps extends Pick<Props, 'claim' | 'isLive' | 'isPast' | 'now' | 'named' | 'backTo'> {
  readonly revision: RevisionView;
  /** Beside other parts of a page, one of which says what its log names. */
  readonly isShort: boolean;
  /** All that were read, among them the one that it is compared with. */
  readonly all: readonly RevisionView[];
  readonly longest: number;
  /** The instant in the address, which a link to a revision keeps. */
  readonly at: string | null;
}

function Row(props: RevisionRowProps) {
  const { revision: one, all, claim, isLive, isPast, longest, now, at, named, isShort, backTo } = props;
  const { revision, git, provenance, createdAt, attempts } = one;
  const changes = listedChanges(one, all, named);
  const back = backTo?.(revision) ?? null;
  const last = attempts.at(-1);
  const outcome = last?.outcome ?? 'in_progress';
  // What answers between two exits is shown with its outcome alone.
  const isServing = isLive && claim.serving?.revision === revision && !isUpForNow(claim);
  const mark = isServing ? 'running' : MARKS[outcome];
  return (
    <tr>
      <th scope="row" className="mono">
        <Link href={`${tabAddress(claim.service, 'revisions', at)}${at === null ? '?' : '&'}to=${revision}`}>
          r{revision}
        </Link>
      </th>
      <td className="revision-result">
        <span className={`badge ${isServing || outcome !== 'succeeded' ? `tone-${mark}` : 'mid'}`}>
          <StateMark state={mark} />
          {isServing ? (isPast ? 'Was serving' : 'Serving') : outcomeThen(outcome, isPast)}
        </span>
        {attempts.length > 1 && <span className="soft"> {attempts.length} attempts</span>}
      </td>
      <td className="cut revision-what">
        {git !== null && (
          <span className="mono soft">
            <Commit of={one} />
          </span>
        )}{' '}
        {whatOf(one)}
        {git?.dirty && <span className="soft"> with changes</span>}
        {provenance !== null && (
          <span className="soft provenance">
            {[imagesOf(provenance.images), ...leftBy(provenance)].join(' · ')}
          </span>
        )}
      </td>
      <td className="revision-changed">
        {changes !== null && <ChangeChips {...changes} {...(isShort ? { most: 1 } : { most: 2, named })} />}
      </td>
      <td className="revision-who soft">
        <Author of={one} />,{' '}
        <Moment at={createdAt}>
          {dayBefore(createdAt, now)}
          {clockTime(createdAt)}
        </Moment>
      </td>
      <td className="revision-took">
        {last !== undefined && (
          <div className="bars">
            <span className="mid">{span(totalOf(last))}</span>
            <StageBar attempt={last} longest={longest} />
          </div>
        )}
      </td>
      {backTo !== undefined && (
        <td className="revision-back">
          {back !== null && (
            <Link href={back} aria-label={`Roll back to r${revision}`}>
              Roll back
            </Link>
          )}
        </td>
      )}
    </tr>
  );
}

export const outcomeWord = (outcome: Outcome) =>
  `${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}`.replaceAll('_', ' ');

/** The others never change again (S11): that they were so is still so. */
const outcomeThen = (outcome: Outcome, isPast: boolean) =>
  isPast && outcome === 'in_progress' ? 'Was in progress' : outcomeWord(outcome);

/** Extends the duration of the current stage by the time since it was read. */
function goneOn(revision: RevisionView, ms: number): RevisionView {
  const attempts = revision.attempts.map((attempt): AttemptView => {
    const last = attempt.stages.at(-1);
    if (attempt.outcome !== 'in_progress' || last === undefined) return attempt;
    return { ...attempt, stages: [...attempt.stages.slice(0, -1), { ...last, ms: last.ms + ms }] };
  });
  return { ...revision, attempts };
}

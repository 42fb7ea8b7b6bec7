import type { AttemptView, RevisionView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { commit } from '../../../../src/contract/presentation/about.ts';
import { gapSentence } from '../../../../src/contract/presentation/gap.ts';
import { clockTime, dayBefore, span } from '../../../../src/contract/presentation/times.ts';
import { imagesOf, leftBy } from '../../../../src/contract/presentation/workload.ts';
import type { Outcome, Stage, State } from '../../../../src/contract/vocabulary.ts';
import { StateMark } from '../../parts/state-mark.tsx';

/** The glyph of an outcome: that of the state in which such an attempt ends. */
const SHAPES: Readonly<Record<Outcome, State>> = {
  in_progress: 'starting',
  succeeded: 'running',
  failed: 'failed',
  cancelled: 'cancelled',
  superseded: 'stopped',
  abandoned: 'unknown',
};

interface Props {
  readonly revisions: readonly RevisionView[];
  readonly claim: Claim;
  readonly isLive: boolean;
  /** The server's time. */
  readonly now: number;
  /** Age of this answer: durations in progress have grown by it while the page is live. */
  readonly sinceRead: number;
}

export function History({ revisions: read, claim, isLive, now, sinceRead }: Props) {
  const revisions = isLive ? read.map((one) => goneOn(one, sinceRead)) : read;
  const longest = Math.max(1, ...revisions.flatMap(({ attempts }) => attempts.map(totalOf)));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section className="card scroll" aria-label="History" tabIndex={0}>
      <h2>History</h2>
      <table className="history">
        <tbody>
          {revisions.flatMap(
            ({ revision, kind, actor, git, provenance, createdAt, attempts, recoveries }) => {
              const last = attempts.at(-1);
              const outcome = last?.outcome ?? 'in_progress';
              return [
                ...recoveries.toReversed().map((gap) => (
                  <tr key={gap.evidence}>
                    <td colSpan={5} className="soft">
                      {gapSentence(gap)}
                    </td>
                  </tr>
                )),
                <tr key={revision}>
                  <th scope="row" className="mono">
                    r{revision}
                  </th>
                  <td>
                    <span className={`badge tone-${SHAPES[outcome]}`}>
                      <StateMark state={SHAPES[outcome]} />
                      {isLive && claim.serving?.revision === revision
                        ? 'serving'
                        : outcome.replaceAll('_', ' ')}
                    </span>
                  </td>
                  <td>
                    {kind}
                    <span className="soft">
                      {' '}
                      · {provenance?.managedBy ?? actor}
                      {git !== null && ` · ${commit(git)}`}
                    </span>
                    {provenance !== null && (
                      <span className="soft provenance">
                        {[imagesOf(provenance.images), ...leftBy(provenance)].join(' · ')}
                      </span>
                    )}
                    {git?.message && <span className="soft clip">{git.message.split('\n')[0]}</span>}
                  </td>
                  <td className="bars">
                    {last !== undefined && <Bar attempt={last} longest={longest} />}
                    {attempts.length > 1 && <span className="soft">{attempts.length} attempts</span>}
                  </td>
                  <td className="age mono">
                    <time dateTime={createdAt} title={createdAt}>
                      {dayBefore(createdAt, now)}
                      {clockTime(createdAt)}
                    </time>
                  </td>
                </tr>,
              ];
            },
          )}
        </tbody>
      </table>
      <ul className="legend" aria-label="Colours of the bars">
        {LEGEND.map((name, i) => (
          <li key={name}>
            <svg className="key" viewBox="0 0 10 6" aria-hidden="true">
              <rect className={`stage-${i}`} width="10" height="6" />
            </svg>{' '}
            {name}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Extends the duration of the current stage by the time since it was read. */
function goneOn(revision: RevisionView, ms: number): RevisionView {
  const attempts = revision.attempts.map((attempt): AttemptView => {
    const last = attempt.stages.at(-1);
    if (attempt.outcome !== 'in_progress' || last === undefined) return attempt;
    return { ...attempt, stages: [...attempt.stages.slice(0, -1), { ...last, ms: last.ms + ms }] };
  });
  return { ...revision, attempts };
}

/** One colour for each group of stages, the same in every row: waiting, building, applying, starting. */
const COLOURS: Readonly<Record<Stage, number>> = {
  publish: 0,
  queue: 0,
  build: 1,
  apply_queue: 0,
  apply: 2,
  scheduling: 3,
  image: 3,
  start: 3,
  readiness: 3,
  route: 3,
  runtime: 3,
  stop: 2,
};
const LEGEND = ['waiting', 'building', 'putting in place', 'starting'] as const;

const totalOf = ({ stages }: AttemptView) => stages.reduce((sum, { ms }) => sum + ms, 0);

/** The duration of each stage as a share of the whole. */
function Bar({ attempt, longest }: { readonly attempt: AttemptView; readonly longest: number }) {
  const total = totalOf(attempt);
  const text = attempt.stages.map(({ stage, ms }) => `${stage.replace('_', ' ')} ${span(ms)}`).join(', ');
  return (
    <>
      <svg
        className="bar"
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        role="img"
        aria-label={text || 'no time yet'}
      >
        {attempt.stages.map(({ stage, ms }, i) => {
          const before = attempt.stages.slice(0, i).reduce((sum, s) => sum + s.ms, 0);
          return (
            <rect
              key={stage}
              className={`stage stage-${COLOURS[stage]}`}
              x={(before / longest) * 100}
              width={Math.max(0.6, (ms / longest) * 100)}
              height="6"
            >
              <title>{`${stage.replace('_', ' ')} ${span(ms)}`}</title>
            </rect>
          );
        })}
      </svg>
      <span className="soft mono">{span(total)}</span>
    </>
  );
}

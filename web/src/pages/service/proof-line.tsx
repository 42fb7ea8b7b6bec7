import '../../styles/proof.css';
import type { CSSProperties } from 'react';
import type { RevisionView, ServiceView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { aboutOf, type BuildSummary, timeSpent } from '../../../../src/contract/presentation/about.ts';
import { failedPart, failedStep } from '../../../../src/contract/presentation/failed-step.ts';
import { stageEnd } from '../../../../src/contract/presentation/limit-words.ts';
import { serverNowOf } from '../../../../src/contract/presentation/server-contact.ts';
import { shortArtifact } from '../../../../src/contract/presentation/summary.ts';
import { bytes, clockTime, dayBefore, longSpan, span } from '../../../../src/contract/presentation/times.ts';
import { labelOf } from '../../../../src/contract/presentation/words.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { Moment } from '../../parts/moment.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import type { DatedClaim } from './dated-claim.ts';

interface Props {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  readonly revision: RevisionView | null;
  readonly spec: ServiceView['spec'] | null;
}

/** The path of a revision: the states proven with their durations, the current one with its deadline, what is needed. */
export function ProofLine({ dated, claimView, revision, spec }: Props) {
  if (revision === null || spec === null) return null;
  const { claim, contact, now } = dated;
  const { path, desired } = claim;
  const { needs, build } = aboutOf(revision, desired, spec);
  const attempt = revision.attempts.find((a) => a.attempt === desired.attempt);
  const spent = timeSpent(attempt?.stages ?? []);
  const serverNow = serverNowOf(contact, now);
  const isReached = claim.state === 'running' || claim.state === 'stopped';
  const by = stageEnd(claim.expecting);
  const broken = failedStep(claim);
  const part = failedPart(claim);
  const waited = path.find(({ current }) => current)?.state ?? null;
  return (
    <section className="card" aria-label="How far it got">
      <h2>
        How far r{desired.revision} {dated.at === null ? 'got' : 'had got'}{' '}
        <span className="soft">
          attempt {desired.attempt}
          {attempt !== undefined && (
            <>
              , begun{' '}
              <Moment at={attempt.startedAt}>
                {dayBefore(attempt.startedAt, serverNow)}
                {clockTime(attempt.startedAt)}
              </Moment>
            </>
          )}
        </span>
      </h2>
      <ol className="proof">
        {path.map(({ state, reached, current }, i) => {
          const isHere = broken === null ? current : state === broken;
          const isDone = reached && (!isHere || (isReached && claimView.isLive));
          // A finished state shows its recorded duration, the current one its running duration.
          const goesOn = isHere && !isReached && claim.outcome === 'in_progress' && claimView.isLive;
          // The wait in vain is the time of the step that nobody took.
          const timed = broken === waited ? state : isHere ? waited : state === waited ? null : state;
          const ms = goesOn
            ? serverNow - Date.parse(claim.since)
            : ((timed === null ? undefined : spent[timed]) ?? null);
          const allowed = goesOn && by !== null ? Date.parse(by) - Date.parse(claim.since) : null;
          const note =
            i === path.length - 1 && !isDone
              ? needs
              : state === broken && part !== null
                ? part.note
                : reached
                  ? noteOf(state, claim, build)
                  : isHere && broken !== waited
                    ? 'nobody took it'
                    : null;
          const shown = isHere && !isDone ? claimView.state : state;
          return (
            <li
              key={state}
              className={isDone ? 'done' : isHere ? `now now-${claimView.state}` : 'open'}
              aria-current={isHere ? 'step' : undefined}
            >
              <i aria-hidden="true" style={spentOf(ms, allowed)} />
              <span className={`step ${isHere && !isDone ? `tone-${shown}` : ''}`}>
                {isHere && !isDone && <StateMark state={shown} />}
                <b>{state === broken && part !== null ? part.label : labelOf(state)}</b>
              </span>
              {ms !== null && !(isHere && isReached) && (
                <span className="took">
                  {allowed === null
                    ? span(ms)
                    : `${span(ms)} of ${allowed < 60_000 ? span(allowed).replace(/\.0 s$/, ' s') : longSpan(allowed)}`}
                </span>
              )}
              {note !== null && <small className={state === 'artifact_ready' ? 'digest' : ''}>{note}</small>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** The note of a state: build steps, or the artifact. */
function noteOf(state: State, { desired }: Claim, { steps, size }: BuildSummary): string | null {
  if (state === 'building') return steps.length === 0 ? null : steps.join(', ');
  if (state !== 'artifact_ready' || desired.artifact === null) return null;
  if (size !== null) return bytes(size);
  return shortArtifact(desired.artifact).replace('sha256:', '');
}

/** The part of its time that a stage has used: its bar fills until the deadline. */
const spentOf = (ms: number | null, allowed: number | null): CSSProperties | undefined =>
  ms === null || allowed === null
    ? undefined
    : ({ '--spent': `${Math.min(100, (ms / allowed) * 100).toFixed(1)}%` } as CSSProperties);

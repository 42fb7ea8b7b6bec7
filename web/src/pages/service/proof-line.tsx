import type { RevisionView, ServiceView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { aboutOf, type BuildSummary, timeSpent } from '../../../../src/contract/presentation/about.ts';
import { serverNowOf } from '../../../../src/contract/presentation/server-contact.ts';
import { shortArtifact } from '../../../../src/contract/presentation/summary.ts';
import { bytes, span } from '../../../../src/contract/presentation/times.ts';
import { wordOf } from '../../../../src/contract/presentation/words.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { StateBadge } from '../../parts/badge.tsx';
import type { DatedClaim } from './dated-claim.ts';

interface Props {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  readonly revision: RevisionView | null;
  readonly spec: ServiceView['spec'] | null;
}

/** The states of the path: those proven, the current one, and what the last one still needs. */
export function ProofLine({ dated, claimView, revision, spec }: Props) {
  if (revision === null || spec === null) return null;
  const { claim, contact, now } = dated;
  const { path } = claim;
  const { needs, build } = aboutOf(revision, claim.desired, spec);
  const attempt = revision.attempts.find((a) => a.attempt === claim.desired.attempt);
  const spent = timeSpent(attempt?.stages ?? []);
  const isReached = claim.state === 'running' || claim.state === 'stopped';
  return (
    <section className="card" aria-label="Proof">
      <h2>Proof</h2>
      <ol className="proof">
        {path.map(({ state, reached, current: isHere }, i) => {
          const isDone = reached && (!isHere || (isReached && claimView.isLive));
          // A finished state shows its recorded duration, the current one its running duration.
          const goesOn = isHere && !isReached && claim.outcome === 'in_progress' && claimView.isLive;
          const ms = goesOn ? serverNowOf(contact, now) - Date.parse(claim.since) : (spent[state] ?? null);
          const note =
            i === path.length - 1 && !isDone ? needs : reached ? noteOf(state, claim, build) : null;
          return (
            <li
              key={state}
              className={isDone ? 'done' : isHere ? `now tone-${claimView.state}` : 'open'}
              aria-current={isHere ? 'step' : undefined}
            >
              <span className="step">{wordOf(state)}</span>
              {ms !== null && !(isHere && isReached) && <span className="took">{span(ms)}</span>}
              {note !== null && <span className="took">{note}</span>}
              {isHere && claimView.state !== state && <StateBadge state={claimView.state} />}
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
  return `${shortArtifact(desired.artifact)}${size === null ? '' : ` ${bytes(size)}`}`;
}

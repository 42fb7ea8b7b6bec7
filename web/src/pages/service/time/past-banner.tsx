import type { Stop } from '../../../../../src/contract/presentation/life.ts';
import { pastSentence, whyNoPast } from '../../../../../src/contract/presentation/past.ts';
import { ago } from '../../../../../src/contract/presentation/times.ts';
import { ApiProblem } from '../../../api.ts';

interface Props {
  readonly at: string;
  /** The server's time. */
  readonly now: number;
  readonly go: (at: string | null) => void;
}

/** The banner above the page that it shows the past. */
export function PastBanner({ at, now, go }: Props) {
  const ms = Date.parse(at);
  return (
    <p className="banner past-banner">
      <b>{pastSentence(ms, now)}</b>
      <span className="soft">{ago(now - ms)}</span>
      <button type="button" onClick={() => go(null)}>
        Back to now
      </button>
    </p>
  );
}

/** The reason why nothing is shown for this instant, and a way to one that has a claim. */
export function NoPast({
  refused,
  at,
  first,
  now,
  go,
}: Props & { readonly refused: Error; readonly first: Stop | null }) {
  const problem = refused instanceof ApiProblem ? refused.problem : null;
  const earliest = problem?.earliest ?? first?.at ?? null;
  return (
    <>
      <p className="sentence" role="status">
        {problem === null ? refused.message : whyNoPast(problem, at, first, now)}
      </p>
      <p className="actions">
        {earliest !== null && (
          <button type="button" onClick={() => go(earliest)}>
            Go to the earliest
          </button>
        )}
        <button type="button" className="primary" onClick={() => go(null)}>
          Back to now
        </button>
      </p>
    </>
  );
}

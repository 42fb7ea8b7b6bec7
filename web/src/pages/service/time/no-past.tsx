import type { Stop } from '../../../../../src/contract/presentation/life.ts';
import { whyNoPast } from '../../../../../src/contract/presentation/past.ts';
import { ApiProblem } from '../../../api.ts';

interface Props {
  readonly at: string;
  /** The server's time. */
  readonly now: number;
  readonly go: (at: string | null) => void;
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

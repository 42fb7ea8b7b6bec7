import type { TransitionView } from '../../../../../src/contract/answers/views.ts';
import { labelOf } from '../../../../../src/contract/presentation/words.ts';
import { StateMark } from '../../../parts/state-mark.tsx';

interface Props {
  readonly changes: readonly TransitionView[];
  readonly go: (at: string) => void;
}

/** Changes of the claim; each links to its instant. */
export function Changes({ changes, go }: Props) {
  return changes.map(({ position, at, from, to, revision }) => (
    <button key={position} type="button" className="proved" onClick={() => go(at)}>
      {from !== null && `${labelOf(from)} → `}
      <span className={`badge tone-${to}`}>
        <StateMark state={to} />
        {labelOf(to)}
      </span>
      <span className="soft">r{revision}</span>
    </button>
  ));
}

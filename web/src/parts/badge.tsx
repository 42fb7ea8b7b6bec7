import { ago, before } from '../../../src/contract/presentation/times.ts';
import { labelOf, pastLabel, wordOf } from '../../../src/contract/presentation/words.ts';
import type { State } from '../../../src/contract/vocabulary.ts';
import type { ClaimView } from '../live/claim-view.ts';
import { StateMark } from './state-mark.tsx';

/**
 * A state as shape, word and colour, in this order of weight. A state that is not proven now shows the last
 * known one.
 */
export function Badge({
  claimView,
  withAge = false,
  isPast = false,
  label = null,
}: {
  readonly claimView: ClaimView;
  readonly withAge?: boolean;
  /** The state is that of a past instant: it was so. */
  readonly isPast?: boolean;
  /** Says more than the word of the state, which it begins with. */
  readonly label?: string | null;
}) {
  const { state, was } = claimView;
  const word = label ?? labelOf(state);
  return (
    <span className={`badge tone-${state}`} data-state={state}>
      <StateMark state={state} />
      <span>{isPast ? pastLabel(word) : word}</span>
      {was !== null && (
        <span className="was">
          last known {wordOf(was.state)}
          {withAge && `, ${(isPast ? before : ago)(was.agoMs)}`}
        </span>
      )}
    </span>
  );
}

export const StateBadge = ({ state }: { readonly state: State }) => (
  <Badge claimView={{ state, was: null, isLive: true, ageMs: null }} />
);

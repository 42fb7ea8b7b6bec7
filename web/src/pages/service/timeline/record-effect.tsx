import { isExit } from '../../../../../src/contract/presentation/record-name.ts';
import { labelOf } from '../../../../../src/contract/presentation/words.ts';
import type { State } from '../../../../../src/contract/vocabulary.ts';
import { StateMark } from '../../../parts/state-mark.tsx';
import type { EvidencePiece } from './pieces.ts';

/** The effect of a record on the claim. */
export function RecordEffect({ piece: { evidence, proved, isRejected } }: { readonly piece: EvidencePiece }) {
  const last = proved.at(-1);
  if (last === undefined) {
    const none = isExit(evidence) ? 'counted as an exit' : 'none';
    return <span className="soft">{isRejected ? 'none, kept as history' : none}</span>;
  }
  const first = proved[0]?.from ?? null;
  return (
    <span className="record-effect">
      {first !== null && (
        <>
          <One state={first} /> →{' '}
        </>
      )}
      <One state={last.to} />
    </span>
  );
}

const One = ({ state }: { readonly state: State }) => (
  <span className={`badge tone-${state}`}>
    <StateMark state={state} />
    {labelOf(state)}
  </span>
);

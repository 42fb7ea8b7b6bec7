import type { TransitionView } from '../../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { clockTime, dayBefore } from '../../../../../src/contract/presentation/times.ts';
import { labelOf } from '../../../../../src/contract/presentation/words.ts';
import { Moment } from '../../../parts/moment.tsx';
import { StateMark } from '../../../parts/state-mark.tsx';
import type { EvidencePiece } from './pieces.ts';

/** A change of the claim after a record, and the claim from then on: undefined until it is read. */
interface LookedAt {
  readonly change: TransitionView;
  readonly until: string | null;
  readonly claim: Claim | undefined;
}

interface Props {
  readonly piece: EvidencePiece;
  /** The claim that was shown when the record was opened. */
  readonly claim: Claim;
  readonly looked: readonly LookedAt[];
  readonly isReading: boolean;
  /** More changes followed than were looked at. */
  readonly isCut: boolean;
  readonly now: number;
  readonly go: (at: string) => void;
}

/** The claims that cite a record, with the time for which each held: the shown one, and those after the next changes. */
export function CitingClaims({ piece, claim, looked, isReading, isCut, now, go }: Props) {
  const { id } = piece.evidence;
  const cites = (one: Claim | undefined) => one?.proof.evidence.includes(id) === true;
  const citing = looked.filter((one) => cites(one.claim));
  const time = (at: string) => (
    <Moment at={at}>
      {dayBefore(at, now)}
      {clockTime(at)}
    </Moment>
  );
  return (
    <>
      <h4>
        {piece.isRejected
          ? 'Cited by no claim'
          : `Cited by ${citing.length === 0 && isReading ? '…' : count(citing.length, cites(claim))}`}
      </h4>
      {piece.isRejected && <p className="soft">A refused record is never believed.</p>}
      {!piece.isRejected && (
        <>
          <ul className="citing">
            {citing.map(({ change, until }) => (
              <li key={change.position}>
                <button type="button" className={`badge tone-${change.to}`} onClick={() => go(change.at)}>
                  <StateMark state={change.to} />
                  {labelOf(change.to)}
                </button>
                <span className="soft">
                  {time(change.at)} {until === null ? 'until now' : <>to {time(until)}</>}
                </span>
              </li>
            ))}
          </ul>
          <p className="soft">
            {cites(claim)
              ? `At ${clockTime(claim.now)} the claim in sight cites it.`
              : `Not the claim in sight at ${clockTime(claim.now)}.`}
            {isReading
              ? ' Reading …'
              : isCut && ` The first ${looked.length} changes after it were looked at.`}
          </p>
        </>
      )}
    </>
  );
}

/** The claim in sight may rest on a record without a change that it made: its newest report. */
const count = (n: number, isCitedInSight: boolean) => {
  if (n === 0) return isCitedInSight ? 'the claim in sight' : 'no claim that was looked at';
  return n === 1 ? '1 claim' : `${n} claims`;
};

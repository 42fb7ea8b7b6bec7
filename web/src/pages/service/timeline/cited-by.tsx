import { useQueries } from '@tanstack/react-query';
import type { TransitionView } from '../../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { clockTime, dayBefore } from '../../../../../src/contract/presentation/times.ts';
import { labelOf } from '../../../../../src/contract/presentation/words.ts';
import { Moment } from '../../../parts/moment.tsx';
import { StateMark } from '../../../parts/state-mark.tsx';
import { pastClaim } from '../dated-claim.ts';
import type { EvidencePiece } from './pieces.ts';

interface Props {
  readonly service: string;
  readonly piece: EvidencePiece;
  /** The claim that was shown when the record was opened. */
  readonly claim: Claim;
  readonly transitions: readonly TransitionView[];
  readonly now: number;
  readonly go: (at: string) => void;
}

/** Number of past claims computed: each costs a request, and older ones seldom cite the record. */
const LOOKED_AT = 20;

/** The claims that cite a record, with the time for which each held: the shown one, and those after the next changes. */
export function CitedBy({ service, piece, claim, transitions, now, go }: Props) {
  const { id } = piece.evidence;
  const after = transitions
    .map((change, i) => ({ change, until: transitions[i + 1]?.at ?? null }))
    .filter(
      ({ change }) => Date.parse(change.at) >= piece.ms && Date.parse(change.at) <= Date.parse(claim.now),
    );
  const looked = piece.isRejected ? [] : after.slice(0, LOOKED_AT);
  const claims = useQueries({
    queries: looked.map(({ change }) => pastClaim(service, change.at)),
    combine: (results) => ({
      isReading: results.some(({ isPending }) => isPending),
      of: results.map(({ data }) => data),
    }),
  });
  const cites = (one: Claim | undefined) => one?.proof.evidence.includes(id) === true;
  const citing = looked.filter((_, i) => cites(claims.of[i]));
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
          : `Cited by ${citing.length === 0 && claims.isReading ? '…' : count(citing.length, cites(claim))}`}
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
            {claims.isReading
              ? ' Reading …'
              : after.length > LOOKED_AT && ` The first ${LOOKED_AT} changes after it were looked at.`}
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

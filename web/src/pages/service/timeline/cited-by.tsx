import { useQueries } from '@tanstack/react-query';
import type { TransitionView } from '../../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { pastClaim } from '../dated-claim.ts';
import { Changes } from './changes.tsx';
import type { EvidencePiece } from './pieces.ts';

interface Props {
  readonly service: string;
  readonly piece: EvidencePiece;
  /** The shown claim. */
  readonly claim: Claim;
  readonly transitions: readonly TransitionView[];
  readonly go: (at: string) => void;
}

/** Number of past claims computed: each costs a request, and older ones seldom cite the record. */
const LOOKED_AT = 20;

/** The claims that cite a record: the shown one, and those after the next transitions. */
export function CitedBy({ service, piece, claim, transitions, go }: Props) {
  const { id } = piece.evidence;
  const after = transitions.filter(({ at }) => Date.parse(at) >= piece.ms);
  const looked = piece.isRejected ? [] : after.slice(0, LOOKED_AT);
  const claims = useQueries({
    queries: looked.map(({ at }) => pastClaim(service, at)),
    combine: (results) => ({
      isReading: results.some(({ isPending }) => isPending),
      of: results.map(({ data }) => data),
    }),
  });
  if (piece.isRejected) return 'by no claim: it was rejected';
  const cites = (one: Claim | undefined) => one?.proof.evidence.includes(id) === true;
  const citing = looked.filter((_, i) => cites(claims.of[i]));
  const inSight = cites(claim) ? 'the claim in sight' : null;
  return (
    <>
      {inSight ??
        (citing.length === 0 && !claims.isReading
          ? 'by no claim that was looked at'
          : 'not the claim in sight')}
      <Changes changes={citing} go={go} />
      <span className="soft">
        {claims.isReading
          ? ' reading …'
          : after.length > LOOKED_AT && ` of the first ${LOOKED_AT} changes after it`}
      </span>
    </>
  );
}

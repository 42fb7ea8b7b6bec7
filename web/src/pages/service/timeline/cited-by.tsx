import { useQueries } from '@tanstack/react-query';
import type { TransitionView } from '../../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { pastClaim } from '../dated-claim.ts';
import { CitingClaims } from './citing-claims.tsx';
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

/** Reads the claims that followed a record, and shows which of them cite it. */
export function CitedBy({ service, piece, claim, transitions, now, go }: Props) {
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
  return (
    <CitingClaims
      {...{ piece, claim, now, go }}
      looked={looked.map((one, i) => ({ ...one, claim: claims.of[i] }))}
      isReading={claims.isReading}
      isCut={after.length > LOOKED_AT}
    />
  );
}

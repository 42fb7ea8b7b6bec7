import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { TransitionView } from '../../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { get } from '../../../api.ts';
import { CitedBy } from './cited-by.tsx';
import type { EvidencePiece } from './pieces.ts';
import { RecordDrawer } from './record-drawer.tsx';
import { renewedBy } from './renewed.ts';

interface Props {
  readonly service: string;
  readonly piece: EvidencePiece;
  readonly transitions: readonly TransitionView[];
  readonly count: string;
  readonly claim: Claim;
  /** The last report of its target that the claim counts. */
  readonly reportedAt: number;
  readonly now: number;
  readonly withFocus: boolean;
  /** The page was opened with the address of this record. */
  readonly isSent: boolean;
  readonly go: (at: string) => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onShowCited: () => void;
  readonly onClose: () => void;
}

/** The model's descriptions of kinds and reasons that are shown here. */
interface Meanings {
  readonly kinds: readonly { readonly kind: string; readonly proves: string }[];
  readonly reasons: readonly { readonly reason: string; readonly when: string; readonly advice: string }[];
}

/** Reads what the model and later claims say of one record, and shows it. */
export function Record({ service, transitions, claim, reportedAt, ...drawn }: Props) {
  const { piece, now, go } = drawn;
  const { id, kind, reason } = piece.evidence;
  const { claim: sight, reportedAt: heardAt } = useSightOf(id, claim, reportedAt);
  const meanings = useQuery({
    queryKey: ['model'],
    queryFn: ({ signal }) => get<Meanings>('/v1/model', signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <RecordDrawer
      {...drawn}
      claim={sight}
      proves={meanings.data?.kinds.find((one) => one.kind === kind)?.proves}
      why={meanings.data?.reasons.find((one) => one.reason === reason)}
      renewedAt={renewedBy(piece.evidence, sight.proof.evidence, heardAt)}
      citedBy={<CitedBy {...{ service, piece, transitions, now, go }} claim={sight} />}
    />
  );
}

/**
 * The claim when the record was opened. A claim that rests on reports cites another one with each of them: what is said of
 * the record would change while it is read.
 */
function useSightOf(id: string, claim: Claim, reportedAt: number) {
  const [sight, setSight] = useState({ id, claim, reportedAt });
  if (sight.id === id && sight.claim.service === claim.service) return sight;
  const next = { id, claim, reportedAt };
  setSight(next);
  return next;
}

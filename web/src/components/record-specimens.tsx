import '../styles/timeline.css';
import type { ReactNode } from 'react';
import { CitingClaims } from '../pages/service/timeline/citing-claims.tsx';
import type { EvidencePiece } from '../pages/service/timeline/pieces.ts';
import { RecordDrawer } from '../pages/service/timeline/record-drawer.tsx';
import { SAMPLE_CLAIMS } from './sample-claims.ts';
import { SAMPLE_PIECES, SAMPLE_REPORT } from './sample-pieces.ts';
import { SAMPLE_NOW } from './sample-rows.ts';
import type { Specimen } from './specimen.ts';

const IN_SIGHT = {
  ...SAMPLE_CLAIMS.failed.dated.claim,
  proof: { ...SAMPLE_CLAIMS.failed.dated.claim.proof, evidence: ['e48190', 'e48207', 'e48311'] },
};

interface Props {
  readonly piece: EvidencePiece | undefined;
  readonly proves?: string;
  readonly why?: { readonly when: string; readonly advice: string };
  readonly renewedAt?: number | null;
  readonly isReading?: boolean;
}

function Drawer({ piece, proves, why, renewedAt = null, isReading = false }: Props): ReactNode {
  if (piece === undefined) return null;
  const last = piece.proved.at(-1);
  const looked =
    last === undefined ? [] : [{ change: last, until: null, claim: isReading ? undefined : IN_SIGHT }];
  const shared = { piece, claim: IN_SIGHT, now: SAMPLE_NOW, go: () => {} };
  return (
    <div style={{ width: 420, marginBottom: 16 }}>
      <RecordDrawer
        {...{ ...shared, proves, why, renewedAt, count: '14 of 22', withFocus: false, isSent: false }}
        {...{ onStep: () => {}, onShowCited: () => {}, onClose: () => {} }}
        citedBy={<CitingClaims {...shared} looked={looked} isReading={isReading} isCut={false} />}
      />
    </div>
  );
}

const STALE_LEASE = {
  when: 'Sent under an older fence, or a lease that has ended by lapse, completion, release, cancel or revocation (S3).',
  advice: 'Stop: the lease is lost, and somebody else may hold the command.',
};
const STORED = 'Our store holds the bytes of the build, digest verified.';
const REPORTED = 'What runs, as one report showed it.';

/** One record of the evidence: believed, refused, about to be read, and renewed by a later report. */
export const RECORD_SPECIMENS: readonly Specimen[] = [
  { name: 'record-admitted', content: <Drawer piece={SAMPLE_PIECES[0]} proves={STORED} /> },
  {
    name: 'record-refused',
    content: <Drawer piece={SAMPLE_PIECES[1]} proves={STORED} why={STALE_LEASE} />,
  },
  {
    name: 'record-renewed',
    content: <Drawer piece={SAMPLE_REPORT} proves={REPORTED} renewedAt={SAMPLE_NOW - 4_000} />,
  },
  { name: 'record-being-read', content: <Drawer piece={SAMPLE_REPORT} isReading /> },
];

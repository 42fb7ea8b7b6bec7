import '../../../styles/record-rows.css';
import type { EvidencePiece } from './pieces.ts';
import { reasonWord } from './reason-word.ts';

/** Solid and admitted, or hollow and refused with its reason. */
export function RecordVerdict({ piece: { isRejected, evidence } }: { readonly piece: EvidencePiece }) {
  return isRejected ? (
    <span className="record-verdict rejected">
      <i className="sign hollow" />
      Refused: {reasonWord(evidence.reason)}
    </span>
  ) : (
    <span className="record-verdict">
      <i className="sign dot" />
      Admitted
    </span>
  );
}

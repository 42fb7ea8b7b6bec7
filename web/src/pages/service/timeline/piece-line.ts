import { recordName } from '../../../../../src/contract/presentation/record-name.ts';
import { preciseTime } from '../../../../../src/contract/presentation/times.ts';
import { wordOf } from '../../../../../src/contract/presentation/words.ts';
import type { EvidencePiece } from './pieces.ts';
import { reasonWord } from './reason-word.ts';

/** A piece in one line: time, source, kind, verdict. */
export function lineOf({ evidence, ms, proved }: EvidencePiece): string {
  const { source, fence, verdict, reason } = evidence;
  return [
    preciseTime(ms),
    source.name === source.role ? source.role : `${source.role} ${source.name}`,
    recordName(evidence),
    ...(fence === null ? [] : [`fence ${fence}`]),
    verdict === 'rejected' ? `refused: ${reasonWord(reason)}` : verdict,
    ...proved.map(({ to }) => `proved ${wordOf(to)}`),
  ].join(' · ');
}

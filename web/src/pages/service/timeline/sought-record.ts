import { observedOf } from '../../../../../src/contract/presentation/record-name.ts';
import type { EvidencePiece, Story } from './pieces.ts';

/** What an instant of the case file is of: a report, a change of the claim, or a request. */
type Sought = 'report' | 'change' | 'request';

const KINDS = { report: 'runtime.observed', request: 'intent.recorded' } as const;
const NAME = /^(report|change|request)@(.+)$/;

/** Stands in an address for the record whose age a page shows, which has only the instant: `report@2026-11-17T13:27:41Z`. */
export const soughtName = (of: Sought, at: number): string => `${of}@${new Date(at).toISOString()}`;

/**
 * The index of the record that an address names, by its position or as above. A report without news leaves no record: its
 * instant leads to the newest one at or before it, which it confirmed. Null: there is none. Pure.
 */
export function soughtIndex({ pieces, transitions }: Story, text: string): number | null {
  const [, of, at = ''] = NAME.exec(text) ?? [];
  const instant = Date.parse(at);
  const found =
    of === undefined
      ? // Records are addressed by position: an id may occur twice, rejected the second time.
        pieces.findIndex(({ evidence }) => evidence.position === text)
      : of === 'change'
        ? causeOf(pieces, transitions.findLast(({ ms }) => ms === instant)?.evidence)
        : pieces.findLastIndex(
            (piece) =>
              !piece.isRejected &&
              piece.evidence.kind === KINDS[of as keyof typeof KINDS] &&
              seenAt(piece) <= instant,
          );
  return found < 0 ? null : found;
}

const causeOf = (pieces: readonly EvidencePiece[], id: string | undefined): number =>
  pieces.findIndex(({ evidence, isRejected }) => !isRejected && evidence.id === id);

/** By the server's clock, as ages are; a report is seen a moment before it is received. */
function seenAt({ evidence, ms }: EvidencePiece): number {
  const { at } = observedOf({ ...evidence, observedAt: null });
  return at === null ? ms : Date.parse(at);
}

import { ago, clockTime } from '../../../src/contract/presentation/times.ts';

/** A part of a sentence: words, or the words for a moment. */
export interface DatedPiece {
  readonly text: string;
  readonly at: string | number | null;
  /** Its place in the sentence. */
  readonly from: number;
}

/**
 * Finds in a sentence the moments that it names: by their time of day, or by their age. The sentence is not read as a date:
 * only moments that are known as fields are found, so that no other number is taken for one. Pure.
 */
export function datedPieces(
  text: string,
  moments: readonly (string | number)[],
  serverNow: number | null,
): DatedPiece[] {
  const pieces: DatedPiece[] = [];
  let done = 0;
  const named = moments
    .flatMap((at) =>
      [clockTime(at), ...(serverNow === null ? [] : [ago(serverNow - new Date(at).getTime())])].map(
        (words) => ({ at, words, from: placeOf(text, words) }),
      ),
    )
    .filter(({ from }) => from !== -1)
    .sort((a, b) => a.from - b.from || b.words.length - a.words.length);
  for (const { at, words, from } of named) {
    if (from < done) continue;
    if (from > done) pieces.push({ text: text.slice(done, from), at: null, from: done });
    pieces.push({ text: words, at, from });
    done = from + words.length;
  }
  if (done < text.length) pieces.push({ text: text.slice(done), at: null, from: done });
  return pieces;
}

/** Finds the words only if they stand by themselves: "2 s ago" is no part of "12 s ago". */
function placeOf(text: string, words: string): number {
  for (let from = text.indexOf(words); from !== -1; from = text.indexOf(words, from + 1))
    if (!/\d/.test(text.charAt(from - 1))) return from;
  return -1;
}

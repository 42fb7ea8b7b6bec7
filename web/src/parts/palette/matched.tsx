import { Fragment } from 'react';

interface Props {
  readonly text: string;
  /** In small letters. */
  readonly words: readonly string[];
}

/** A text in which the letters that were typed are marked. */
export function Matched({ text, words }: Props) {
  const starts = words.flatMap((word) => {
    const at = text.toLowerCase().indexOf(word);
    return at === -1 ? [] : [{ at, end: at + word.length }];
  });
  const isMarked = (i: number) => starts.some(({ at, end }) => i >= at && i < end);
  const pieces: { readonly text: string; readonly isMarked: boolean }[] = [];
  for (const [i, letter] of [...text].entries()) {
    const last = pieces.at(-1);
    if (last?.isMarked === isMarked(i)) pieces[pieces.length - 1] = { ...last, text: last.text + letter };
    else pieces.push({ text: letter, isMarked: isMarked(i) });
  }
  return pieces.map((piece, i) => {
    const key = `${i} ${piece.text}`;
    return piece.isMarked ? <mark key={key}>{piece.text}</mark> : <Fragment key={key}>{piece.text}</Fragment>;
  });
}

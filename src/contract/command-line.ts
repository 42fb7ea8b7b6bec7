import { Refusal } from './refusal.ts';

/** A command line that cannot be split as a POSIX shell would. The message is a sentence for its author. */
export class BadCommandLine extends Refusal {
  override readonly name = 'BadCommandLine';
}

/** A piece of a word: literal text, or the value of a variable. */
type WordPiece = { readonly text: string } | { readonly variable: string };

const NAME = /^(?:\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\})/;

/**
 * Splits a command into POSIX words, with `$NAME` and `${NAME}` from `variable`. No shell is involved (F107):
 * a value with blanks stays one word, there are no patterns, and syntax that only a shell understands was
 * refused with the spec.
 */
export function commandWords(line: string, variable: (name: string) => string): string[] {
  return wordsOf(line).map((pieces) =>
    pieces.map((piece) => ('text' in piece ? piece.text : variable(piece.variable))).join(''),
  );
}

/** The variables that a command line names. */
export function variablesIn(line: string): readonly string[] {
  return wordsOf(line).flatMap((pieces) =>
    pieces.flatMap((piece) => ('variable' in piece ? piece.variable : [])),
  );
}

function wordsOf(line: string): WordPiece[][] {
  const words: WordPiece[][] = [];
  let word: WordPiece[] | null = null;
  let quote: '"' | "'" | null = null;
  const add = (piece: WordPiece) => {
    word ??= [];
    word.push(piece);
  };
  for (let at = 0; at < line.length; ) {
    const char = line[at] as string;
    if (quote === null && /\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
      at += 1;
    } else if (char === quote || (quote === null && (char === '"' || char === "'"))) {
      quote = quote === null ? char : null;
      add({ text: '' });
      at += 1;
    } else if (char === '\\' && quote !== "'") {
      const next = line[at + 1];
      if (next === undefined) throw new BadCommandLine('It ends with a backslash.');
      add({ text: quote === '"' && !'$`"\\'.includes(next) ? `\\${next}` : next });
      at += 2;
    } else {
      const named = char === '$' && quote !== "'" ? NAME.exec(line.slice(at)) : null;
      const variable = named?.[1] ?? named?.[2];
      add(variable === undefined ? { text: char } : { variable });
      at += named?.[0].length ?? 1;
    }
  }
  if (quote !== null) throw new BadCommandLine(`A quote (${quote}) is opened and not closed.`);
  if (word !== null) words.push(word);
  return words;
}

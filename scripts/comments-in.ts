/** A line of a file, or the part of it that is a comment. */
export type Line = { readonly line: number; readonly text: string };

/**
 * A string that ends on its line (a path in it is data, not a mention), or the beginning of a comment. A comment begins
 * at the start of a line or after a space or a bracket, so that `http://` and most regular expressions begin none.
 */
const STRING_OR_COMMENT =
  /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|(?<![^\s({[,;])(?<opening>\/\/|\/\*|<!--)/g;
const MAY_OPEN = /\/[/*]|<!--/;
const END_OF_BLOCK = /\*\/|-->/;

/**
 * The comments of TypeScript, CSS, HTML and Grit, line by line. Rejected: a parser, which takes seconds for the whole
 * repository. A regular expression with a quotation mark in it may hide a comment beside it, on its own line only.
 */
export function commentsIn(text: string): Line[] {
  const comments: Line[] = [];
  let inBlock = false;
  for (const [index, source] of text.split('\n').entries()) {
    let rest = source;
    const add = (comment: string) => comments.push({ line: index + 1, text: comment.replace(/^\s*\*+/, '') });
    // A line that begins with an asterisk is a comment even if the beginning of its block was not recognised.
    if (!inBlock && /^\s*\*(?:\s|$)/.test(rest)) add(rest);
    while (rest !== '') {
      if (inBlock) {
        const end = END_OF_BLOCK.exec(rest);
        add(rest.slice(0, end?.index));
        if (end === null) break;
        inBlock = false;
        rest = rest.slice(end.index + end[0].length);
      }
      // Most lines have no comment, and to find their strings would cost most of the time.
      if (!MAY_OPEN.test(rest)) break;
      const opening = [...rest.matchAll(STRING_OR_COMMENT)].find(({ groups }) => groups?.opening);
      if (opening === undefined) break;
      rest = rest.slice(opening.index + opening[0].length);
      inBlock = opening[0] !== '//';
      if (!inBlock) {
        add(rest);
        break;
      }
    }
  }
  return comments;
}

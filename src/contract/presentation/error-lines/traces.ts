import { type ErrorFinding, eachMatch, type Finder, linesWhile } from './finding.ts';

const NODE_ERROR = /^\s{0,2}(?:Uncaught )?((?:[A-Z]\w*)?(?:Error|Exception)(?: \[\w+\])?(?:: .*|$))/;
const NODE_FRAME = /^\s+at /;
/** Frames of the runtime and of packages explain less than the app's own. */
const NOT_OF_THE_APP = /\(?(?:node:|file:\/\/\/?[^)]*\/node_modules\/|[^)]*\/node_modules\/)/;
const SOURCE_PLACE = /^(?:file:\/\/)?\/.*:\d+$/;
const FRAMES = 2;

/** An error that Node printed with its stack: the source line, the error, what it adds to it, the app's own frames. */
export const nodeTraces: Finder = (lines) =>
  eachMatch(lines, NODE_ERROR, ([, header = ''], at) => {
    const added = linesWhile(lines, at + 1, 8, (line) => line !== '' && !NODE_FRAME.test(line));
    const from = at + 1 + added.length;
    const frames = linesWhile(lines, from, 60, (line) => NODE_FRAME.test(line));
    if (frames.length === 0) return null;
    const own = frames.filter((frame) => !NOT_OF_THE_APP.test(frame.trimStart().slice(3)));
    const after = lines.slice(from + frames.length, from + frames.length + 2);
    const cause = after.find((line) => /^\s+\[cause\]: /.test(line))?.trim();
    return {
      headline: cause === undefined ? header : `${header} (${cause.replace('[cause]: ', 'cause: ')})`,
      lines: [
        ...sourceAbove(lines, at),
        header,
        ...added,
        ...own.slice(0, FRAMES).map(closed),
        ...(cause ? [`  ${cause}`] : []),
      ],
      weight: 3,
    };
  });

/** After the last frame Node may open a bracket for what else the error holds. */
const closed = (frame: string) => frame.replace(/ \{$/, '');

/** Node prints the place, the line and a mark below it before the error, unless they are its own. */
function sourceAbove(lines: readonly string[], at: number): readonly string[] {
  const above = lines.slice(Math.max(0, at - 5), at);
  const place = above.findLastIndex((line) => SOURCE_PLACE.test(line));
  return place === -1 ? [] : above.slice(place).filter((line) => line !== '');
}

const PYTHON_FRAME = /^\s*File "([^"]+)", line \d+/;
const PYTHON_LIBRARY = /\/(?:site-packages|dist-packages|lib\/python[\d.]+)\/|^<frozen /;

/** A traceback of Python: the app's own last frame, and the exception. Of a chain the last one was not caught. */
export const pythonTraces: Finder = (lines) =>
  eachMatch(lines, /^(\s*)Traceback \(most recent call last\):$/, ([, indent = ''], at) => {
    const inside = linesWhile(lines, at + 1, 200, (line) => line.startsWith(`${indent} `));
    const exception = lines[at + 1 + inside.length]?.slice(indent.length) ?? '';
    if (exception === '') return null;
    const own = inside.findLastIndex((line) => isOwnFrame(line));
    const frame =
      own === -1
        ? []
        : [inside[own] ?? '', ...linesWhile(inside, own + 1, 2, (line) => !PYTHON_FRAME.test(line))];
    return {
      headline: exception,
      lines: [...frame.map((line) => line.slice(indent.length)), exception],
      weight: 3,
    };
  });

function isOwnFrame(line: string): boolean {
  const path = PYTHON_FRAME.exec(line)?.[1];
  return path !== undefined && !PYTHON_LIBRARY.test(path);
}

/** Python has no traceback for a file that it cannot read. */
export const pythonSyntax: Finder = (lines) =>
  eachMatch(lines, /^(?:SyntaxError|IndentationError|TabError): .*/, ([header], at) => {
    const above = lines.slice(Math.max(0, at - 4), at);
    const place = above.findLastIndex((line) => PYTHON_FRAME.test(line));
    const isTraced = above.length > 0 && place === -1;
    return isTraced
      ? null
      : { headline: header, lines: [...above.slice(Math.max(0, place)), header], weight: 3 };
  });

/** A panic of Go: its message, and the first frame that is not of Go itself. */
export const goPanics: Finder = (lines) =>
  eachMatch(lines, /^(?:panic|fatal error): .*/, ([header], at): Omit<ErrorFinding, 'at'> => {
    const rest = linesWhile(lines, at + 1, 40, (line) => !/^exit status/.test(line));
    const place = rest.findIndex((line) => /^\t.*\.go:\d+/.test(line) && !/\/go\/src\//.test(line));
    return {
      headline: header,
      lines: [header, ...(place < 1 ? [] : rest.slice(place - 1, place + 1))],
      weight: 3,
    };
  });

/** Lines of an output that say why something failed. */
export interface ErrorFinding {
  /** Index of its first line in the output. */
  readonly at: number;
  /** One line that names the cause. */
  readonly headline: string;
  /** The lines that people need, in the order of the output. */
  readonly lines: readonly string[];
  /** Ranks findings by what they explain: the heaviest is shown. */
  readonly weight: Weight;
  /** Such findings come in lists, of which the first matters most; of others the last does. */
  readonly isListed?: boolean;
}

/** A stack trace or an error of a compiler explains most, then a message of an installer, then a line that sounds so. */
type Weight = 3 | 2 | 1;

export type Finder = (lines: readonly string[]) => readonly ErrorFinding[];

/** A finding for each line that the pattern matches; null where the lines around it say that it is none. */
export function eachMatch(
  lines: readonly string[],
  pattern: RegExp,
  make: (match: RegExpExecArray, at: number) => Omit<ErrorFinding, 'at'> | null,
): readonly ErrorFinding[] {
  return lines.flatMap((line, at) => {
    const match = pattern.exec(line);
    const found = match === null ? null : make(match, at);
    return found === null ? [] : [{ at, ...found }];
  });
}

/** The lines from `from` on for which it holds, at most `most`. */
export function linesWhile(
  lines: readonly string[],
  from: number,
  most: number,
  holds: (line: string) => boolean,
): readonly string[] {
  const rest = lines.slice(from, from + most);
  const end = rest.findIndex((line) => !holds(line));
  return end === -1 ? rest : rest.slice(0, end);
}

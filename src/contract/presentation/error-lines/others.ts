import { eachMatch, type Finder } from './finding.ts';

/** A shell that does not find a program, or may not run it. */
export const shellErrors: Finder = (lines) =>
  eachMatch(
    lines,
    /^(?:\S*\/)?(?:ba|da|z)?sh: (?:line )?(?:\d+: )?(.+: (?:command )?(?:not found|Permission denied|No such file or directory))$/,
    ([header, text = '']) => ({ headline: text, lines: [header], weight: 3, isListed: true }),
  );

export const outOfMemory: Finder = (lines) =>
  eachMatch(
    lines,
    /^(?:FATAL ERROR: )?.*(?:JavaScript heap out of memory|Cannot allocate memory)$/,
    ([line]) => ({
      headline: line,
      lines: [line],
      weight: 3,
    }),
  );

/** Says that a tool failed which another one ran, and never why; or that all is well. */
const NO_CAUSE =
  /^(?:The build failed: |error Command failed with exit code|\s?ELIFECYCLE|npm (?:error|ERR!))|\b(?:no|0) errors?\b|warn/i;

/** The builder says why where it is no program that failed; the sentence about a program begins with its command. */
export const builderSentence: Finder = (lines) =>
  eachMatch(lines, /^The build failed: ([^`].+)$/, ([, sentence = '']) => ({
    headline: sentence,
    lines: [sentence],
    weight: 2,
  }));

/** The last line that sounds like an error, of whatever program, and the lines around it. */
export const errorWords: Finder = (lines) =>
  eachMatch(
    lines,
    /^.{0,60}?\b(?:error|fatal|exception|failed|panic|cannot|could not)\b.{3,}/i,
    ([line], at) =>
      NO_CAUSE.test(line)
        ? null
        : { headline: line.trim(), lines: lines.slice(Math.max(0, at - 2), at + 6), weight: 1 },
  );

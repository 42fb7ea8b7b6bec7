import { esbuildErrors, goErrors, goModuleErrors, rustErrors, tscErrors, viteErrors } from './compilers.ts';
import type { ErrorFinding, Finder } from './finding.ts';
import { npmErrors, pipErrors, pnpmErrors, yarnErrors } from './installers.ts';
import { builderSentence, errorWords, outOfMemory, shellErrors } from './others.ts';
import { goPanics, nodeTraces, pythonSyntax, pythonTraces } from './traces.ts';

/** Why something failed, found in its output. */
interface ErrorLines {
  /** One line that names the cause. */
  readonly headline: string;
  /** The lines around it that people need. */
  readonly lines: readonly string[];
}

const FINDERS: readonly Finder[] = [
  nodeTraces,
  pythonTraces,
  pythonSyntax,
  goPanics,
  tscErrors,
  viteErrors,
  esbuildErrors,
  goErrors,
  goModuleErrors,
  rustErrors,
  npmErrors,
  pnpmErrors,
  yarnErrors,
  pipErrors,
  shellErrors,
  outOfMemory,
  builderSentence,
  errorWords,
];

const MOST_LINES = 12;
/** Escape sequences of terminals: colours and moves. */
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');
/** A line without what only a terminal understands. */
export const withoutEscapes = (line: string): string => line.replace(ESCAPES, '').trimEnd();

/**
 * Finds the lines of an output that say why it failed; null if none does. Pure. The last lines of an output are mostly
 * those of the outermost tool, which knows the least: the finding that explains most is taken. Of one kind the last is:
 * it ended the program. Compilers and installers list their errors, and the first often leads to the others.
 */
export function errorLines(output: readonly string[], most = MOST_LINES): ErrorLines | null {
  const lines = output.map(withoutEscapes);
  const found = FINDERS.flatMap((find) => find(lines));
  const weight = Math.max(0, ...found.map((finding) => finding.weight));
  const best = found.filter((finding) => finding.weight === weight).sort((a, b) => a.at - b.at);
  const last = best.at(-1);
  if (last === undefined) return null;
  return last.isListed ? listed(best, most) : { headline: last.headline, lines: last.lines.slice(0, most) };
}

/** A trace shows its source this many lines above and its frames this many below; they only sound like errors. */
const AROUND_A_TRACE = 8;

/** The places of all lines that name an error, for a log in which they are marked. Pure. */
export function errorPlaces(output: readonly string[]): ReadonlySet<number> {
  const lines = output.map(withoutEscapes);
  const found = FINDERS.flatMap((find) => find(lines));
  const near = new Set(
    found.flatMap(({ at, weight }) =>
      weight === 1 ? [] : Array.from({ length: 2 * AROUND_A_TRACE + 1 }, (_, i) => at + i - AROUND_A_TRACE),
    ),
  );
  const telling = found.filter(({ at, weight }) => weight > 1 || !near.has(at));
  return new Set(
    telling.map(({ at, headline }) => {
      const named = lines.slice(at, at + MOST_LINES).findIndex((line) => line.trim() === headline.trim());
      return at + Math.max(0, named);
    }),
  );
}

function listed(best: readonly ErrorFinding[], most: number): ErrorLines {
  const all = best.filter(({ isListed }) => isListed);
  const shown: string[] = [];
  let count = 0;
  for (const { lines } of all) {
    if (count > 0 && shown.length + lines.length > most) break;
    shown.push(...lines);
    count += 1;
  }
  const left = all.length - count;
  const more = left === 0 ? [] : [`… and ${left} more`];
  return { headline: all[0]?.headline ?? '', lines: [...shown, ...more] };
}

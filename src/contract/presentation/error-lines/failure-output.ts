import type { Claim } from '../../claim.ts';
import { errorLines, withoutEscapes } from './error-lines.ts';

/** The output of what failed, as far as it is shown. */
export interface FailureOutput {
  readonly lines: readonly string[];
  /** The line that names the cause; null if none was found. */
  readonly headline: string | null;
}

/** Lines that are read to find the cause: a build writes a lot after its first error. */
export const FAILURE_LINES_READ = 2_000;
/** Lines that are shown where no cause is found. */
const LAST_LINES = 12;

/**
 * The directories into which builds and artifacts are unpacked. People know the path below them.
 */
const UNPACKED =
  /(?:file:\/\/)?\/[^\s'"`(]*\/(?:artifacts\/(?:[^/\s]+\/)?[0-9a-f]{64}|places\/[^/\s]+\/app)\//g;

/** The log that holds the output of the attempt that a claim calls failed; null if it calls it otherwise. */
export function failedStream({ state, proof }: Pick<Claim, 'state' | 'proof'>): 'build' | 'run' | null {
  if (state !== 'failed') return null;
  return proof.stoppedAt === 'building' ? 'build' : 'run';
}

/** The log that may name what is wrong with a service now; null if nothing is. */
export function troubledStream(claim: Pick<Claim, 'state' | 'proof'>): 'build' | 'run' | null {
  return claim.state === 'degraded' ? 'run' : failedStream(claim);
}

/** The lines that name the cause, else the last ones. Pure. */
export function failureOutputOf(output: readonly string[]): FailureOutput {
  const found = errorLines(output) ?? {
    headline: null,
    lines: output.slice(-LAST_LINES).map(withoutEscapes),
  };
  const below = (line: string) => line.replace(UNPACKED, '');
  const isText = (line: string) => line.trim() !== '';
  const lines = found.lines.slice(Math.max(0, found.lines.findIndex(isText)));
  return { headline: found.headline === null ? null : below(found.headline), lines: lines.map(below) };
}

/** The sentence with which a builder ends the log of a build whose command failed: the command, and its code. */
const ENDED_BUILD = /^The build failed: `([^`]+)` (ended with code \d+|was ended by SIG[A-Z0-9]+)\.$/;

/** "npm run build ended with code 2": how a build ended, by the last line of its log; null where that does not say. */
export function buildEnding(output: readonly string[]): string | null {
  const found = ENDED_BUILD.exec(withoutEscapes(output.findLast((line) => line.trim() !== '') ?? ''));
  return found === null ? null : `${found[1]} ${found[2]}.`;
}

/**
 * The lines of the log that the shown lines are, as far as they are found in what was read. The walk goes from the end: of a
 * text that stands there often, the last one is shown. Pure.
 */
export function sourcesOfLines<T extends { readonly line: string }>(
  shown: readonly string[],
  read: readonly T[],
): readonly (T | null)[] {
  let end = read.length;
  return shown
    .toReversed()
    .map((text) => {
      const found = read
        .slice(0, end)
        .findLastIndex(({ line }) => withoutEscapes(line).replace(UNPACKED, '') === text);
      if (found >= 0) end = found;
      return read[found] ?? null;
    })
    .toReversed();
}

/** A line of the shown output that names the cause. */
export const isHeadline = ({ headline }: FailureOutput, line: string): boolean =>
  headline !== null && line.endsWith(headline);

import type { Claim } from '../../contract/claim.ts';
import type { Stamp } from '../../contract/intent.ts';
import { errorLines } from '../../contract/presentation/error-lines/error-lines.ts';
import type { CliContext } from '../context.ts';
import type { FailureOutput } from './proof-lines.ts';
import type { ProofView } from './view.ts';

/** Lines that are read to find the cause: a build writes a lot after its first error. */
const LINES_READ = 2_000;
/** Lines that are shown where no cause is found. */
const LAST_LINES = 12;

/**
 * The directories into which builds and artifacts are unpacked. People know the path below them.
 */
const UNPACKED =
  /(?:file:\/\/)?\/[^\s'"`(]*\/(?:artifacts\/(?:[^/\s]+\/)?[0-9a-f]{64}|places\/[^/\s]+\/app)\//g;

export const isBuildFailure = ({ claim, settled }: Pick<ProofView, 'claim' | 'settled'>): boolean =>
  settled?.outcome === 'failed' && claim.state === 'failed' && claim.proof.stoppedAt === 'building';

/** The output of what failed, of the build if proof stopped there, else of the instances; null if nothing failed. */
export async function failureOutput(
  context: CliContext,
  service: string,
  { claim, requested, settled }: ProofView,
): Promise<FailureOutput | null> {
  return settled?.outcome === 'failed' ? outputOfFailed(context, service, claim, requested) : null;
}

/** The output of the attempt that a claim of now calls failed; null if it calls it otherwise. */
export async function outputOfFailed(
  context: CliContext,
  service: string,
  claim: Claim,
  { revision, attempt }: Stamp,
): Promise<FailureOutput | null> {
  if (claim.state !== 'failed') return null;
  const stream = claim.proof.stoppedAt === 'building' ? 'build' : 'run';
  const read = await context.people
    .logs(service, { stream, revision, attempt, tail: LINES_READ })
    .catch(() => []);
  return shownOf(read.map(({ line }) => line));
}

/** The lines that name the cause, else the last ones. Pure. */
export function shownOf(output: readonly string[]): FailureOutput {
  const found = errorLines(output) ?? { headline: null, lines: output.slice(-LAST_LINES) };
  const below = (line: string) => line.replace(UNPACKED, '');
  return { headline: found.headline === null ? null : below(found.headline), lines: found.lines.map(below) };
}

import type { Claim } from '../../contract/claim.ts';
import type { Stamp } from '../../contract/intent.ts';
import {
  FAILURE_LINES_READ,
  type FailureOutput,
  failedStream,
  failureOutputOf,
} from '../../contract/presentation/error-lines/failure-output.ts';
import type { CliContext } from '../context.ts';
import type { ProofView } from './view.ts';

export const isBuildFailure = ({ claim, settled }: Pick<ProofView, 'claim' | 'settled'>): boolean =>
  settled?.outcome === 'failed' && failedStream(claim) === 'build';

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
  const stream = failedStream(claim);
  if (stream === null) return null;
  const read = await context.people
    .logs(service, { stream, revision, attempt, tail: FAILURE_LINES_READ })
    .catch(() => []);
  return failureOutputOf(read.map(({ line }) => line));
}

import type { Claim } from '../claim.ts';

/**
 * The log that is shown where nobody has chosen one: of the instances once there were any, else of the build. `of` says
 * whose log is shown. A service has instances of an earlier revision too, and one revision only its own.
 */
export function defaultLogStream(
  { proof, serving }: Pick<Claim, 'proof' | 'serving'>,
  of: 'service' | 'active revision',
): 'build' | 'run' {
  const hasInstances = proof.reached.includes('starting') || (of === 'service' && serving !== null);
  return hasInstances ? 'run' : 'build';
}

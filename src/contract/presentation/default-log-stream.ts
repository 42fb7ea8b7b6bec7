import type { Claim } from '../claim.ts';

/**
 * The log that is shown where nobody has chosen one: of the instances once there were any, else of the build. `of` says
 * whose log is shown. A service has instances of an earlier revision too, also after it was torn down, and one revision
 * only its own.
 */
export function defaultLogStream(
  { proof, serving, path }: Pick<Claim, 'proof' | 'serving' | 'path'>,
  of: 'service' | 'active revision',
): 'build' | 'run' {
  const hadEarlier = serving !== null || path.some(({ state }) => state === 'stopping');
  const hasInstances = proof.reached.includes('starting') || (of === 'service' && hadEarlier);
  return hasInstances ? 'run' : 'build';
}

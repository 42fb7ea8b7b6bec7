import { ProblemAnswer } from '../client/client.ts';
import type { People } from '../client/people.ts';
import { DEFAULT_TARGET, serviceRef } from '../contract/names.ts';
import { similarName } from '../contract/presentation/similar-name.ts';

/** The service that was probably meant by a name that no service has; null for every other error. */
export async function meantService(people: People, error: unknown, ref: string): Promise<string | null> {
  if (!(error instanceof ProblemAnswer) || error.code !== 'not_found') return null;
  const wanted = serviceRef(ref);
  if (wanted === null) return null;
  // The error itself is printed in any case.
  const services = await people.services().catch(() => []);
  const meant = similarName(
    wanted,
    services.map((service) => service.ref),
  );
  return meant === wanted ? null : (meant?.replace(`@${DEFAULT_TARGET}`, '') ?? null);
}

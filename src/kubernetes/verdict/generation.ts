import { countAt, type ObjectFields } from './fields.ts';
import { type Ruling, ruling } from './verdict.ts';

/**
 * F70: a status that its controller wrote for an older generation says nothing about this one. Controllers of built-in
 * workloads always write `observedGeneration`, so that without it nothing is observed yet. An object without a
 * generation is of generation 0, as for every client of Kubernetes.
 */
export function generationUnmet(object: ObjectFields): Ruling | null {
  const observed = countAt(object, 'status.observedGeneration') ?? 0;
  if (observed === 0) return ruling('progressing', 'generation_behind', 'no controller has observed it yet');
  return observedUnmet(object, observed);
}

/** The same for a kind whose status names its generation only since lately, as pods do since 1.33. */
export function statedGenerationUnmet(object: ObjectFields): Ruling | null {
  const observed = countAt(object, 'status.observedGeneration');
  return observed === null ? null : observedUnmet(object, observed);
}

function observedUnmet(object: ObjectFields, observed: number): Ruling | null {
  const generation = countAt(object, 'metadata.generation') ?? 0;
  if (observed < generation)
    return ruling('progressing', 'generation_behind', `generation ${observed} of ${generation} is observed`);
  if (generation > 0 && observed > generation)
    return ruling(
      'unknown',
      'contradictory',
      `generation ${observed} is observed, and ${generation} is the newest`,
    );
  return null;
}

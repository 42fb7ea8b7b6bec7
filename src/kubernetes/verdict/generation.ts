import { countAt, type ObjectFields } from './fields.ts';
import { type Ruling, ruling } from './verdict.ts';

/**
 * F70: a status that its controller wrote for an older generation says nothing about this one. Controllers of built-in
 * workloads always write `observedGeneration`, so that without it nothing is observed yet.
 */
export function generationUnmet(object: ObjectFields): Ruling | null {
  const generation = countAt(object, 'metadata.generation');
  const observed = countAt(object, 'status.observedGeneration');
  if (generation === null)
    return ruling('unknown', 'generation_behind', 'metadata.generation is missing: nothing to compare with');
  if (observed === null)
    return ruling(
      'progressing',
      'generation_behind',
      `no controller has observed generation ${generation} yet`,
    );
  if (observed < generation)
    return ruling('progressing', 'generation_behind', `generation ${observed} of ${generation} is observed`);
  if (observed > generation)
    return ruling(
      'unknown',
      'contradictory',
      `generation ${observed} is observed, and ${generation} is the newest`,
    );
  return null;
}

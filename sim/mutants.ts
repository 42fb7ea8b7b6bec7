import type { Mutant } from './mutants/mutant.ts';
import { OBSERVATION_MUTANTS } from './mutants/observation.ts';
import { OWNERSHIP_MUTANTS } from './mutants/ownership.ts';
import { PROJECTION_MUTANTS } from './mutants/projection.ts';
import { REPAIR_MUTANTS } from './mutants/repair.ts';
import { STORE_MUTANTS } from './mutants/store.ts';

export const MUTANTS: readonly Mutant[] = [
  ...OWNERSHIP_MUTANTS,
  ...OBSERVATION_MUTANTS,
  ...PROJECTION_MUTANTS,
  ...REPAIR_MUTANTS,
  ...STORE_MUTANTS,
];

import { APP_FAULTS } from './faults/apps.ts';
import type { SoakFault } from './faults/fault.ts';
import { PART_FAULTS } from './faults/parts.ts';
import { SECOND_PLACE_FAULTS } from './faults/second-place.ts';
import { STORAGE_FAULTS } from './faults/storage.ts';
import { STRANGER_FAULTS } from './faults/strangers.ts';

export const SOAK_FAULTS: readonly SoakFault[] = [
  ...PART_FAULTS,
  ...STORAGE_FAULTS,
  ...APP_FAULTS,
  ...STRANGER_FAULTS,
  ...SECOND_PLACE_FAULTS,
];

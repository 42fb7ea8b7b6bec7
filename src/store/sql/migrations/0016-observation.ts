import type { Migration } from './types.ts';

/** The rule of a target: what other tools deploy there and is observed. */
export const observation: Migration = {
  name: '0016-observation',
  statements: ({ json }) => [`ALTER TABLE targets ADD COLUMN observation ${json}`],
};

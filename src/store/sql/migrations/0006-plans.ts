import type { Migration } from './types.ts';

/**
 * The plan to start a built artifact: found by the build, and kept by every revision that runs the same
 * bytes.
 */
export const plans: Migration = {
  name: '0006-plans',
  statements: ({ json }) => [
    `ALTER TABLE attempts ADD COLUMN command ${json}`,
    `ALTER TABLE revisions ADD COLUMN command ${json}`,
  ],
};

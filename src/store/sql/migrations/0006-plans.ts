import type { Migration } from './types.ts';

/** How to start what was built: found by the build, and kept by every revision that runs the same bytes. */
export const plans: Migration = {
  name: '0006-plans',
  statements: ({ json }) => [
    `ALTER TABLE attempts ADD COLUMN command ${json}`,
    `ALTER TABLE revisions ADD COLUMN command ${json}`,
  ],
};

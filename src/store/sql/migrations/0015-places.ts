import type { Migration } from './types.ts';

/** The places that a target's name has stood for, and those of them that are retired (F114). */
export const places: Migration = {
  name: '0015-places',
  statements: ({ json }) => [
    `ALTER TABLE agents ADD COLUMN places ${json}`,
    `ALTER TABLE registrations ADD COLUMN places ${json}`,
  ],
};

import type { Migration } from './types.ts';

/** Fields of a configuration that the file beside the source declared: one that a later file leaves out is removed. */
export const declaredFields: Migration = {
  name: '0017-declared-fields',
  statements: ({ json }) => [`ALTER TABLE revisions ADD COLUMN declared ${json}`],
};

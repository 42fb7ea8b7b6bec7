import type { Migration } from './types.ts';

/** The revision that another was derived from, and the one whose artifact and configuration it repeats. */
export const derivedRevisions: Migration = {
  name: '0014-derived-revisions',
  statements: ({ int }) => [
    `ALTER TABLE revisions ADD COLUMN content_of ${int}`,
    `ALTER TABLE revisions ADD COLUMN derives_from ${int}`,
  ],
};

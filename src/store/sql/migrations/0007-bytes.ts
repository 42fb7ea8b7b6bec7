import type { Migration } from './types.ts';

/** Whose bytes these are: what a token is bound to decides what it may read. */
export const bytes: Migration = {
  name: '0007-bytes',
  statements: () => [`CREATE INDEX attempts_by_artifact ON attempts (org, artifact, revision)`],
};

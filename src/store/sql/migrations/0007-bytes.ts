import type { Migration } from './types.ts';

/** Finds the services that run an artifact: a token reads its bytes only if it is bound to one of them. */
export const artifactBytes: Migration = {
  name: '0007-bytes',
  statements: () => [`CREATE INDEX attempts_by_artifact ON attempts (org, artifact, revision)`],
};

import type { Migration } from './types.ts';

/** Finds the services in a recorded state: a list by attention begins with what failed, and reads no other for it. */
export const byAttention: Migration = {
  name: '0021-by-attention',
  statements: () => [`CREATE INDEX services_by_state ON services (org, state, service)`],
};

import type { Migration } from './types.ts';

/** The namespace of a target whose workloads are named without it: the one of its first registration. */
export const defaultNamespace: Migration = {
  name: '0019-default-namespace',
  statements: ({ text }) => [`ALTER TABLE targets ADD COLUMN default_namespace ${text}`],
};

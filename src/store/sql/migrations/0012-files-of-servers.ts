import type { Migration } from './types.ts';

/**
 * The directory in which each server keeps artifacts and logs: a server with another directory may be able to
 * read them there.
 */
export const filesOfServers: Migration = {
  name: '0012-files-of-servers',
  statements: ({ text }) => [`ALTER TABLE beats ADD COLUMN files ${text}`],
};

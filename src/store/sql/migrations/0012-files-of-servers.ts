import type { Migration } from './types.ts';

/** Where each server keeps artifacts and logs: who does not share them may be able to read them there. */
export const filesOfServers: Migration = {
  name: '0012-files-of-servers',
  statements: ({ text }) => [`ALTER TABLE beats ADD COLUMN files ${text}`],
};

import type { Migration } from './types.ts';

/** The rows that stand for counted rejections: since when, how many, and the position of the newest. */
export const rejectionQuota: Migration = {
  name: '0013-rejection-quota',
  statements: ({ int, digits }) => [
    `ALTER TABLE counters ADD COLUMN since ${int}`,
    `ALTER TABLE counters ADD COLUMN kept ${int}`,
    `ALTER TABLE counters ADD COLUMN position ${digits}`,
  ],
};

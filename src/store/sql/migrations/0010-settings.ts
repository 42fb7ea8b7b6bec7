import type { Migration } from './types.ts';

/** By which lengths of time claims were judged, and since when. */
export const settings: Migration = {
  name: '0010-settings',
  statements: ({ int, json, byKey }) => [
    `CREATE TABLE settings (
      "from" ${int} NOT NULL, settings ${json} NOT NULL,
      PRIMARY KEY ("from")
    ) ${byKey}`,
  ],
};

import type { Migration } from './types.ts';

/**
 * The settings by which claims were judged, with the instant they began; and an index that finds rejected
 * evidence.
 */
export const settingsAndRefusals: Migration = {
  name: '0010-settings-and-refusals',
  statements: ({ int, json, byKey }) => [
    `CREATE TABLE settings (
      "from" ${int} NOT NULL, settings ${json} NOT NULL,
      PRIMARY KEY ("from")
    ) ${byKey}`,
    `CREATE INDEX ledger_refused ON ledger (org, service, position) WHERE reason IS NOT NULL`,
  ],
};

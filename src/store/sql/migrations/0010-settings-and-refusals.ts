import type { Migration } from './types.ts';

/** By which lengths of time claims were judged, and since when; and what was refused is found without the rest. */
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

import type { Migration } from './types.ts';

/** Whether an agent only observes, and what it says of a scope beside its contents. */
export const agentNotes: Migration = {
  name: '0020-agent-notes',
  statements: ({ bool, json }) => [
    `ALTER TABLE agents ADD COLUMN observe_only ${bool}`,
    `ALTER TABLE scopes ADD COLUMN notes ${json}`,
  ],
};

import type { Migration } from './types.ts';

/**
 * The schema of time travel: checkpoints of facts, the instant at which a transition was recorded, the
 * registrations of agents, and indexes that find the state at an instant without reading everything before
 * it.
 */
export const checkpoints: Migration = {
  name: '0002-checkpoints',
  statements: ({ text, int, bool, digits, json, byKey, no }) => [
    `CREATE TABLE checkpoints (
      org ${text} NOT NULL, service ${text} NOT NULL, position ${digits} NOT NULL, received_at ${int} NOT NULL,
      proven ${json} NOT NULL,
      PRIMARY KEY (org, service, position)
    ) ${byKey}`,
    `ALTER TABLE services ADD COLUMN since_checkpoint ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE transitions ADD COLUMN recorded_at ${int} NOT NULL DEFAULT 0`,
    `UPDATE transitions SET recorded_at = at`,
    `ALTER TABLE spans ADD COLUMN unavailable ${text}`,
    `ALTER TABLE registrations ADD COLUMN registered_at ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE registrations ADD COLUMN evidence ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE registrations ADD COLUMN identity_epoch ${digits} NOT NULL DEFAULT '0'`,
    `ALTER TABLE registrations ADD COLUMN identity_since ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE registrations ADD COLUMN identity_changed ${bool} NOT NULL DEFAULT ${no}`,
    `UPDATE registrations SET identity_epoch = epoch`,
    `CREATE INDEX registrations_by_time ON registrations (org, target, registered_at, epoch)`,
    // A command has few leases, so the full index also finds the open one.
    `DROP INDEX leases_of_command`,
    `CREATE INDEX leases_of_command ON leases (org, command, granted_at)`,
    `CREATE INDEX leases_by_instance ON leases (org, instance, granted_at)`,
    `CREATE INDEX workers_by_seen ON workers (org, seen_at)`,
  ],
};

import type { Migration } from './types.ts';

/**
 * Finds the leases to look at by an instant that heartbeats do not move. A write that changes no indexed column is
 * a heap-only one in PostgreSQL, if its page has room: acknowledging or renewing a lease wrote six indexes before.
 */
export const leaseSweeps: Migration = {
  name: '0022-lease-sweeps',
  statements: ({ int, filled }) => [
    // Ended leases keep the default: nobody looks at them. So do those of an older server that still runs.
    `ALTER TABLE leases ADD COLUMN sweep_at ${int} NOT NULL DEFAULT 0`,
    `UPDATE leases SET sweep_at = until WHERE ended_at IS NULL`,
    `DROP INDEX leases_ending`,
    `CREATE INDEX leases_to_sweep ON leases (org, sweep_at) WHERE ended_at IS NULL`,
    ...filled('leases', 70),
    ...filled('services', 70),
  ],
};

import type { TestProject } from 'vitest/node';
import { startPostgres } from '../lab/postgres.ts';

/** Starts one PostgreSQL for the whole run; every test creates its own database in it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const found = await startPostgres();
  if (!found.ok) {
    console.warn(`SKIPPED: everything on PostgreSQL. ${found.why}`);
    project.provide('postgres', { why: found.why });
    return async () => {};
  }
  project.provide('postgres', { url: found.cluster.url });
  return found.cluster.stop;
}

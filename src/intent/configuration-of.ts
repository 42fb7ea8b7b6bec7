import type { Door } from '../evidence/door/door.ts';
import type { ServiceFile } from '../evidence/door/service-file.ts';
import { configuredBy } from '../evidence/past/configured-by.ts';
import type { RevisionRow } from '../store/schema.ts';

/**
 * The revision that a service is configured by now: the newest that was not cancelled, also one that waits. Null: it is
 * configured by none. Almost always the file holds it already, and nothing is read.
 */
export async function configurationOf(
  { tx, org }: Pick<Door, 'tx' | 'org'>,
  { service, newest, revisions, proven }: ServiceFile,
): Promise<RevisionRow | null> {
  const row = revisions.find(({ revision }) => revision === newest);
  const facts = proven.revisions.find(({ revision }) => revision === newest);
  if (row !== undefined && facts !== undefined && facts.attempt.settled?.outcome !== 'cancelled')
    return row.kind === 'teardown' ? null : row;
  return configuredBy(tx, org, service, newest + 1);
}

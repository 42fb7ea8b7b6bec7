import { isReadable } from '../store/columns.ts';
import { Unavailable } from '../store/port.ts';
import type { HeadRow } from '../store/schema.ts';

/** The head of an org's ledger says what comes next, and when: without it nothing more can be written (F56). */
export function readableHead(head: HeadRow): HeadRow {
  if (isReadable(head)) return head;
  throw new Unavailable(
    `The row of ${head.org} in the table heads cannot be read, and without it nothing can be added to its ledger. Nothing was changed. Restore the database from a backup and then run \`evident recovered\`.`,
  );
}

import type { VisibleService } from '../../access/visible-service.ts';
import {
  aboutCommand,
  commandKind,
  commandOfLease,
  commandOrdinal,
  leaseId,
} from '../../contract/command-id.ts';
import { compareDigits } from '../../contract/digits.ts';
import { COMMAND_KINDS } from '../../contract/vocabulary.ts';
import type { Host } from '../../evidence/door/host.ts';
import { rfc3339, rfc3339OrNull } from '../../projection/instant.ts';
import { isIntact, NAMELESS, pick, readable, type Stored } from '../../store/broken-row.ts';
import { gte, type ReadTx } from '../../store/port.ts';
import type { LeaseRow } from '../../store/schema.ts';

/** Limits the commands that one query reads. */
const COMMANDS = 100;

/**
 * Reads the leases of a service's commands after one of them, the earliest first. Reads by revision, because
 * a revision has few commands however long the history is.
 */
export function leasesPage(
  host: Host,
  { org, service }: VisibleService,
  after: string | null,
  limit: number,
): Promise<Stored<'leases'>[]> {
  return host.store.read(async (tx) => {
    const found: Stored<'leases'>[] = [];
    let next: number | null = after === null ? 0 : (aboutCommand(commandOfLease(after))?.revision ?? 0);
    while (next !== null && found.length < limit) {
      const { commands, from } = await revisionsFrom(tx, org, service, next);
      const asks = commands.map(({ id }) => ({ table: 'leases', where: { org, command: id } }) as const);
      const leases = (await tx.readAll(asks)).flat();
      leases.sort((a, b) => compareLeases(leaseName(a), leaseName(b)));
      found.push(...leases.filter((row) => after === null || compareLeases(leaseName(row), after) > 0));
      next = from;
    }
    return found.slice(0, limit);
  });
}

/** The lease's id; where that cannot be read, an id from its command. */
export function leaseName(row: Stored<'leases'>): string {
  const { id, command = NAMELESS } = readable(row);
  return id ?? leaseId(command, '0');
}

/** Reads commands of complete revisions, and the revision to go on with; null: there are no more. */
async function revisionsFrom(
  tx: ReadTx,
  org: string,
  service: string,
  revision: number,
): Promise<{ readonly commands: readonly { readonly id: string }[]; readonly from: number | null }> {
  const where = { org, service, revision: gte(revision) };
  const rows = await tx.select('commands', where, { order: ['revision', 'attempt'], limit: COMMANDS });
  const named = rows.flatMap((row) => pick(row, 'id', 'revision') ?? []);
  const last = named.at(-1)?.revision;
  if (rows.length < COMMANDS || last === undefined) return { commands: named, from: null };
  const complete = named.filter((row) => row.revision < last);
  if (complete.length > 0) return { commands: complete, from: last };
  const all = await tx.select('commands', { org, service, revision: last });
  return { commands: all.flatMap((row) => pick(row, 'id') ?? []), from: last + 1 };
}

/** Orders leases by revision, attempt, kind, repetition of a removal, and fence. */
function compareLeases(a: string, b: string): number {
  const [left, right] = [placeOf(a), placeOf(b)];
  for (const [i, value] of left.entries()) {
    const difference = value - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareDigits(fenceOf(a), fenceOf(b));
}

function placeOf(lease: string): readonly number[] {
  const command = commandOfLease(lease);
  const { revision = 0, attempt = 0 } = aboutCommand(command) ?? {};
  const kind = commandKind(command);
  return [revision, attempt, kind === null ? -1 : COMMAND_KINDS.indexOf(kind), commandOrdinal(command)];
}

const fenceOf = (lease: string) => lease.slice(lease.lastIndexOf('.') + 1);

export function leaseView(row: Stored<'leases'>) {
  return isIntact(row) ? intactView(row) : null;
}

function intactView(row: LeaseRow) {
  const { id, command, kind, fence, worker, instance, grantedAt, acknowledgedAt, endedAt, end } = row;
  return {
    lease: id,
    command,
    kind,
    fence,
    holder: { worker, instance },
    grantedAt: rfc3339(grantedAt),
    acknowledgedAt: rfc3339OrNull(acknowledgedAt),
    endedAt: rfc3339OrNull(endedAt),
    end,
  };
}

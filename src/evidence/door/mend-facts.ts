import { targetOf } from '../../contract/names.ts';
import { keyOf, readable } from '../../store/broken-row.ts';
import { recordedBy } from '../past/past.ts';
import { refold } from './facts-cache.ts';
import type { LedgerWriter } from './ledger-writer.ts';
import { loadIntent, type ServiceFile } from './service-file.ts';

/**
 * A service's row is a cache: unreadable parts are folded again from the ledger. If a ledger row cannot be
 * read either, the service is `unknown` and stays so; new evidence is recorded, and nothing is concluded
 * (F56).
 */
export async function mendFacts(ledger: LedgerWriter, file: ServiceFile): Promise<boolean> {
  const { org, tx } = ledger;
  await restoreColumns(ledger, file);
  const folded = await refold(tx, org, file.service);
  if (!folded.ok) {
    await recordUnreadable(ledger, file, folded.row);
    return false;
  }
  await ledger.alarm('facts_unreadable', file.service);
  file.proven = folded.proven;
  file.unreadable = false;
  await loadIntent(tx, file);
  // Reports that came while nothing could be concluded are requested again.
  for (const row of await tx.select('scopes', { org, target: targetOf(file.service) })) {
    const scope = keyOf('scopes', row);
    if (scope !== undefined) await tx.update('scopes', scope, {}, { base: null });
  }
  return true;
}

const NEWEST = { descending: true, limit: 1 } as const;

/** Reads again the columns of the row that cannot be read, from the tables that they are a cache of. */
async function restoreColumns({ org, tx }: LedgerWriter, file: ServiceFile): Promise<void> {
  const { service, stored } = file;
  const row = readable(stored ?? undefined);
  if (row.createdAt === undefined) {
    const [first] = await tx.select('ledger', { org, service }, { order: 'position', limit: 1 });
    file.createdAt = readable(first).receivedAt ?? file.createdAt;
  }
  if (row.newest === undefined) {
    const [newest] = await tx.select('revisions', { org, service }, { order: 'revision', ...NEWEST });
    file.newest = readable(newest).revision ?? 0;
  }
  if (file.recorded === null) {
    const [last] = await tx.select('transitions', { org, service }, { order: 'position', ...NEWEST });
    file.recorded = recordedBy(last ?? null);
  }
}

async function recordUnreadable(ledger: LedgerWriter, file: ServiceFile, row: string): Promise<void> {
  if (!(await isAlarmed(ledger, file.service))) await ledger.alarm('evidence_unreadable', file.service);
  const was = file.recorded;
  if (was === null || was.state === 'unknown') return;
  const { revision, attempt } = was;
  const about = { revision, attempt, stage: null, at: ledger.at };
  await ledger.recordTransition(file, {
    ...about,
    from: was.state,
    to: 'unknown',
    owner: 'clock',
    evidence: row,
  });
}

/** True if the newest alarm of the service says already that its evidence cannot be read. */
async function isAlarmed({ org, tx }: LedgerWriter, service: string): Promise<boolean> {
  const [last] = await tx.select('alarms', { org, service }, { order: 'position', ...NEWEST });
  return readable(last).code === 'evidence_unreadable';
}

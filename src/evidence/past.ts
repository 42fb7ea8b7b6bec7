import type { Settings } from '../projection/facts.ts';
import { NOTHING_PROVEN, type Proven } from '../projection/facts.ts';
import { fold } from '../projection/fold.ts';
import { neededCommand } from '../projection/workload.ts';
import { lte, type ReadTx } from '../store/port.ts';
import { isAdmitted, ledgerAfter } from './ledger-pages.ts';
import { leaseAt, vitalsAt, workersAt } from './past-vitals.ts';
import { loadIntent, ServiceFile } from './service-file.ts';

/**
 * A service as it was at an instant: the ledger is a prefix, folded from the newest checkpoint before it, and
 * spans say what was alive. Costs the rows near the instant, however long the history before and after it.
 */
export async function fileAt(
  tx: ReadTx,
  settings: Settings,
  org: string,
  service: string,
  at: number,
): Promise<ServiceFile | null> {
  const proven = await provenAt(tx, org, service, at);
  if (proven === null) return null;
  const file = new ServiceFile(null, { org, service, at }, await vitalsAt(tx, settings, org, service, at));
  file.proven = proven;
  await loadIntent(tx, file);
  const { active, asked } = file;
  const kind = active && asked ? neededCommand(asked, active) : null;
  if (active !== undefined && kind !== null) {
    const lease = await leaseAt(tx, settings, org, service, active, kind, at);
    const workers = await workersAt(tx, settings, org, service, kind, at);
    file.vitals = { ...file.vitals, lease, workers };
  }
  const [last] = await tx.select(
    'transitions',
    { org, service, recordedAt: lte(at) },
    { order: ['recordedAt', 'position'], descending: true, limit: 1 },
  );
  if (last !== undefined) {
    const { to, revision, attempt, position } = last;
    file.recorded = { state: to, revision, attempt, since: last.at, position };
  }
  return file;
}

async function provenAt(tx: ReadTx, org: string, service: string, at: number): Promise<Proven | null> {
  const [checkpoint] = await tx.select(
    'checkpoints',
    { org, service, receivedAt: lte(at) },
    { order: ['receivedAt', 'position'], descending: true, limit: 1 },
  );
  let proven = (checkpoint?.proven as Proven | undefined) ?? null;
  for await (const row of ledgerAfter(tx, org, service, checkpoint?.position)) {
    if (row.receivedAt > at) break;
    if (isAdmitted(row)) proven = fold(proven ?? NOTHING_PROVEN, row);
  }
  return proven;
}

import { compareDigits, type Digits, ZERO } from '../../contract/digits.ts';
import { NOTHING_PROVEN, type Proven, type Recorded, type Settings } from '../../projection/facts.ts';
import { fold } from '../../projection/fold.ts';
import { neededCommand } from '../../projection/workload.ts';
import { isIntact, pick, readable, type Stored } from '../../store/broken-row.ts';
import { lte, type ReadTx } from '../../store/port.ts';
import { readFacts } from '../door/facts-cache.ts';
import { brokenColumn } from '../door/row-integrity.ts';
import { loadIntent, ServiceFile } from '../door/service-file.ts';
import { isAdmitted, ledgerAfter, mayCount } from './ledger-pages.ts';
import { leaseAt, livenessAt, workersAt } from './past-liveness.ts';

/** An instant of an org: the time, and the head of its ledger then. Rows above it were not recorded yet. */
interface Instant {
  readonly at: number;
  readonly head: Digits;
}

const NEWEST = { order: 'position', descending: true, limit: 1 } as const;

/**
 * A service as it was at an instant: the ledger up to then, folded from the newest checkpoint before it, and
 * liveness from spans. It reads only rows near the instant, however long the history is.
 */
export async function fileAt(
  tx: ReadTx,
  settings: Settings,
  org: string,
  service: string,
  { at, head }: Instant,
): Promise<ServiceFile | null> {
  const proven = await provenAt(tx, org, service, head);
  if (proven === null) return null;
  const [last] = await tx.select('transitions', { org, service, position: lte(head) }, NEWEST);
  const file = await fileOf(tx, settings, { org, service, at }, proven, last ?? null);
  const kind = file.active && file.activeIntent ? neededCommand(file.activeIntent, file.active) : null;
  if (kind !== null) {
    const workers = await workersAt(tx, settings, org, service, kind, at);
    file.liveness = { ...file.liveness, workers };
  }
  return file;
}

/** Facts, and the liveness around them at an instant. The free workers are left out: they change no state. */
export async function fileOf(
  tx: ReadTx,
  settings: Settings,
  of: { readonly org: string; readonly service: string; readonly at: number },
  proven: Proven,
  last: Stored<'transitions'> | null,
): Promise<ServiceFile> {
  const { org, service, at } = of;
  const file = new ServiceFile(null, of, await livenessAt(tx, settings, org, service, at));
  file.proven = proven;
  await loadIntent(tx, file);
  const { active, activeIntent } = file;
  const kind = active && activeIntent ? neededCommand(activeIntent, active) : null;
  if (active !== undefined && kind !== null) {
    const lease = await leaseAt(tx, settings, org, service, active, kind, at);
    file.liveness = { ...file.liveness, lease };
  }
  file.recorded = recordedBy(last);
  return file;
}

export function recordedBy(last: Stored<'transitions'> | null): Recorded | null {
  if (last === null || !isIntact(last)) return null;
  const { to: state, revision, attempt, at: since, position } = last;
  return { state, revision, attempt, since, position };
}

export async function provenAt(
  tx: ReadTx,
  org: string,
  service: string,
  head: Digits,
): Promise<Proven | null> {
  const [checkpoint] = await tx.select('checkpoints', { org, service, position: lte(head) }, NEWEST);
  const base = pick(checkpoint, 'proven', 'position');
  let proven = base === undefined ? null : readFacts(base.proven);
  for await (const row of ledgerAfter(tx, org, service, proven === null ? ZERO : base?.position)) {
    const { position } = readable(row);
    if (position !== undefined && compareDigits(position, head) > 0) break;
    // Without this row nothing is proven of that instant, and the claim says so (F56).
    if (mayCount(row) && brokenColumn(row) !== null) return NOTHING_PROVEN;
    if (isIntact(row) && isAdmitted(row)) proven = fold(proven ?? NOTHING_PROVEN, row);
  }
  return proven;
}

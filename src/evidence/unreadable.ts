import { targetOf } from '../contract/names.ts';
import type { Door } from './door.ts';
import { refold } from './facts-cache.ts';
import { loadIntent, type ServiceFile } from './service-file.ts';

/**
 * Facts are a cache: what cannot be read is folded again from the ledger. If a row of that cannot be read either,
 * the service is `unknown` and stays so; what comes in is kept in the ledger, and nothing is concluded (F56).
 */
export async function mend(door: Door, file: ServiceFile): Promise<boolean> {
  const { org, tx } = door;
  const folded = await refold(tx, org, file.service);
  if (!folded.ok) {
    await giveUp(door, file, folded.row);
    return false;
  }
  await door.alarm('facts_unreadable', file.service);
  file.proven = folded.proven;
  file.unreadable = false;
  await loadIntent(tx, file);
  // What was reported while nothing could be concluded is asked for again.
  for (const scope of await tx.select('scopes', { org, target: targetOf(file.service) }))
    await tx.update('scopes', scope, {}, { base: null });
  return true;
}

async function giveUp(door: Door, file: ServiceFile, row: string): Promise<void> {
  const was = file.recorded;
  if (was === null || was.state === 'unknown') return;
  await door.alarm('evidence_unreadable', file.service);
  const { revision, attempt } = was;
  const about = { revision, attempt, stage: null, at: door.at };
  await door.step(file, { ...about, from: was.state, to: 'unknown', owner: 'clock', evidence: row });
}

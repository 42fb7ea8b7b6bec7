import type { Host } from '../../evidence/door/host.ts';
import { claimNow } from '../../evidence/read.ts';
import { readable } from '../../store/broken-row.ts';
import type { Audience } from './last-read.ts';
import type { SettledEvent } from './watch-event.ts';

/** The attempt whose outcome a client waits for. */
export interface Followed {
  readonly revision: number;
  readonly attempt: number;
}

/** Null while the attempt is in progress; `unreadable` where it has an outcome and its claim cannot be read. */
export async function settledEvent(
  host: Host,
  org: string,
  service: string,
  { revision, attempt }: Followed,
  audience: Audience,
): Promise<SettledEvent | 'unreadable' | null> {
  const row = await host.store.read((tx) => tx.get('attempts', { org, service, revision, attempt }));
  const outcome = readable(row).outcome ?? 'in_progress';
  if (outcome === 'in_progress') return null;
  const answer = await claimNow(host, org, service, audience);
  if (!answer.ok) return 'unreadable';
  const data = { ...answer.claim, settled: { revision, attempt, outcome } };
  return { event: 'settled', id: answer.claim.position, data };
}

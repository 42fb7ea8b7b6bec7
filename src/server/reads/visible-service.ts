import type { Caller } from '../../access/caller.ts';
import { VisibleService } from '../../access/visible-service.ts';
import { type Answer, noService } from '../../contract/problem.ts';
import type { Host } from '../../evidence/door/host.ts';
import { readServiceRow } from './services.ts';

/**
 * Finds the service that a caller names, if it may read it. Another org's service, and one outside the caller's
 * binding, is as absent as one that never was (F109).
 */
export async function visibleService(
  host: Host,
  caller: Caller,
  operation: 'read' | 'inspect',
  ref: string,
): Promise<Answer<{ readonly visible: VisibleService }>> {
  const found = await host.store.read((tx) => readServiceRow(tx, caller.org, ref));
  if (found === undefined) return noService();
  return VisibleService.authorized(caller, operation, found.service);
}

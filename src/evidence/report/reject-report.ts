import type { Caller } from '../../access/caller.ts';
import type { Rejection } from '../../contract/vocabulary.ts';
import { readable } from '../../store/broken-row.ts';
import type { Door } from '../door/door.ts';

/** Records the first rejected report of a source and reason as evidence; later ones only count. */
export async function rejectReport(
  door: Door,
  { caller, target }: { readonly caller: Caller; readonly target: string },
  reason: Rejection,
): Promise<void> {
  const { org, tx } = door;
  const key = { org, source: `watcher/${caller.name}`, reason };
  const counter = await tx.get('counters', key);
  if (counter !== undefined) {
    await tx.update('counters', key, {}, { count: (readable(counter).count ?? 0) + 1 });
    return;
  }
  await tx.insert('counters', { ...key, count: 1 });
  const source = { role: 'watcher', name: caller.name, instance: caller.instance } as const;
  await door.reject({ kind: 'runtime.observed', source, target, body: {} }, reason);
  if (reason === 'unissued') await door.alarm(reason, null);
}

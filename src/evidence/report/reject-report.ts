import type { Caller } from '../../access/caller.ts';
import type { Rejection } from '../../contract/vocabulary.ts';
import type { Door } from '../door/door.ts';
import { ONE_ROW, rejectWithin } from '../door/reject-within.ts';

/** Records the first rejected report of a source and reason as evidence; later ones only count. */
export async function rejectReport(
  door: Door,
  { caller, target }: { readonly caller: Caller; readonly target: string },
  reason: Rejection,
): Promise<void> {
  const source = { role: 'watcher', name: caller.name, instance: caller.instance } as const;
  const draft = { kind: 'runtime.observed', source, target, body: {} };
  const { isOwnRow } = await rejectWithin(door, draft, reason, ONE_ROW);
  if (isOwnRow && reason === 'unissued') await door.alarm(reason, null);
}

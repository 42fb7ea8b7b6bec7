import { type ItemResult, itemSchema, type Source } from '../../contract/evidence.ts';
import type { Rejection } from '../../contract/vocabulary.ts';
import type { Door } from '../door/door.ts';
import type { RejectedDraft } from '../door/draft.ts';
import { ONE_ROW, rejectWithin } from '../door/reject-within.ts';

/** An item of a caller that may submit nothing, with its verdict and the row that would record it. */
interface RefusedItem {
  readonly id: string;
  readonly reason: Rejection;
  readonly draft: RejectedDraft;
}

/** Judges an item by its form alone. The row takes no text of a caller that has nothing to say. */
export function refusedItem(source: Source, input: unknown): RefusedItem {
  const parsed = itemSchema.safeParse(input);
  if (!parsed.success) {
    const id = (input as { readonly id?: unknown } | null)?.id;
    const draft = { kind: '', source, body: {} };
    return { id: typeof id === 'string' ? id.slice(0, 200) : '', reason: 'invalid', draft };
  }
  const { id, kind, service, revision, attempt, command, fence } = parsed.data;
  const draft = { kind, source, service, revision, attempt, body: {} };
  return { id, reason: command == null || fence == null ? 'invalid' : 'not_owner', draft };
}

/**
 * Rejects the items of a caller whose role may submit nothing, without a look at what they name. One row per
 * reason stands for all that this source ever submits, so that a viewer cannot fill the ledger (F125).
 *
 * Rejected: a 403, which would leave no trace of who tried (S8).
 */
export async function refusePerson(door: Door, items: readonly RefusedItem[]): Promise<ItemResult[]> {
  const results = new Map<RefusedItem, ItemResult>();
  for (const reason of ['invalid', 'not_owner'] as const) {
    const refused = items.filter((item) => item.reason === reason);
    const [first] = refused;
    if (first === undefined) continue;
    const { position } = await rejectWithin(door, first.draft, reason, ONE_ROW, refused.length);
    for (const item of refused) results.set(item, { id: item.id, verdict: 'rejected', reason, position });
  }
  return items.flatMap((item) => results.get(item) ?? []);
}

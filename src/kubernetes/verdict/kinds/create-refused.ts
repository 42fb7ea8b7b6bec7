import { conditionFacts, type ObjectCondition } from '../conditions.ts';
import { reasonOfMessage } from '../reasons/message-words.ts';
import { type Ruling, ruling } from '../verdict.ts';

/** Creating or deleting pods is refused: by a quota, an admission webhook, or else. Some copies may serve all the same. */
export function createRefused(
  failure: ObjectCondition | undefined,
  count: { readonly have: number; readonly want: number },
): Ruling | null {
  if (failure?.status !== 'True') return null;
  const word = failure.reason === 'FailedDelete' ? 'delete_failed' : 'create_failed';
  const reason = reasonOfMessage(failure.message) ?? word;
  const isServing = count.have > 0 || word === 'delete_failed';
  return ruling(isServing ? 'degraded' : 'failed', reason, conditionFacts(failure), count);
}

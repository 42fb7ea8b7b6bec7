import type { Caller } from '../access/caller.ts';
import { type Answer, noService } from '../contract/problem.ts';
import type { Host } from '../evidence/door/host.ts';
import { newAttempt } from '../evidence/door/new-attempt.ts';
import { retryRefusal, unreadable } from '../projection/refusals.ts';
import { type Acted, act, actorOf, type RequestKey, subjectOf } from './acted.ts';

/** Another attempt of the same revision, from the first stage not yet proven: an artifact is not built twice. */
export function retry(
  host: Host,
  caller: Caller,
  ref: string,
  key: RequestKey | null = null,
): Promise<Answer<Acted>> {
  return act(host, caller, ref, key, async (door, file) => {
    if (file === null) return noService();
    const subject = subjectOf(file, door.at);
    if (subject === null) return unreadable();
    const refusal = retryRefusal(subject);
    if (refusal !== null) return refusal;
    const { intent, revision: active } = subject;
    // mutant: retry-attempt-grows
    const attempt = active.attempt.attempt + 1;
    const { actor, source } = actorOf(caller);
    const { service, org } = file;
    const { revision } = active;
    const started = { org, service, revision, attempt, kind: intent.kind, startedAt: door.at };
    await door.tx.append('attempts', newAttempt(started));
    await door.admit(file, {
      kind: 'retry.requested',
      source,
      revision: active.revision,
      attempt,
      body: { actor },
    });
    return { ok: true, revision: active.revision, attempt };
  });
}

import type { RevisionIntent } from '../contract/intent.ts';
import { type Answer, problem } from '../contract/problem.ts';
import type { Outcome } from '../contract/vocabulary.ts';
import type { Caller } from '../evidence/door/caller.ts';
import type { Host } from '../evidence/door/host.ts';
import { newAttempt } from '../evidence/door/new-attempt.ts';
import { type Acted, act, actorOf, type Idempotency } from './acted.ts';

/** Another attempt of the same revision, from the first stage not yet proven: an artifact is not built twice. */
export function retry(
  host: Host,
  caller: Caller,
  ref: string,
  key: Idempotency | null = null,
): Promise<Answer<Acted>> {
  return act(host, caller, ref, key, async (door, file) => {
    const { active, asked } = file ?? {};
    if (!file || active === undefined || asked === undefined)
      return problem('not_found', 'There is no such service.');
    const outcome = active.recorded?.absent ? 'succeeded' : active.attempt.settled?.outcome;
    if (outcome !== 'failed' && outcome !== 'cancelled' && outcome !== 'abandoned') {
      const { why, instead } = whyNot(asked, outcome);
      return problem('retry_not_possible', why, { outcome: outcome ?? 'in_progress', ...instead });
    }
    // mutant: retry-attempt-grows
    const attempt = active.attempt.attempt + 1;
    const { actor, source } = actorOf(caller);
    const { service, org } = file;
    const { revision } = active;
    const started = { org, service, revision, attempt, kind: asked.kind, startedAt: door.at };
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

/** Says what to do instead, and only what would not be refused as well. */
function whyNot({ origin, kind }: RevisionIntent, outcome: Outcome | undefined): WhyNot {
  if (outcome === undefined) return { why: 'It is still in progress.', instead: {} };
  if (origin.kind === 'observe')
    return { why: 'It succeeded, and another tool manages this service; act there.', instead: {} };
  return kind === 'teardown'
    ? { why: 'It succeeded; deploy again to run it.', instead: { instead: 'deploy' } }
    : { why: 'It succeeded; restart it instead.', instead: { instead: 'restart' } };
}

interface WhyNot {
  readonly why: string;
  /** For programs, as a refused cancel has it. */
  readonly instead: { readonly instead?: 'deploy' | 'restart' };
}

import type { Caller } from '../../access/caller.ts';
import type { ObservationRule } from '../../contract/observation.ts';
import { type Answer, invalid } from '../../contract/problem.ts';
import { beatsSchema, issues } from '../../contract/report.ts';
import type { Host } from '../door/host.ts';
import { report } from './report.ts';

/** The answer to heartbeats of several scopes. */
interface BeatsResult {
  readonly now: number;
  readonly observation: ObservationRule | null;
  readonly beats: readonly { readonly scope: string; readonly seq: string; readonly resync: boolean }[];
}

/** True of a request with heartbeats of several scopes. */
export const hasBeats = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'beats' in input && !('complete' in input);

/**
 * Takes heartbeats of several scopes, one after the other and each like a report of its own: one that is stale or on
 * another base harms no other. An agent of a cluster has a scope for each namespace, and most are calm.
 */
export async function reportBeats(
  host: Host,
  caller: Caller,
  target: string,
  input: unknown,
): Promise<Answer<BeatsResult>> {
  const parsed = beatsSchema.safeParse(input);
  if (!parsed.success) return invalid(issues(parsed.error));
  const { beats, ...shared } = parsed.data;
  const answers = [];
  let last: { readonly now: number; readonly observation: ObservationRule | null } | null = null;
  for (const beat of beats) {
    const answer = await report(host, caller, target, { ...shared, ...beat });
    if (!answer.ok) return answer;
    const { seq, resync, now, observation } = answer;
    last = { now, observation };
    answers.push({ scope: beat.scope, seq, resync });
  }
  return { ok: true, now: last?.now ?? 0, observation: last?.observation ?? null, beats: answers };
}

import { authorize } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import type { ObservationRule } from '../../contract/observation.ts';
import { type Answer, invalid } from '../../contract/problem.ts';
import { beatsSchema, issues, parseReport } from '../../contract/report.ts';
import type { Host } from '../door/host.ts';
import { takeCalmReport } from './calm-report.ts';
import { groupItems } from './items.ts';
import type { ReportResult } from './received-report.ts';
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

/** Caps the heartbeats of one transaction, which keeps other reports of the target waiting. */
const BEATS_A_TRANSACTION = 100;

/**
 * Takes heartbeats of several scopes, one after the other and each like a report of its own: one that is stale or on
 * another base harms no other. An agent of a cluster has a scope for each namespace, and most are calm: these share a
 * transaction.
 */
export async function reportBeats(
  host: Host,
  caller: Caller,
  target: string,
  input: unknown,
): Promise<Answer<BeatsResult>> {
  const allowed = authorize(caller, { operation: 'represent', target });
  if (!allowed.ok) return allowed;
  const parsed = beatsSchema.safeParse(input);
  if (!parsed.success) return invalid(issues(parsed.error));
  const { beats, ...shared } = parsed.data;
  const answers = [];
  let last: Pick<BeatsResult, 'now' | 'observation'> = { now: 0, observation: null };
  for (let from = 0; from < beats.length; from += BEATS_A_TRANSACTION) {
    const some = beats.slice(from, from + BEATS_A_TRANSACTION).map((beat) => ({ ...shared, ...beat }));
    const calm = await takeCalmBeats(host, caller, target, some);
    for (const [at, beat] of some.entries()) {
      const answer = calm[at] ?? (await report(host, caller, target, beat));
      if (!answer.ok) return answer;
      const { seq, resync, now, observation } = answer;
      last = { now, observation };
      answers.push({ scope: beat.scope, seq, resync });
    }
  }
  return { ok: true, ...last, beats: answers };
}

/** The answers to calm ones, by their place; null for one that has to come alone. */
function takeCalmBeats(
  host: Host,
  caller: Caller,
  target: string,
  beats: readonly object[],
): Promise<readonly (Answer<ReportResult> | null)[]> {
  return host.store.transact(async (tx) => {
    const answers = [];
    for (const beat of beats) {
      const parsed = parseReport(beat);
      const received = parsed.ok && {
        ...{ caller, target, report: parsed.report },
        items: groupItems(parsed.report, target),
      };
      answers.push(received ? await takeCalmReport(tx, host, { ...received, content: null }) : null);
    }
    return answers;
  }, 'liveness');
}

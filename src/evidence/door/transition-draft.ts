import type { Owner } from '../../contract/vocabulary.ts';
import { citedEvidence } from '../../projection/cited.ts';
import type { Standing } from '../../projection/standing.ts';
import { guarded } from '../../projection/transitions.ts';
import type { TransitionRow } from '../../store/schema.ts';
import type { ServiceFile } from './service-file.ts';

/** A change of a claim, before it has a position. */
export type TransitionDraft = Pick<
  TransitionRow,
  'at' | 'from' | 'to' | 'owner' | 'evidence' | 'revision' | 'attempt' | 'stage'
>;

/** The owner and evidence of a change of claim, and when it happened. */
export interface RecordedTrigger {
  readonly owner: Owner;
  readonly evidence: string;
  readonly at: number;
  /** The instant at which it is recorded. */
  readonly now: number;
}

/**
 * The transition from the recorded claim to the judged one; null if they are the same. A pair that the table does
 * not list is returned as well.
 */
export function draftTransition(
  { active, recorded: was }: ServiceFile,
  judged: Standing,
  { owner, evidence, at, now }: RecordedTrigger,
): { readonly transition: TransitionDraft | null; readonly unlisted: string | null } {
  if (active === undefined) return { transition: null, unlisted: null };
  const { revision } = active;
  const { attempt } = active.attempt;
  const goesOn = was !== null && was.revision === revision && was.attempt === attempt;
  if (goesOn && was.state === judged.state) return { transition: null, unlisted: null };
  const { standing, alarm } = guarded(judged, was, revision, attempt);
  const unlisted = alarm ? `unlisted transition ${was?.state ?? 'nothing'} to ${judged.state}` : null;
  if (goesOn && was.state === standing.state) return { transition: null, unlisted };
  // Time alone creates no revision: one that a deadline made active begins with the row that records it.
  const fired = goesOn ? Math.max(was.since, Math.min(at, standing.since)) : now;
  const { state: to, stage } = standing;
  const from = was?.state ?? null;
  const transition = {
    revision,
    attempt,
    stage,
    owner,
    evidence,
    from,
    to,
    at: owner === 'clock' ? fired : at,
  };
  return { transition, unlisted };
}

/** The evidence that a transition by time alone cites: the newest of the state before it. */
export function expiredEvidence(
  { active, proven }: Pick<ServiceFile, 'active' | 'proven'>,
  standing: Standing,
): string {
  if (active === undefined) return '';
  return citedEvidence(active, proven, standing).at(-1) ?? '';
}

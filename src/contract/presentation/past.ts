import type { AttemptView, RevisionView } from '../answers/views.ts';
import type { Claim } from '../claim.ts';
import type { ProblemCode } from '../problem.ts';
import type { Stop } from './life.ts';
import { clockTime, dayBefore, preciseTime } from './times.ts';

/** The revisions as they were recorded at an instant: without later ones, and with attempts that had not ended yet. */
export function revisionsAt(revisions: readonly RevisionView[], claim: Claim, ms: number): RevisionView[] {
  return revisions
    .filter(({ createdAt }) => Date.parse(createdAt) <= ms)
    .map((revision) => ({
      ...revision,
      // An artifact that was built later is left out: for the active revision the claim has the artifact of that instant.
      artifact: revision.revision === claim.desired.revision ? claim.desired.artifact : revision.artifact,
      attempts: revision.attempts
        .filter(({ startedAt }) => Date.parse(startedAt) <= ms)
        .map((attempt) => attemptAt(attempt, ms)),
      recoveries: revision.recoveries.filter(({ at }) => Date.parse(at) <= ms),
    }));
}

function attemptAt(attempt: AttemptView, ms: number): AttemptView {
  if (attempt.endedAt !== null && Date.parse(attempt.endedAt) <= ms) return attempt;
  let left = ms - Date.parse(attempt.startedAt);
  const stages: AttemptView['stages'] = [];
  for (const { stage, ms: took } of attempt.stages) {
    if (left <= 0) break;
    stages.push({ stage, ms: Math.min(took, left) });
    left -= took;
  }
  return { ...attempt, outcome: 'in_progress', endedAt: null, stages };
}

/** Says that a page shows the past. `now` and `at` are of the server's clock. */
export const pastSentence = (at: number, now: number): string =>
  `This is what was known at ${dayBefore(at, now)}${preciseTime(at)}.`;

interface NoPast {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly earliest?: string | undefined;
}

/** Says why an instant cannot be shown, and which can. `now` is of the server's clock. */
export function whyNoPast(
  { code, detail, earliest }: NoPast,
  at: string,
  first: Stop | null,
  now: number,
): string {
  const ms = Date.parse(at);
  const when = (instant: number) => `${dayBefore(instant, now)}${clockTime(instant)}`;
  if (code === 'before_retention' && earliest !== undefined)
    return `What was known at ${when(ms)} has moved to the archive. The earliest that is kept here is ${when(Date.parse(earliest))}.`;
  if (code === 'not_found' && first === null) return `At ${when(ms)} nobody had requested it yet.`;
  if (code === 'not_found' && first !== null && ms < first.ms)
    return `At ${when(ms)} nobody had requested it yet. It was first requested at ${when(first.ms)}.`;
  return detail;
}

import { compareDigits } from '../contract/digits.ts';
import type { ObservedBody } from '../contract/evidence.ts';
import type { ServiceEntry } from '../contract/report.ts';
import type { Mark, Observed, ObservedPart, Proven } from './facts.ts';
import { activeOf } from './queue.ts';

/**
 * Keeps the workload that a rule of the target found, after the entry itself is gone: only then can a report under the
 * same rule say that it was removed, and one under another rule that it is no longer observed.
 */
export function workloadAfter(
  proven: Proven,
  { entry, scope, observation = 0, identityEpoch = '0' }: ObservedBody,
  mark: Mark,
): Pick<Observed, 'workload' | 'commits'> {
  const { workload: known, commits, parts } = proven.observed;
  const shown = entry?.workload;
  if (shown != null)
    return {
      workload: {
        workload: shown,
        scope,
        version: observation,
        evidence: mark.id,
        scopeVersion: observation,
      },
      ...commitsAfter(proven, entry),
    };
  if (known === undefined) return {};
  const before = parts.find((part) => part.scope === scope);
  const isElsewhere = before !== undefined && compareDigits(before.epoch, identityEpoch) < 0;
  return {
    workload:
      known.scope === scope
        ? { ...known, scopeVersion: observation, ...(isElsewhere && { isElsewhere }) }
        : known,
    ...(commits === undefined ? {} : { commits }),
  };
}

const COMMITS_KEPT = 50;

/**
 * The first commit that the cluster names while a revision is the active one. The tool that deployed it says it only
 * afterwards; what it names later made no other template. A template that is not settled is of no revision yet.
 */
function commitsAfter(proven: Proven, entry: ServiceEntry | null): Pick<Observed, 'commits'> {
  const { commits = [] } = proven.observed;
  const commit = entry?.workload?.commit;
  const revision = activeOf(proven)?.revision;
  const isNews =
    commit != null &&
    entry?.template != null &&
    revision !== undefined &&
    !commits.some((one) => one.revision === revision);
  const after = isNews ? [...commits, { revision, commit }].slice(-COMMITS_KEPT) : commits;
  return after.length === 0 ? {} : { commits: after };
}

/**
 * The only scope whose reports speak of a workload that a rule found; `*`: those of any. A namespace of a cluster shows
 * what is in it and nothing else, so that the reports of others neither show the workload nor prove it gone.
 */
export function scopeOfWorkload({ workload, parts }: Observed): string {
  if (workload === undefined || parts.some(({ scope }) => scope !== workload.scope)) return '*';
  return workload.scope;
}

/** The fate of a workload that a rule had found: it is there, it was removed, or the rule no longer covers it. */
type WorkloadFate = 'there' | 'removed' | 'not_observed';

/** Decided by the newest row of its scope. A report that is not complete, or could not be read, shows no absence. */
export function workloadFate({ workload: known, parts }: Observed): WorkloadFate {
  if (known === undefined) return 'there';
  const part = parts.find(({ scope }) => scope === known.scope);
  if (part === undefined || part.entry !== null || !isWhole(part)) return 'there';
  if (known.isElsewhere) return 'not_observed';
  // mutant: gone-under-its-rule
  return known.scopeVersion === known.version ? 'removed' : 'not_observed';
}

const isWhole = ({ mark, completeMark, corrupt }: ObservedPart) => completeMark?.id === mark.id && !corrupt;

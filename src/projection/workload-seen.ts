import type { ObservedBody } from '../contract/evidence.ts';
import type { Mark, Observed, ObservedPart } from './facts.ts';

/**
 * Keeps the workload that a rule of the target found, after the entry itself is gone: only then can a report under the
 * same rule say that it was removed, and one under another rule that it is no longer observed.
 */
export function workloadAfter(
  { workload: known }: Observed,
  { entry, scope, observation = 0 }: ObservedBody,
  mark: Mark,
): Pick<Observed, 'workload'> {
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
    };
  if (known === undefined) return {};
  return { workload: known.scope === scope ? { ...known, scopeVersion: observation } : known };
}

/** The fate of a workload that a rule had found: it is there, it was removed, or the rule no longer covers it. */
type WorkloadFate = 'there' | 'removed' | 'not_observed';

/** Decided by the newest row of its scope. A report that is not complete, or could not be read, shows no absence. */
export function workloadFate({ workload: known, parts }: Observed): WorkloadFate {
  if (known === undefined) return 'there';
  const part = parts.find(({ scope }) => scope === known.scope);
  if (part === undefined || part.entry !== null || !isWhole(part)) return 'there';
  return known.scopeVersion === known.version ? 'removed' : 'not_observed';
}

const isWhole = ({ mark, completeMark, corrupt }: ObservedPart) => completeMark?.id === mark.id && !corrupt;

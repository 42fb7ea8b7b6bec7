import type { DeniedPermission } from '../../contract/report.ts';
import type { ClusterProblem } from './problem.ts';

/** `pods is forbidden: User "x" cannot list resource "pods" in API group "" in the namespace "shop"` */
const DENIED = /\bcannot (get|list|watch) resource "([a-z0-9-]+)"(?: in API group "([a-z0-9.-]*)")?/;

/** The permission that a refusal names, as verb and resource: nothing else of its text is taken over (S15). Pure. */
function deniedBy(problem: ClusterProblem | null): DeniedPermission | null {
  const [, verb, resource, group = ''] =
    problem?.kind === 'forbidden' ? (DENIED.exec(problem.message) ?? []) : [];
  if (verb === undefined || resource === undefined) return null;
  return {
    verb: verb as DeniedPermission['verb'],
    resource: group === '' ? resource : `${resource}.${group}`,
  };
}

/** Each permission once, in order. */
export function deniedIn(problems: readonly (ClusterProblem | null)[]): readonly DeniedPermission[] {
  const found = new Map(
    problems.flatMap((problem) => {
      const denied = deniedBy(problem);
      return denied === null ? [] : [[`${denied.resource} ${denied.verb}`, denied] as const];
    }),
  );
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, denied]) => denied);
}

import type { Origin, RevisionIntent } from '../../contract/intent.ts';
import type { ServiceEntry } from '../../contract/report.ts';
import type { ServiceFile } from '../door/service-file.ts';

/** A revision before it has a number. */
export type NewRevision = Omit<RevisionIntent, 'revision' | 'createdAt'>;

/**
 * In observe mode another tool deploys: a pod template that differs from the active revision's becomes a revision of
 * kind `observed`, and the template's hash takes the place of the stamp. Null if there is no such template.
 */
export function newTemplate(
  { activeIntent }: Pick<ServiceFile, 'activeIntent'>,
  entry: ServiceEntry | null,
): NewRevision | null {
  if (activeIntent?.origin.kind !== 'observe' || !entry?.template || entry.template === activeIntent.template)
    return null;
  const {
    org: _org,
    service: _service,
    revision: _revision,
    createdAt: _createdAt,
    ...intent
  } = activeIntent;
  return {
    ...intent,
    kind: 'observed',
    origin: observedOrigin(entry.workload),
    template: entry.template,
    correlation: null,
    replicas: entry.replicas ?? activeIntent.replicas,
    git: null,
  };
}

/** A revision keeps the workload that it was first seen as: its images, and who deployed it. */
export const observedOrigin = (workload: ServiceEntry['workload']): Origin =>
  workload == null ? { kind: 'observe' } : { kind: 'observe', workload };

import type { ObservedBody } from '../../contract/evidence.ts';
import type { Origin, RevisionIntent } from '../../contract/intent.ts';
import type { ServiceEntry } from '../../contract/report.ts';
import { templateOf } from '../../projection/running-contract.ts';
import type { ServiceFile } from '../door/service-file.ts';

/** A revision before it has a number. */
export type NewRevision = Omit<RevisionIntent, 'revision' | 'createdAt'>;

/**
 * In observe mode another tool deploys: a pod template that differs from the active revision's becomes a revision of
 * kind `observed`, and the template's hash takes the place of the stamp. Null if there is no such template.
 */
export function newTemplate(
  file: Pick<ServiceFile, 'activeIntent' | 'active'>,
  entry: ServiceEntry | null,
): NewRevision | null {
  const { activeIntent, active } = file;
  if (activeIntent?.origin.kind !== 'observe' || active === undefined || !entry?.template) return null;
  if (entry.template === templateOf(activeIntent, active) || firstTemplate(file, entry) !== null) return null;
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

/**
 * A workload that was found before its controller had made anything of it, such as a Deployment that was created paused,
 * has a revision without a template. The first one that is seen is that revision's: nothing was changed.
 */
export function firstTemplate(
  { activeIntent, active }: Pick<ServiceFile, 'activeIntent' | 'active'>,
  entry: ServiceEntry | null,
): ObservedBody['adopts'] | null {
  if (activeIntent?.origin.kind !== 'observe' || activeIntent.origin.workload === undefined) return null;
  if (active === undefined || !entry?.template || templateOf(activeIntent, active) !== null) return null;
  return { revision: active.revision, template: entry.template };
}

/** A revision keeps the workload that it was first seen as: its images, and who deployed it. */
export const observedOrigin = (workload: ServiceEntry['workload']): Origin =>
  workload == null ? { kind: 'observe' } : { kind: 'observe', workload };

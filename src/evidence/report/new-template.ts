import type { RevisionIntent } from '../../contract/intent.ts';
import type { ServiceEntry } from '../../contract/report.ts';
import type { ServiceFile } from '../door/service-file.ts';

/** A revision before it has a number. */
export type NewRevision = Omit<RevisionIntent, 'revision' | 'createdAt'>;

/**
 * In observe mode another tool deploys: a pod template that differs from the active revision's becomes a revision of
 * kind `observed`, and the template's hash takes the place of the stamp. Null if there is no such template.
 */
export function newTemplate(
  { activeIntent: asked }: Pick<ServiceFile, 'activeIntent'>,
  entry: ServiceEntry | null,
): NewRevision | null {
  if (asked?.origin.kind !== 'observe' || !entry?.template || entry.template === asked.template) return null;
  const { org: _org, service: _service, revision: _revision, createdAt: _createdAt, ...intent } = asked;
  return {
    ...intent,
    kind: 'observed',
    template: entry.template,
    correlation: null,
    replicas: entry.replicas ?? asked.replicas,
    git: null,
  };
}

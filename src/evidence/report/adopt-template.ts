import type { ServiceEntry } from '../../contract/report.ts';
import type { Door } from '../door/door.ts';
import { recordRevision } from '../door/record-revision.ts';
import type { ServiceFile } from '../door/service-file.ts';

/**
 * In observe mode another tool deploys: a pod template that was not seen before is recorded as a revision of kind
 * `observed`, and its hash takes the place of the stamp. True: one was recorded, and the report has to judge it.
 */
export async function recordObserved(
  door: Door,
  file: ServiceFile,
  entry: ServiceEntry | null,
): Promise<boolean> {
  const asked = file.asked;
  if (asked?.origin.kind !== 'observe' || !entry?.template || entry.template === asked.template) return false;
  const { org: _org, service: _service, revision: _revision, createdAt: _createdAt, ...intent } = asked;
  await recordRevision(
    door,
    file,
    {
      ...intent,
      kind: 'observed',
      template: entry.template,
      correlation: null,
      replicas: entry.replicas ?? asked.replicas,
      git: null,
    },
    { role: 'api', name: 'observe', instance: 'report' },
    { queued: false, seen: true },
  );
  return true;
}

import { fieldsAt, listAt, type ObjectFields, own, textAt } from '../verdict/fields.ts';

/** The tool that deploys a workload, as far as it left a mark; else whoever wrote its spec last. */
export interface ManagedBy {
  readonly tool: 'argocd' | 'flux' | 'helm' | 'other';
  /** Application, release or field manager. */
  readonly name: string;
}

const text = (fields: ObjectFields, key: string) => {
  const value = own(fields, key);
  return typeof value === 'string' && value !== '' ? value : null;
};

/** Only these marks of the annotations are read; the annotations themselves are not kept. */
export function managedByOf(object: ObjectFields): ManagedBy | null {
  const labels = fieldsAt(object, 'metadata.labels');
  const annotations = fieldsAt(object, 'metadata.annotations');
  const tracking = text(annotations, 'argocd.argoproj.io/tracking-id');
  const argo = tracking?.split(':')[0] ?? text(labels, 'argocd.argoproj.io/instance');
  if (argo) return { tool: 'argocd', name: argo };
  const flux =
    text(labels, 'kustomize.toolkit.fluxcd.io/name') ?? text(labels, 'helm.toolkit.fluxcd.io/name');
  if (flux !== null) return { tool: 'flux', name: flux };
  const release = text(annotations, 'meta.helm.sh/release-name');
  if (release !== null) return { tool: 'helm', name: release };
  const writers = listAt(object, 'metadata.managedFields')
    .filter(
      (entry) => text(entry, 'subresource') === null && Object.hasOwn(fieldsAt(entry, 'fieldsV1'), 'f:spec'),
    )
    .toSorted((a, b) => (textAt(b, 'time') ?? '').localeCompare(textAt(a, 'time') ?? ''));
  const name = writers.map((entry) => text(entry, 'manager')).find((manager) => manager !== null);
  return name === undefined || name === null ? null : { tool: 'other', name };
}

/** Managers of fields of the pod template: one that is not ours has changed what runs (rule 3). */
export function templateManagersOf(object: ObjectFields): readonly string[] {
  const managers = listAt(object, 'metadata.managedFields').flatMap((entry) => {
    const isTemplate = Object.hasOwn(fieldsAt(entry, 'fieldsV1.f:spec'), 'f:template');
    return isTemplate ? (text(entry, 'manager') ?? []) : [];
  });
  return [...new Set(managers)];
}

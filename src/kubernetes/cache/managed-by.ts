import { fieldsAt, listAt, type ObjectFields, own, textAt } from '../verdict/fields.ts';
import { interned } from './intern.ts';

/** The tool that deploys a workload, as far as it left a mark; else whoever wrote its spec last. */
interface ManagedBy {
  readonly tool: 'argocd' | 'flux' | 'helm' | 'other';
  /** Application, release or field manager. */
  readonly name: string;
  /** The object that deploys it, where its marks name one: its status may say which commit. */
  readonly deployer?: Deployer;
}

/** An Application of Argo CD; a Kustomization or HelmRelease of Flux. Null namespace: the marks do not name it. */
export interface Deployer {
  readonly kind: 'Application' | 'Kustomization' | 'HelmRelease';
  readonly namespace: string | null;
  readonly name: string;
}

/** The origin of a workload as its own marks name it. */
export interface Provenance {
  readonly managedBy: ManagedBy | null;
  /** The writer of the template that the cluster recorded last. */
  readonly fieldManager: string | null;
  readonly release: string | null;
  readonly commit: string | null;
}

const text = (fields: ObjectFields, key: string) => {
  const value = own(fields, key);
  return typeof value === 'string' && value !== '' ? interned(value) : null;
};

/** Only these marks of labels and annotations are read; the annotations themselves are not kept (S15). */
export function provenanceOf(object: ObjectFields): Provenance {
  const labels = fieldsAt(object, 'metadata.labels');
  const annotations = fieldsAt(object, 'metadata.annotations');
  return {
    managedBy: managedByOf(object, labels, annotations),
    fieldManager: asKnown(writersOf(object, hasTemplate)[0]) ?? null,
    release: releaseOf(labels, annotations),
    commit: commitIn(annotations, labels),
  };
}

function managedByOf(
  object: ObjectFields,
  labels: ObjectFields,
  annotations: ObjectFields,
): ManagedBy | null {
  const writers = writersOf(object, () => true);
  const instance = text(labels, 'app.kubernetes.io/instance');
  const argo =
    text(annotations, 'argocd.argoproj.io/tracking-id')?.split(':')[0] ??
    text(labels, 'argocd.argoproj.io/instance') ??
    // Its default label is also everybody's: it counts only where Argo CD wrote the spec.
    (writers[0]?.startsWith('argocd') ? instance : null);
  if (argo) return { tool: 'argocd', name: argo, deployer: applicationOf(argo) };
  const flux = fluxOf(labels, 'kustomize', 'Kustomization') ?? fluxOf(labels, 'helm', 'HelmRelease');
  if (flux !== null) return flux;
  const release = text(annotations, 'meta.helm.sh/release-name');
  if (release !== null) return { tool: 'helm', name: release };
  const said = text(labels, 'app.kubernetes.io/managed-by');
  if (said === 'Helm') return { tool: 'helm', name: instance ?? 'no release' };
  const name = asKnown(said ?? writers[0]);
  return name === undefined ? null : { tool: 'other', name };
}

/** The names under which kubectl writes, as people know them. */
const WRITERS: Readonly<Record<string, string>> = {
  'kubectl-client-side-apply': 'kubectl apply',
  kubectl: 'kubectl apply',
  'kubectl-create': 'kubectl create',
  'kubectl-edit': 'kubectl edit',
  'kubectl-patch': 'kubectl patch',
  'kubectl-set': 'kubectl set',
  'kubectl-run': 'kubectl run',
  'kubectl-expose': 'kubectl expose',
  'kubectl-rollout': 'kubectl rollout',
};

const asKnown = (writer: string | undefined): string | undefined =>
  writer !== undefined && Object.hasOwn(WRITERS, writer) ? WRITERS[writer] : writer;

/** `NAMESPACE_NAME` where Applications live in several namespaces; no name of Kubernetes has a `_`. */
function applicationOf(tracked: string): Deployer {
  const at = tracked.indexOf('_');
  const namespace = at < 0 ? null : tracked.slice(0, at);
  return { kind: 'Application', namespace, name: tracked.slice(at + 1) };
}

function fluxOf(
  labels: ObjectFields,
  group: string,
  kind: 'Kustomization' | 'HelmRelease',
): ManagedBy | null {
  const name = text(labels, `${group}.toolkit.fluxcd.io/name`);
  if (name === null) return null;
  const namespace = text(labels, `${group}.toolkit.fluxcd.io/namespace`);
  return { tool: 'flux', name, deployer: { kind, namespace, name } };
}

/** The release and its chart: `web (web-1.4.2)`. */
function releaseOf(labels: ObjectFields, annotations: ObjectFields): string | null {
  const release = text(annotations, 'meta.helm.sh/release-name');
  const chart = text(labels, 'helm.sh/chart');
  return release === null || chart === null ? (release ?? chart) : interned(`${release} (${chart})`);
}

const COMMIT = /^[0-9a-f]{7,64}$/;

/** The one name for it that images and objects have in common. */
function commitIn(...marks: readonly ObjectFields[]): string | null {
  const found = marks.map((one) => text(one, 'org.opencontainers.image.revision'));
  return found.find((commit) => commit !== null && COMMIT.test(commit)) ?? null;
}

const hasTemplate = (spec: ObjectFields) =>
  Object.hasOwn(spec, 'f:template') || Object.hasOwn(spec, 'f:jobTemplate');

/** The writers of the spec, or of a part of it, the last first. */
function writersOf(object: ObjectFields, isWritten: (spec: ObjectFields) => boolean): string[] {
  return listAt(object, 'metadata.managedFields')
    .filter(
      (entry) =>
        text(entry, 'subresource') === null &&
        Object.hasOwn(fieldsAt(entry, 'fieldsV1'), 'f:spec') &&
        isWritten(fieldsAt(entry, 'fieldsV1.f:spec')),
    )
    .toSorted((a, b) => (textAt(b, 'time') ?? '').localeCompare(textAt(a, 'time') ?? ''))
    .flatMap((entry) => text(entry, 'manager') ?? []);
}

/** Managers of fields of the pod template: one that is not ours has changed what runs (rule 3). */
export function templateManagersOf(object: ObjectFields): readonly string[] {
  const managers = listAt(object, 'metadata.managedFields').flatMap((entry) => {
    const isTemplate = Object.hasOwn(fieldsAt(entry, 'fieldsV1.f:spec'), 'f:template');
    return isTemplate ? (text(entry, 'manager') ?? []) : [];
  });
  return [...new Set(managers)];
}

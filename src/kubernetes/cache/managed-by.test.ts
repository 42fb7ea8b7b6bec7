import { describe, expect, it } from 'vitest';
import { provenanceOf } from './managed-by.ts';

const writer = (manager: string, time: string, written: object = { 'f:template': {} }) => ({
  manager,
  time: `2026-01-01T00:00:${time}Z`,
  fieldsV1: { 'f:spec': written },
});
const object = (labels: object, annotations: object = {}, managedFields: object[] = []) => ({
  metadata: { labels, annotations: { ...annotations, password: 'hunter2' }, managedFields },
});

describe('the origin of a workload', () => {
  it('is the Application of Argo CD that tracks it, wherever that lives', () => {
    const tracked = (id: string) => provenanceOf(object({}, { 'argocd.argoproj.io/tracking-id': id }));
    expect(tracked('shop:apps/Deployment:shop/web').managedBy).toEqual({
      tool: 'argocd',
      name: 'shop',
      deployer: { kind: 'Application', namespace: null, name: 'shop' },
    });
    expect(tracked('team-a_shop:apps/Deployment:shop/web').managedBy?.deployer).toEqual({
      kind: 'Application',
      namespace: 'team-a',
      name: 'shop',
    });
  });

  it('is Argo CD by a label that everybody uses only where Argo CD wrote the spec', () => {
    const labels = { 'app.kubernetes.io/instance': 'shop', 'app.kubernetes.io/managed-by': 'Helm' };
    expect(provenanceOf(object(labels, {}, [writer('argocd-controller', '01')])).managedBy).toMatchObject({
      tool: 'argocd',
      name: 'shop',
    });
    expect(provenanceOf(object(labels, {}, [writer('helm', '01')])).managedBy).toEqual({
      tool: 'helm',
      name: 'shop',
    });
  });

  it('is the Kustomization or HelmRelease of Flux', () => {
    const of = (group: string) => ({
      [`${group}.toolkit.fluxcd.io/name`]: 'shop',
      [`${group}.toolkit.fluxcd.io/namespace`]: 'flux-system',
    });
    expect(provenanceOf(object(of('kustomize'))).managedBy?.deployer).toEqual({
      kind: 'Kustomization',
      namespace: 'flux-system',
      name: 'shop',
    });
    const helm = provenanceOf(object(of('helm'), { 'meta.helm.sh/release-name': 'web' }));
    expect(helm).toMatchObject({
      managedBy: { tool: 'flux', deployer: { kind: 'HelmRelease' } },
      release: 'web',
    });
  });

  it('has release and chart of Helm, and a commit where the object itself names one', () => {
    const labels = { 'helm.sh/chart': 'web-1.4.2' };
    const annotations = {
      'meta.helm.sh/release-name': 'web',
      'org.opencontainers.image.revision': '3f9c2e1d00aa',
    };
    expect(provenanceOf(object(labels, annotations))).toMatchObject({
      managedBy: { tool: 'helm', name: 'web' },
      release: 'web (web-1.4.2)',
      commit: '3f9c2e1d00aa',
    });
    const other = { 'org.opencontainers.image.revision': 'password: hunter2' };
    expect(provenanceOf(object({}, other)).commit, 'free text is no commit').toBeNull();
  });

  it('names whoever wrote the template last, not whoever wrote something else later', () => {
    const writers = [
      writer('ci', '02'),
      writer('kubectl-set', '01'),
      writer('hpa', '03', { 'f:replicas': {} }),
    ];
    expect(provenanceOf(object({}, {}, writers))).toMatchObject({ fieldManager: 'ci' });
  });

  it('calls kubectl by the command that people type', () => {
    const found = provenanceOf(object({}, {}, [writer('kubectl-client-side-apply', '01')]));
    expect(found).toMatchObject({ managedBy: { name: 'kubectl apply' }, fieldManager: 'kubectl apply' });
  });

  it('holds no annotation but the named ones (S15)', () => {
    expect(JSON.stringify(provenanceOf(object({}, { 'meta.helm.sh/release-name': 'web' })))).not.toContain(
      'hunter2',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { installManifests } from './install-manifests.ts';

const options = {
  target: 'prod',
  server: 'https://evident.example',
  image: 'evident:1',
  home: 'evident',
  defaultNamespace: null,
};

/** Every rule of every role that is printed. */
const rulesOf = (manifests: readonly object[]) =>
  manifests.flatMap((one) => (one as { rules?: { resources: string[]; verbs: string[] }[] }).rules ?? []);

describe('the manifests of an agent inside a cluster', () => {
  it.each([[[]], [['shop', 'bank']]])(
    'read, write nothing, and see no Secret (namespaces %j)',
    (namespaces) => {
      const rules = rulesOf(installManifests({ ...options, namespaces }));
      expect(new Set(rules.flatMap(({ verbs }) => verbs))).toEqual(new Set(['get', 'list', 'watch']));
      const resources = rules.flatMap((rule) => rule.resources);
      expect(resources).not.toContain('secrets');
      expect(resources).not.toContain('configmaps');
      expect(resources).not.toContain('*');
    },
  );

  it('give workloads of named namespaces alone, where namespaces are named', () => {
    const manifests = installManifests({ ...options, namespaces: ['shop'] });
    const ofCluster = manifests.filter((one) => (one as { kind: string }).kind === 'ClusterRole');
    expect(rulesOf(ofCluster).flatMap(({ resources }) => resources)).toEqual(['nodes', 'namespaces']);
    const roles = manifests.filter((one) => (one as { kind: string }).kind === 'Role');
    expect(roles.map((one) => (one as { metadata: { namespace: string } }).metadata.namespace)).toEqual([
      'kube-node-lease',
      'shop',
    ]);
  });

  it('run one agent at a time, not as root, on a root file system that it cannot write', () => {
    const manifest = installManifests({ ...options, namespaces: [] }).at(-1);
    expect(manifest).toMatchObject({
      kind: 'Deployment',
      spec: {
        replicas: 1,
        strategy: { type: 'Recreate' },
        template: {
          spec: {
            securityContext: { runAsNonRoot: true },
            containers: [
              { securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false } },
            ],
          },
        },
      },
    });
  });
});

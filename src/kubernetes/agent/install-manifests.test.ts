import { describe, expect, it } from 'vitest';
import { installManifests } from './install-manifests.ts';

const options = {
  target: 'prod',
  server: 'https://evident.example',
  image: 'evident:1',
  home: 'evident',
  defaultNamespace: null,
};

interface InstalledManifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly {
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
  readonly subjects?: readonly object[];
}

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

  it('let an agent that deploys write in its own namespace alone, and still read no Secret', () => {
    const manifests = installManifests({
      ...options,
      ...{ namespaces: [], defaultNamespace: 'apps', deploys: true },
    }) as readonly InstalledManifest[];
    const writing = manifests.filter(({ rules = [] }) =>
      rules.some(({ verbs }) => verbs.some((verb) => !['get', 'list', 'watch'].includes(verb))),
    );
    expect(writing.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([['Role', 'apps']]);
    const ofSecrets = rulesOf(manifests).filter(({ resources }) => resources.includes('secrets'));
    expect(ofSecrets.flatMap(({ verbs }) => verbs)).toEqual(['create', 'patch', 'delete']);
    expect(JSON.stringify(manifests.at(-1))).toContain('"--deploy"');
  });

  it('give an agent of named namespaces a Role in each, two small ones, and nothing of the whole cluster', () => {
    const manifests = installManifests({ ...options, namespaces: ['shop'] }) as readonly InstalledManifest[];
    expect(manifests.filter(({ kind }) => kind.startsWith('Cluster'))).toEqual([]);
    const roles = manifests.filter(({ kind }) => kind === 'Role');
    expect(
      roles.map(({ metadata, rules }) => [
        metadata.namespace,
        rules?.flatMap(({ resources, resourceNames = ['*'], verbs }) =>
          [resources, resourceNames, verbs].map(String),
        ),
      ]),
    ).toEqual([
      ['kube-system', ['namespaces', 'kube-system', 'get']],
      ['kube-node-lease', ['leases', '*', 'get,list,watch']],
      ['shop', expect.arrayContaining(['jobs,cronjobs'])],
    ]);
  });

  it('bind every role to the account of the agent, and to nobody else', () => {
    for (const namespaces of [[], ['shop', 'bank']]) {
      const manifests = installManifests({ ...options, namespaces }) as readonly InstalledManifest[];
      const bindings = manifests.filter(({ subjects }) => subjects !== undefined);
      expect(bindings).toHaveLength(manifests.filter(({ rules }) => rules !== undefined).length);
      for (const { subjects } of bindings)
        expect(subjects).toEqual([{ kind: 'ServiceAccount', name: 'evident-agent', namespace: 'evident' }]);
    }
  });

  it('name server and token in the same place, since a token goes to no other server (F126)', () => {
    const text = JSON.stringify(installManifests({ ...options, namespaces: [] }).at(-1));
    expect(text).toContain('{"name":"EVIDENT_SERVER","value":"https://evident.example"}');
    expect(text).toContain('"name":"EVIDENT_TOKEN"');
    expect(text).not.toContain('--server');
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

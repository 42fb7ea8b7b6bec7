import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { ok } from '../server/parties.ts';
import { deployment, nameOf, PROBED, SLEEP, useFaultLab } from './fault-lab.ts';
import { describeWithCluster } from './own-cluster.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const reading = (namespace: string) => `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: evident, namespace: ${namespace}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: evident, namespace: bank}]
---`;

const ROLES = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: evident, namespace: bank}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: evident}
rules:
  - {apiGroups: [""], resources: [nodes, namespaces], verbs: [get, list, watch]}
  - {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: evident}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: evident}
subjects: [{kind: ServiceAccount, name: evident, namespace: bank}]
---${reading('shop')}${reading('bank')}`;

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: carts.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: carts, singular: cart, kind: Cart}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`;

const kubeconfigOf = (server: string) =>
  JSON.stringify({
    clusters: [{ name: 'lab', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'agent', user: { tokenFile: 'agent-token' } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'agent' } }],
    'current-context': 'lab',
  });

describeWithCluster(
  'a control plane that freezes, dies or refuses, from the cluster to the claim',
  (cluster) => {
    const { api, apply, kubectl, log, observers } = useFaultLab(cluster, [
      deployment('web', PROBED, { replicas: 2 }),
    ]);

    it('is unknown, watch_stalled, while etcd is frozen though bookmarks come, then running (F66)', async () => {
      const web = await log(nameOf('web'));
      await web.becomes({ state: 'running' });
      const mark = web.mark;
      cluster().freeze('etcd');
      try {
        await wait(20_000);
        await web.becomes({
          state: 'unknown',
          cause: { code: 'watch_stalled' },
          lastKnown: { state: 'running' },
        });
      } finally {
        cluster().thaw('etcd');
      }
      await web.becomes({ state: 'running' });
      expect(web.statesSince(mark)).toBe('running, unknown');
    });

    it('is unknown while the API server is frozen, killed and restarted, then running, and never red (F60, F78)', async () => {
      const web = await log(nameOf('web'));
      await web.becomes({ state: 'running' });
      const mark = web.mark;
      cluster().freeze('apiserver');
      try {
        await wait(15_000);
        await web.becomes({ state: 'unknown' });
      } finally {
        cluster().thaw('apiserver');
      }
      await web.becomes({ state: 'running' });
      await cluster().stop('apiserver');
      await web.becomes({ state: 'unknown', cause: { code: 'runtime_unreachable' } });
      await cluster().start('apiserver');
      await web.becomes({ state: 'running' });
      expect(web.statesSince(mark)).toBe('running, unknown');
    });

    it('forbids one scope and harms no other: RBAC revoked, token expired, CRD removed (F77)', async () => {
      const [tokenFile, kubeconfig] = [
        join(cluster().dir, 'agent-token'),
        join(cluster().dir, 'edge-kubeconfig'),
      ];
      await apply(ROLES);
      const token = async () => (await kubectl(['-n', 'bank', 'create', 'token', 'evident'])).trim();
      writeFileSync(tokenFile, await token());
      const server = await kubectl(['config', 'view', '-o', 'jsonpath={.clusters[0].cluster.server}']);
      writeFileSync(kubeconfig, kubeconfigOf(server));
      await apply(deployment('vault', SLEEP, { namespace: 'bank' }));
      ok(await api().call('PUT', '/v1/targets/edge/observation', { body: { namespaces: ['*'] } }));
      await observers.agent(api(), { kubeconfig, target: 'edge', namespaces: ['shop', 'bank'] });
      const [web, vault] = [await log('web.shop@edge'), await log('vault.bank@edge')];
      await web.becomes({ state: 'running' });
      await vault.becomes({ state: 'running' });
      const mark = vault.mark;
      await apply(DEFINITION);
      await kubectl(['wait', '--for=condition=Established', 'crd/carts.shop.example']);
      await kubectl(['delete', 'crd', 'carts.shop.example']);
      await kubectl(['-n', 'shop', 'delete', 'rolebinding', 'evident']);
      await web.becomes({ state: 'unknown', cause: { code: 'forbidden' }, lastKnown: { state: 'running' } });
      expect(vault.statesSince(mark)).toBe('running');
      await apply(ROLES);
      await web.becomes({ state: 'running' });
      writeFileSync(tokenFile, 'expired');
      await vault.becomes({ state: 'unknown', cause: { code: 'forbidden' } });
      const ofOtherToken = await log(nameOf('web'));
      await ofOtherToken.becomes({ state: 'running' });
      writeFileSync(tokenFile, await token());
      await vault.becomes({ state: 'running' });
    });
  },
  { node: true },
);

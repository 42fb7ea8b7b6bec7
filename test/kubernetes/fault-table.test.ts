import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, it, vi } from 'vitest';
import type { Api } from '../server/api.ts';
import { ok } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { processesOf } from './app-processes.ts';
import { describeWithCluster } from './own-cluster.ts';
import { type ClaimLog, useObservers } from './whole-path.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const BUSYBOX = 'registry.local/busybox:1';

const container = (command: string, more = '') =>
  `containers: [{name: app, image: "${BUSYBOX}", imagePullPolicy: IfNotPresent, command: [sh, -c, "${command}"]${more}}]`;

const deployment = (name: string, spec: string, { replicas = 1, namespace = 'shop' } = {}) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {terminationGracePeriodSeconds: 1, ${spec}}
---`;

const SLEEP = container('sleep 100000');
const PROBED = container(
  'httpd -f -p 8080 -h /www',
  ', ports: [{containerPort: 8080}], readinessProbe: {httpGet: {port: 8080}, periodSeconds: 1, failureThreshold: 2}',
);

/** Rollouts over a good revision, each with the words that must be said of it. */
const ROLLOUTS = {
  image: {
    spec: `containers: [{name: app, image: "nowhere.local/none:1"}]`,
    shows: {
      state: 'starting',
      operator: { stage: 'image' },
      cause: { code: 'image_unreachable' },
      next: { owner: 'platform' },
      user: /image registry does not answer/,
    },
  },
  nowhere: {
    spec: `nodeSelector: {disk: none}, ${SLEEP}`,
    shows: {
      state: 'starting',
      operator: { stage: 'scheduling' },
      cause: { code: 'unschedulable' },
      next: { owner: 'platform' },
      user: /no place to run it/,
    },
  },
  big: {
    spec: container('sleep 100000', ', resources: {requests: {memory: 900Gi}}'),
    shows: {
      state: 'starting',
      operator: { stage: 'scheduling' },
      cause: { code: 'insufficient_resources' },
      next: { owner: 'platform' },
      user: /not enough room/,
    },
  },
  storage: {
    spec: `volumes: [{name: data, persistentVolumeClaim: {claimName: data}}], ${SLEEP}`,
    shows: {
      state: 'starting',
      operator: { stage: 'scheduling' },
      cause: { code: 'volume_pending' },
      next: { owner: 'platform' },
      user: /storage is not ready/,
    },
  },
  config: {
    spec: container('sleep 100000', ', envFrom: [{configMapRef: {name: nowhere}}]'),
    shows: {
      state: 'starting',
      operator: { stage: 'start' },
      cause: { code: 'config_missing' },
      next: { owner: 'user' },
      user: /Configuration that the app needs is missing/,
    },
  },
  memory: {
    // Never ready: the cluster removes the old revision as soon as a copy of the new one is, be it for an instant.
    spec: container(
      'x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done',
      ', resources: {limits: {memory: 16Mi}}, readinessProbe: {exec: {command: ["false"]}}',
    ),
    shows: {
      state: 'failed',
      operator: { stage: 'start' },
      cause: { code: 'oom_killed' },
      next: { owner: 'user' },
      user: /more memory than it may/,
    },
  },
  prepare: {
    spec: `initContainers: [{name: migrate, image: "${BUSYBOX}", command: [sh, -c, "exit 3"]}], ${SLEEP}`,
    shows: {
      state: 'failed',
      operator: { stage: 'start' },
      cause: { code: 'init_failed' },
      next: { owner: 'user' },
      user: /preparation step of the app fails/,
    },
  },
  quota: {
    namespace: 'small',
    spec: container('sleep 99999'),
    shows: {
      state: 'starting',
      operator: { stage: 'scheduling' },
      cause: { code: 'quota_exceeded' },
      next: { owner: 'user' },
      user: /quota is used up/,
    },
  },
} as const;

const NAMESPACES = ['shop', 'small', 'bank']
  .map((name) => `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}\n---\n`)
  .join('');

const CLAIM = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop}
spec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Gi}}}
---`;

const QUOTA = `
apiVersion: v1
kind: ResourceQuota
metadata: {name: tight, namespace: small}
spec: {hard: {pods: "1"}}
---`;

const EARLY_SERVICE = `
apiVersion: v1
kind: Service
metadata: {name: early, namespace: shop}
spec: {selector: {app: early}, publishNotReadyAddresses: true, ports: [{port: 80}]}
---`;

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
  'each fault on the real thing, from the cluster to the claim',
  (cluster) => {
    const servers = useServers(null, true);
    const observers = useObservers();
    const logs = new Map<string, ClaimLog>();
    const dir = observers.newDirectory();
    let api: Api;
    let agent: Awaited<ReturnType<typeof observers.agent>>;
    const kubectl = (args: readonly string[], input?: string) => cluster().kubectl(args, input);
    const apply = (text: string) => kubectl(['apply', '-f', '-'], text);
    const log = async (service: string) => {
      const known = logs.get(service) ?? (await observers.log(api, service));
      logs.set(service, known);
      return known;
    };
    const nameOf = (name: string, namespace = 'shop') => `${name}.${namespace}@lab`;
    const rollouts = Object.entries(ROLLOUTS).map(([name, row]) => ({
      name,
      namespace: 'namespace' in row ? row.namespace : 'shop',
      ...row,
    }));

    beforeAll(async () => {
      // A quiet watch is proven every 5 s: a shorter freshness than this would call it stale in between.
      ({ api } = await servers.start({ args: ['--fresh-for', '15000', '--report-every', '1000'] }));
      ok(await api.call('PUT', '/v1/targets/lab/observation', { body: { namespaces: ['*'] } }));
      await apply(NAMESPACES);
      await vi.waitFor(() => kubectl(['-n', 'small', 'get', 'serviceaccount', 'default']), {
        timeout: 30_000,
      });
      await apply(
        [
          QUOTA,
          CLAIM,
          deployment('web', PROBED, { replicas: 2 }),
          deployment('mute', SLEEP),
          deployment('loop', container('sleep 20; exit 1')),
          ...rollouts.map(({ name, namespace }) => deployment(name, SLEEP, { namespace })),
        ].join(''),
      );
      agent = await observers.agent(api, { kubeconfig: cluster().kubeconfig, target: 'lab', dir });
    });

    it('shows each broken rollout by stage, cause, owner and sentence, and the old revision serves (F69, F74, F75, F76)', async () => {
      for (const { name, namespace } of rollouts)
        await (await log(nameOf(name, namespace))).becomes({ state: 'running', serving: { revision: 1 } });
      await apply(
        rollouts.map(({ name, namespace, spec }) => deployment(name, spec, { namespace })).join(''),
      );
      for (const { name, namespace, shows } of rollouts) {
        const { user, ...expected } = shows;
        const own = await log(nameOf(name, namespace));
        const claim = await own.becomes({ ...expected, desired: { revision: 2 } });
        expect(claim.message.body, name).toMatch(user);
        // A copy of the new one may be ready for a moment before it ends: then nobody can say which of them serves.
        await vi.waitFor(
          async () => {
            const { body } = await api.get(`/v1/services/${nameOf(name, namespace)}/status`);
            expect(body.serving, name).toMatchObject({ revision: 1 });
          },
          { timeout: 60_000, interval: 250 },
        );
      }
    });

    it('never calls an app running that exits every 20 s, once it has exited twice, though each time it is ready (F74, F113)', async () => {
      const loop = await log(nameOf('loop'));
      await loop.showed(0, {
        state: 'failed',
        cause: { code: 'crash_loop' },
        next: { owner: 'user' },
        message: { body: expect.stringMatching(/exited (?:at least )?\d+ times in \d+ (?:s|min|minutes)/) },
      });
      const first = loop.claims.findIndex(
        ({ state, cause }) => state !== 'running' && cause?.params?.exits > 1,
      );
      expect(loop.statesSince(first)).not.toMatch(/running/);
      await kubectl(['-n', 'shop', 'delete', 'deployment', 'loop']);
    });

    it('keeps exact verdicts: gates, leaving pods, unready addresses, debuggers, sidecars (F68, F75)', async () => {
      await kubectl([
        '-n',
        'shop',
        'delete',
        'deployment',
        ...rollouts.filter(({ namespace }) => namespace === 'shop').map(({ name }) => name),
      ]);
      await apply(
        [
          deployment('gate', `readinessGates: [{conditionType: example.com/open}], ${SLEEP}`),
          deployment(
            'helper',
            `initContainers: [{name: proxy, image: "${BUSYBOX}", restartPolicy: Always, command: [sh, -c, "sleep 2; exit 1"]}], ${SLEEP}`,
          ),
          deployment(
            'early',
            container('sleep 100000', ', readinessProbe: {exec: {command: ["false"]}, periodSeconds: 1}'),
          ),
          EARLY_SERVICE,
          deployment(
            'slow',
            `terminationGracePeriodSeconds: 60, ${container('trap : TERM; while true; do sleep 1; done')}`,
          ).replace('terminationGracePeriodSeconds: 1, ', ''),
        ].join(''),
      );
      const gate = await (await log(nameOf('gate'))).becomes({
        state: 'starting',
        cause: { code: 'readiness_gate' },
      });
      expect(gate.operator.stage).toBe('readiness');
      expect(await kubectl(['-n', 'shop', 'get', 'pods', '-l', 'app=gate']), 'the lie').toMatch(
        /1\/1\s+Running/,
      );
      const helper = await (await log(nameOf('helper'))).showed(0, { cause: { code: 'sidecar_failed' } });
      expect(helper.state).not.toBe('running');
      expect((await log(nameOf('helper'))).statesSince(0)).not.toContain('running');
      await (await log(nameOf('early'))).becomes({ state: 'starting', cause: { code: 'probe_failed' } });
      // A debugger in a pod, which ends badly, is shown and not judged.
      const slow = await log(nameOf('slow'));
      await slow.becomes({ state: 'running' });
      const web = await log(nameOf('web'));
      await web.becomes({ state: 'running' });
      const [pod = ''] = (await kubectl(['-n', 'shop', 'get', 'pods', '-l', 'app=web', '-o', 'name'])).split(
        '\n',
      );
      const mark = web.mark;
      await kubectl([
        '-n',
        'shop',
        'debug',
        pod,
        `--image=${BUSYBOX}`,
        '--image-pull-policy=Never',
        '-c',
        'debugger',
        '--',
        'sh',
        '-c',
        'exit 7',
      ]);
      await vi.waitFor(
        async () => {
          const { body } = await api.get(`/v1/services/${nameOf('web')}/instances`);
          expect(JSON.stringify(body)).toContain('debugger');
        },
        { timeout: 30_000 },
      );
      expect(web.statesSince(mark)).toBe('running');
      // A pod that is being deleted keeps Ready=True for as long as it takes to end.
      await kubectl(['-n', 'shop', 'scale', 'deployment/slow', '--replicas=0']);
      await slow.becomes({ state: 'stopping', cause: { code: 'ending' } });
    });

    it('is not running when the apps are frozen and the controller manager with them, which says 2 of 2 (rule 8)', async () => {
      const web = await log(nameOf('web'));
      await web.becomes({ state: 'running' });
      const apps = () => processesOf(cluster().dir, 'httpd -f -p 8080');
      await expect.poll(() => apps().length, { timeout: 30_000 }).toBe(2);
      const frozen = apps();
      cluster().freeze('manager');
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
      try {
        const claim = await web.becomes({ state: 'degraded' });
        expect(claim.cause.code).toMatch(/not_ready|probe_failed/);
        expect(
          await kubectl(['-n', 'shop', 'get', 'deployment', 'web', '-o', 'jsonpath={.status.readyReplicas}']),
          'the lie',
        ).toBe('2');
      } finally {
        for (const pid of frozen) process.kill(pid, 'SIGCONT');
        cluster().thaw('manager');
      }
      await web.becomes({ state: 'running' });
    });

    it('says no more than its node does while containerd is frozen (rule 7)', async () => {
      const mute = await log(nameOf('mute'));
      await mute.becomes({ state: 'running' });
      cluster().freeze('containerd');
      const [pid = 0] = processesOf(cluster().dir, 'sleep 100000');
      try {
        const claim = mute.claims.at(-1);
        expect(claim.message.body).toContain('its node says so and is alive');
        expect(claim.message.code).toBe('running.by_node');
        expect(pid).toBeGreaterThan(0);
      } finally {
        cluster().thaw('containerd');
      }
    });

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
      ok(await api.call('PUT', '/v1/targets/edge/observation', { body: { namespaces: ['*'] } }));
      await observers.agent(api, { kubeconfig, target: 'edge', namespaces: ['shop', 'bank'] });
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

    it('is unknown throughout while the kubelet is frozen, its pod deleted by force, its Deployment too (F73, F67)', async () => {
      const [web, mute] = [await log(nameOf('web')), await log(nameOf('mute'))];
      await web.becomes({ state: 'running' });
      await mute.becomes({ state: 'running' });
      const [mark, muteMark] = [web.mark, mute.mark];
      const alive = processesOf(cluster().dir, 'sleep 100000').length;
      cluster().freeze('kubelet');
      try {
        await web.becomes({ state: 'unknown', lastKnown: { state: 'running' } });
        const lie = await kubectl(['-n', 'shop', 'get', 'pods', '-l', 'app=web', '--no-headers']);
        expect(lie, 'the lie').toMatch(/1\/1\s+Running/);
        await vi.waitFor(
          async () => {
            const ready = '{.items[0].status.conditions[?(@.type=="Ready")].status}';
            expect(
              await kubectl(['-n', 'shop', 'get', 'pods', '-l', 'app=web', '-o', `jsonpath=${ready}`]),
            ).toBe('False');
          },
          { timeout: 60_000, interval: 500 },
        );
        await kubectl(['-n', 'shop', 'delete', 'pod', '-l', 'app=web', '--force', '--grace-period=0']);
        await kubectl(['-n', 'shop', 'delete', 'deployment', 'mute']);
        await kubectl(['-n', 'shop', 'delete', 'pod', '-l', 'app=mute', '--force', '--grace-period=0']);
        await wait(6_000);
        expect(web.claims.at(-1)).toMatchObject({ state: 'unknown' });
        expect(mute.claims.at(-1), 'its process is there').toMatchObject({ state: 'unknown' });
        expect(processesOf(cluster().dir, 'sleep 100000').length).toBe(alive);
      } finally {
        cluster().thaw('kubelet');
      }
      await web.becomes({ state: 'running' });
      await mute.becomes({ state: 'stopped', cause: { code: 'removed_elsewhere' } });
      expect(web.statesSince(mark)).toBe('running, unknown');
      expect(mute.statesSince(muteMark)).toBe('running, stopped removed_elsewhere, unknown');
    });

    it('is contradictory when an app that answered does not any more, and its node says that it runs (rules 7, 9)', async () => {
      ok(await api.call('PUT', '/v1/targets/lab/observation', { body: { namespaces: ['*'], ask: true } }));
      await apply(
        [
          deployment('open', container('httpd -f -p 8081 -h /www', ', ports: [{containerPort: 8081}]')),
          deployment('closed', container('sleep 100000', ', ports: [{containerPort: 8082}]')),
        ].join(''),
      );
      const [open, closed] = [await log(nameOf('open')), await log(nameOf('closed'))];
      // Read, not followed: it may have been running by its node's word first, and a better proof is no transition.
      await vi.waitFor(
        async () => {
          const { body } = await api.get(`/v1/services/${nameOf('open')}/status`);
          expect(body).toMatchObject({ state: 'running', message: { code: 'running' } });
          expect(body.message.body).not.toContain('its node');
        },
        { timeout: 120_000, interval: 500 },
      );
      // Nobody ever reached it: that proves nothing, and its node's word is all there is.
      const unproven = await closed.becomes({ state: 'running' });
      expect(unproven.message.body).toContain('its node says so and is alive');
      const frozen = processesOf(cluster().dir, 'httpd -f -p 8081');
      expect(frozen).toHaveLength(1);
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
      try {
        await open.becomes({
          state: 'unknown',
          cause: { code: 'contradictory' },
          lastKnown: { state: 'running' },
        });
        expect(await kubectl(['-n', 'shop', 'get', 'pods', '-l', 'app=open']), 'the lie').toMatch(
          /1\/1\s+Running/,
        );
      } finally {
        for (const pid of frozen) process.kill(pid, 'SIGCONT');
      }
      await open.becomes({ state: 'running' });
      expect(closed.claims.at(-1).state).toBe('running');
      ok(await api.call('PUT', '/v1/targets/lab/observation', { body: { namespaces: ['*'] } }));
    });

    // The last one: controllers that have seen a later version of the cluster than there is may do nothing for minutes.
    it('is unknown after etcd was restored from an older copy, while kubectl says 2/2, and after a restart of the agent (rule 1, F61)', async () => {
      await apply(deployment('calm', PROBED));
      const [web, calm] = [await log(nameOf('web')), await log(nameOf('calm'))];
      await calm.becomes({ state: 'running' });
      await web.becomes({ state: 'running' });
      await cluster().backUp();
      await kubectl(['-n', 'shop', 'annotate', 'deployment', 'web', 'changed=yes']);
      const before = await kubectl(['-n', 'shop', 'get', 'pods', '-o', 'jsonpath={.items[*].metadata.uid}']);
      await kubectl(['-n', 'shop', 'delete', 'pod', '-l', 'app=web', '--grace-period=1']);
      await vi.waitFor(
        async () => {
          const { body } = await api.get(`/v1/services/${nameOf('web')}/instances`);
          const ready = body.items.filter((one: { ready: boolean }) => one.ready);
          expect(ready.filter(({ uid }: { uid: string }) => !before.includes(uid))).toHaveLength(2);
        },
        { timeout: 60_000, interval: 500 },
      );
      await web.becomes({ state: 'running' });
      await calm.becomes({ state: 'running' });
      const calmMark = calm.mark;
      await cluster().restore();
      await web.becomes({ state: 'unknown', lastKnown: { state: 'running' } });
      expect(await kubectl(['-n', 'shop', 'get', 'deployment', 'web']), 'the lie').toMatch(/2\/2/);
      await cluster().stop('apiserver');
      await cluster().start('apiserver');
      // The kubelet may have written about `web` by now, which ends the doubt about it.
      await calm.becomes({ state: 'unknown', cause: { code: 'store_recovered' } });
      // Its kubelet has nothing to write, so that nobody can say more; another agent does not believe more either.
      await agent.stop();
      const again = calm.mark;
      agent = await observers.agent(api, { kubeconfig: cluster().kubeconfig, target: 'lab', dir });
      await wait(10_000);
      await calm.becomes({ state: 'unknown', cause: { code: 'store_recovered' } });
      expect(calm.statesSince(again)).toBe('unknown');
      expect(calm.statesSince(calmMark)).toBe('running, unknown');
      // The app itself can: it answers a direct request, once that is allowed.
      ok(await api.call('PUT', '/v1/targets/lab/observation', { body: { namespaces: ['*'], ask: true } }));
      await calm.becomes({ state: 'running' });
      const { body } = await api.get(`/v1/services/${nameOf('calm')}/instances`);
      expect(body.items[0]).toMatchObject({
        saidBy: 'request',
        message: 'it answers requests through the API server',
      });
    });
  },
  { node: true },
);

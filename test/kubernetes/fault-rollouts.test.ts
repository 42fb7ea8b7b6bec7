import { expect, it, vi } from 'vitest';
import { BUSYBOX, container, deployment, nameOf, PROBED, SLEEP, useFaultLab } from './fault-lab.ts';
import { describeWithCluster } from './own-cluster.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

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
      cause: { code: 'no_matching_node' },
      next: { owner: 'user' },
      user: /No machine there has the labels that it asks for: disk=none/,
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
      cause: { code: 'storage_class_missing' },
      next: { owner: 'user' },
      user: /kind of storage that it asks for does not exist/,
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

/** In the order in which they are judged. */
const ROLLED_OUT = Object.entries(ROLLOUTS).map(([name, row]) => ({
  name,
  namespace: 'namespace' in row ? row.namespace : 'shop',
  ...row,
}));

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

/** Copies whose readiness kubectl tells otherwise than it is. */
const EXACT = [
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
];

describeWithCluster(
  'rollouts and copies that fail on a real cluster, from the cluster to the claim',
  (cluster) => {
    const { api, apply, kubectl, log } = useFaultLab(cluster, [
      QUOTA,
      CLAIM,
      deployment('web', PROBED, { replicas: 2 }),
      deployment('loop', container('sleep 20; exit 1')),
      ...EXACT,
      ...ROLLED_OUT.map(({ name, namespace }) => deployment(name, SLEEP, { namespace })),
    ]);

    it('shows each broken rollout by stage, cause, owner and sentence, and the old revision serves (F69, F74, F75, F76)', async () => {
      for (const { name, namespace } of ROLLED_OUT)
        await (await log(nameOf(name, namespace))).becomes({ state: 'running', serving: { revision: 1 } });
      await apply(
        ROLLED_OUT.map(({ name, namespace, spec }) => deployment(name, spec, { namespace })).join(''),
      );
      for (const { name, namespace, shows } of ROLLED_OUT) {
        const { user, ...expected } = shows;
        const own = await log(nameOf(name, namespace));
        const claim = await own.becomes({ ...expected, desired: { revision: 2 } });
        expect(claim.message.body, name).toMatch(user);
        // A copy of the new one may be ready for a moment before it ends: then nobody can say which of them serves.
        await vi.waitFor(
          async () => {
            const { body } = await api().get(`/v1/services/${nameOf(name, namespace)}/status`);
            expect(body.serving, name).toMatchObject({ revision: 1 });
          },
          { timeout: 60_000, interval: 250 },
        );
      }
    });

    it('keeps exact verdicts: gates, leaving pods, unready addresses, debuggers, sidecars (F68, F75)', async () => {
      const gate = await (await log(nameOf('gate'))).becomes({
        state: 'starting',
        cause: { code: 'readiness_gate', params: { gate: 'example.com/open' } },
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
          const { body } = await api().get(`/v1/services/${nameOf('web')}/instances`);
          expect(JSON.stringify(body)).toContain('debugger');
        },
        { timeout: 30_000 },
      );
      expect(web.statesSince(mark)).toBe('running');
      // A pod that is being deleted keeps Ready=True for as long as it takes to end.
      await kubectl(['-n', 'shop', 'scale', 'deployment/slow', '--replicas=0']);
      await slow.becomes({ state: 'stopping', cause: { code: 'ending' } });
    });

    it('never calls an app running that exits every 20 s, once it has exited twice, though each time it is ready (F74, F113)', async () => {
      const loop = await log(nameOf('loop'));
      await loop.showed(0, {
        state: 'failed',
        cause: { code: 'crash_loop' },
        next: { owner: 'user' },
        message: { body: expect.stringMatching(/exited with code \d+, \d+ times in \d+ (?:s|min)/) },
      });
      const first = loop.claims.findIndex(
        ({ state, cause }) => state !== 'running' && cause?.params?.exits > 1,
      );
      expect(loop.statesSince(first)).not.toMatch(/running/);
      await kubectl(['-n', 'shop', 'delete', 'deployment', 'loop']);
    });
  },
  { node: true },
);

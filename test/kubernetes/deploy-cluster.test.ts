import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { installManifests } from '../../src/kubernetes/agent/install-manifests.ts';
import { claimed } from '../agent/stage.ts';
import type { Api } from '../server/api.ts';
import { ok } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { describeWithCluster } from './own-cluster.ts';
import { useObservers } from './whole-path.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const IMAGE = 'registry.local/busybox:1';
const HELLO = 'hello@lab';
/** Ends at once when it is asked to, as an app should: a shell that waits for its child would not. */
const serve = (text: string) => [
  'sh',
  '-c',
  `trap 'exit 0' TERM; echo "serving ${text} $WORD"; mkdir -p /tmp/www; echo "${text} $WORD" >/tmp/www/index.html; httpd -p 8080 -h /tmp/www; while :; do sleep 0.1; done`,
];

describeWithCluster(
  'a cluster that Evident deploys to',
  (cluster) => {
    const servers = useServers(null, true);
    const observers = useObservers();
    let api: Api;
    let agent: Awaited<ReturnType<typeof observers.agent>>;
    const dir = observers.newDirectory();
    const startAgent = async () => {
      agent = await observers.agent(api, {
        ...{ kubeconfig: join(dir, 'kubeconfig'), target: 'lab', dir },
        ...{ defaultNamespace: 'apps', deploys: true },
      });
    };
    /** With the rights that `evident agent install --deploy` prints, and no others. */
    const writeKubeconfig = async () => {
      const options = {
        target: 'lab',
        server: 'https://evident.example',
        image: 'evident:1',
        home: 'evident',
      };
      const manifests = installManifests({
        ...{ ...options, namespaces: [], defaultNamespace: 'apps', deploys: true },
      }).filter((one) => (one as { kind: string }).kind !== 'Deployment');
      const list = { apiVersion: 'v1', kind: 'List', items: manifests };
      await cluster().kubectl(['apply', '-f', '-'], JSON.stringify(list));
      const token = await cluster().kubectl(['-n', 'evident', 'create', 'token', 'evident-agent']);
      const config = parse(readFileSync(cluster().kubeconfig, 'utf8'));
      for (const { user } of config.users) {
        for (const key of Object.keys(user)) delete user[key];
        user.token = token.trim();
      }
      writeFileSync(join(dir, 'kubeconfig'), JSON.stringify(config), { mode: 0o600 });
    };
    const kubectl = (...args: string[]) => cluster().kubectl(['-n', 'apps', ...args]);
    const request = (path: string, body: object = {}) =>
      api.call('POST', `/v1/services/${HELLO}${path}`, { body }).then((answer) => ok(answer, 202));
    const deploy = (text: string, spec: object = {}) =>
      request('/deployments', { image: IMAGE, spec: { port: 8080, command: serve(text), ...spec } });
    const running = (revision: number) =>
      claimed(
        api,
        ({ state, desired }) => state === 'failed' || (state === 'running' && desired.revision === revision),
        HELLO,
      );
    const podUids = async () =>
      (await kubectl('get', 'pods', '-o', 'jsonpath={.items[*].metadata.uid}')).split(' ').toSorted();

    beforeAll(async () => {
      ({ api } = await servers.start({ args: ['--fresh-for', '15000', '--report-every', '1000'] }));
      await cluster().kubectl(['create', 'namespace', 'apps']);
      await cluster().kubectl([
        ...['label', 'namespace', 'apps', 'pod-security.kubernetes.io/enforce=restricted'],
      ]);
      await writeKubeconfig();
      await startAgent();
    });

    it('reaches running with the evidence of its pods, in a namespace that takes only what is restricted', async () => {
      await deploy('one', { env: { WORD: 'hello', KEY: { secret: 'hidden' } } });
      const claim = await running(1);
      expect(claim).toMatchObject({ state: 'running', serving: { revision: 1, attempt: 1 } });
      const { items } = ok(await api.get(`/v1/services/${HELLO}/instances`));
      expect(items).toMatchObject([
        { service: HELLO, revision: 1, attempt: 1, ready: true, saidBy: 'request', restarts: 0 },
      ]);
      expect(items[0].artifact).toMatch(/^sha256:/);
      const [deployment] = JSON.parse(await kubectl('get', 'deployments', '-o', 'json')).items;
      expect(deployment.metadata.annotations).toMatchObject({ 'evident.dev/service': HELLO });
      expect(JSON.stringify(deployment)).not.toContain('hidden');
    });

    const logged = async () => {
      const { body } = await api.get(`/v1/services/${HELLO}/logs?stream=run&revision=1`);
      return String(body)
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
        .map(({ seq, line }) => `${seq} ${line}`);
    };

    it('ships what its pods write, and goes on with the next agent: no pod and no line twice', async () => {
      await expect.poll(logged, { timeout: 20_000 }).toEqual(['1 serving one hello']);
      const before = await podUids();
      await agent.stop();
      await startAgent();
      const restarted = Date.now();
      await claimed(
        api,
        ({ state, freshness }) => state === 'running' && Date.parse(freshness.asOf) > restarted,
        HELLO,
      );
      expect(await podUids()).toEqual(before);
      expect(await logged()).toEqual(['1 serving one hello']);
    });

    it('is unknown while the kubelet of its node is frozen, and running again afterwards', async () => {
      cluster().freeze('kubelet');
      try {
        const claim = await claimed(api, ({ state }) => state !== 'running', HELLO);
        expect(claim).toMatchObject({ state: 'unknown', lastKnown: { state: 'running' } });
      } finally {
        cluster().thaw('kubelet');
      }
      expect(await running(1)).toMatchObject({ state: 'running' });
    });

    it('scales without a restart', async () => {
      const before = await podUids();
      await request('/scalings', { replicas: 2 });
      expect(await running(2)).toMatchObject({ state: 'running' });
      const after = await podUids();
      expect(after).toHaveLength(2);
      expect(after).toEqual(expect.arrayContaining(before));
    });

    it('rolls out the next revision and back again, with the variables of then', async () => {
      await deploy('two', { env: { WORD: 'bye' }, replicas: 1 });
      expect(await running(3)).toMatchObject({ state: 'running', serving: { revision: 3 } });
      const answer = async () => {
        const [pod] = (await kubectl('get', 'pods', '-o', 'name')).trim().split('\n');
        return kubectl('exec', pod ?? '', '--', 'cat', '/tmp/www/index.html');
      };
      await vi.waitFor(async () => expect(await podUids()).toHaveLength(1), { timeout: 60_000 });
      expect(await answer()).toBe('two bye\n');
      await request('/rollbacks', { to: 1 });
      expect(await running(4)).toMatchObject({ state: 'running', serving: { revision: 4 } });
      await vi.waitFor(async () => expect(await podUids()).toHaveLength(1), { timeout: 60_000 });
      expect(await answer()).toBe('one hello\n');
    });

    it('names an image that is not there, while what ran before still serves', async () => {
      await request('/deployments', { image: 'nowhere.local/none:1' });
      const claim = await claimed(api, ({ cause }) => cause?.code === 'image_unreachable', HELLO);
      expect(claim).toMatchObject({ state: 'starting', serving: { revision: 4 } });
      await deploy('three');
      expect(await running(6)).toMatchObject({ state: 'running' });
    });

    it('is drifted, never running, once somebody changes its template by hand', async () => {
      await kubectl('set', 'env', 'deployment/hello', 'STRANGE=yes');
      const claim = await claimed(api, ({ cause }) => cause?.code === 'drifted', HELLO);
      expect(claim.state).not.toBe('running');
    });

    it('refuses a field that somebody else manages, and names both', async () => {
      await kubectl('set', 'image', 'deployment/hello', 'app=registry.local/busybox:other');
      await deploy('four');
      await claimed(api, ({ cause }) => cause?.code === 'field_conflict', HELLO);
      const { items } = ok(await api.get(`/v1/services/${HELLO}/evidence?limit=200`));
      const refused = items.find(({ kind }: { kind: string }) => kind === 'runtime.apply_failed');
      expect(refused.body).toMatchObject({
        code: 'field_conflict',
        message: expect.stringMatching(/image is managed by kubectl-set/),
      });
    });

    it('tears down: everything that it applied is gone, what others made stays, and then it says so', async () => {
      await kubectl('create', 'configmap', 'hello-of-others');
      ok(await api.call('DELETE', `/v1/services/${HELLO}`), 202);
      await claimed(api, ({ state }) => state === 'stopped', HELLO);
      const left = await kubectl('get', 'deployments,services,pods,replicasets,secrets', '-o', 'name');
      expect(left).toBe('');
      const maps = await kubectl('get', 'configmaps', '-o', 'name');
      expect(maps.trim().split('\n').toSorted()).toEqual([
        'configmap/evident-record.hello',
        'configmap/hello-of-others',
        'configmap/kube-root-ca.crt',
      ]);
    });

    it('leaves a workload of another tool alone, although it has the name', async () => {
      await kubectl('create', 'deployment', 'hello', '--image', IMAGE);
      await deploy('five');
      await claimed(api, ({ cause }) => cause?.code === 'object_taken', HELLO);
      const images = await kubectl('get', 'deployment', 'hello', '-o', 'jsonpath={..image}');
      expect(images).toBe(IMAGE);
    });
  },
  { node: true },
);

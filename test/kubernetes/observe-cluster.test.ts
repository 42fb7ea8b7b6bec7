import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runAgent } from '../../src/agent/agent.ts';
import { Client } from '../../src/client/client.ts';
import { openCluster } from '../../src/kubernetes/agent/open-cluster.ts';
import type { KubernetesRuntime } from '../../src/kubernetes/agent/runtime.ts';
import { claimed } from '../agent/stage.ts';
import { ok } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { describeWithCluster } from './own-cluster.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const container = (command: string, image = 'registry.local/busybox:1') =>
  `containers: [{name: app, image: "${image}", imagePullPolicy: IfNotPresent, command: [sh, -c, "${command}"]}]`;

const deployment = (name: string, spec: string, replicas = 1) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: shop}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {terminationGracePeriodSeconds: 1, ${spec}}
---`;

const SHOP = [
  '{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n---',
  deployment('web', container('httpd -f -p 8080'), 2),
  deployment('crash', container('sleep 2; exit 1')),
  deployment('lost', container('true', 'nowhere.local/none:1')),
].join('');

describeWithCluster(
  'a namespace that other tools deploy to',
  (cluster) => {
    const servers = useServers(null, true);
    const stop = new AbortController();
    let api: Awaited<ReturnType<typeof servers.start>>['api'];
    let runtime: KubernetesRuntime | undefined;
    let ended: Promise<void> = Promise.resolve();
    beforeAll(async () => {
      // A quiet watch is proven every 5 s: a shorter freshness than this would call it stale in between.
      ({ api } = await servers.start({ args: ['--fresh-for', '15000', '--report-every', '1000'] }));
      await cluster().kubectl(['apply', '-f', '-'], SHOP);
      runtime = await openCluster({ kubeconfig: cluster().kubeconfig, target: 'lab', namespaces: [] });
      const client = new Client(api.address, await api.tokenFor('agent', { target: 'lab' }));
      const about = { target: 'lab', name: 'agent-lab', version: '0', say: () => {} };
      ended = runAgent({ client, runtime, ...about }, stop.signal);
      ended.catch(() => {});
    });
    afterAll(async () => {
      stop.abort();
      await ended.catch(() => {});
      await runtime?.close();
    });

    it('has claims as soon as the rule of the target covers it, without anybody deploying anything', async () => {
      ok(await api.call('PUT', '/v1/targets/lab/observation', { body: { namespaces: ['shop'] } }));
      const named = async () =>
        ok(await api.get('/v1/services')).items.map(({ ref }: { ref: string }) => ref);
      await expect
        .poll(named, { timeout: 60_000 })
        .toEqual(['crash.shop@lab', 'lost.shop@lab', 'web.shop@lab']);
      const web = await claimed(api, ({ state }) => state === 'running', 'web.shop@lab');
      expect(web).toMatchObject({ desired: { revision: 1 }, serving: { revision: 1 } });
    });

    it('shows a crash loop and an image that is not there by stage, cause and owner', async () => {
      const crash = await claimed(api, ({ state }) => state === 'failed', 'crash.shop@lab');
      expect(crash).toMatchObject({ cause: { code: 'crash_loop' }, next: { owner: 'user' } });
      const lost = await claimed(api, ({ cause }) => cause?.code === 'image_unreachable', 'lost.shop@lab');
      expect(lost).toMatchObject({ state: 'starting', next: { owner: 'platform' } });
    });

    it('is unknown while the kubelet of its node is frozen, though kubectl says 1/1 Running', async () => {
      cluster().freeze('kubelet');
      try {
        const web = await claimed(api, ({ state }) => state !== 'running', 'web.shop@lab');
        expect(web).toMatchObject({ state: 'unknown', lastKnown: { state: 'running' } });
        expect(await cluster().kubectl(['-n', 'shop', 'get', 'pods', '-l', 'app=web'])).toMatch(
          /1\/1\s+Running/,
        );
      } finally {
        cluster().thaw('kubelet');
      }
      await claimed(api, ({ state }) => state === 'running', 'web.shop@lab');
    });

    it('is not observed while its labels are others than those of the rule, and never called removed', async () => {
      const label = (team: string) =>
        cluster().kubectl(['-n', 'shop', 'label', '--overwrite', 'deployment', 'web', `team=${team}`]);
      const observe = (rule: object) =>
        api.call('PUT', '/v1/targets/lab/observation', { body: { namespaces: ['shop'], ...rule } }).then(ok);
      await label('a');
      await observe({ selector: 'team=a' });
      await claimed(api, ({ cause }) => cause?.code === 'not_observed', 'crash.shop@lab');
      await label('b');
      const left = await claimed(
        api,
        ({ state, cause }) => state === 'stopped' || cause?.code === 'not_observed',
        'web.shop@lab',
      );
      expect(left).toMatchObject({ state: 'unknown', lastKnown: { state: 'running' } });
      await observe({});
      await claimed(api, ({ state }) => state === 'running', 'web.shop@lab');
    });

    it('a rollout is another revision, and what somebody deletes is stopped, removed elsewhere', async () => {
      await cluster().kubectl(['-n', 'shop', 'set', 'env', 'deployment/web', 'A=b']);
      await claimed(
        api,
        ({ state, desired }) => state === 'running' && desired.revision === 2,
        'web.shop@lab',
      );
      await cluster().kubectl(['-n', 'shop', 'delete', 'deployment', 'web']);
      const gone = await claimed(api, ({ state }) => state === 'stopped', 'web.shop@lab');
      expect(gone.cause.code).toBe('removed_elsewhere');
    });

    it('is unknown, not observed, when the rule ends', async () => {
      ok(await api.call('DELETE', '/v1/targets/lab/observation'));
      const crash = await claimed(api, ({ cause }) => cause?.code === 'not_observed', 'crash.shop@lab');
      expect(crash.state).toBe('unknown');
      const removed = await claimed(api, ({ cause }) => cause?.code === 'not_observed', 'web.shop@lab');
      expect(removed, 'nobody would see it created anew').toMatchObject({ lastKnown: { state: 'stopped' } });
      expect(ok(await api.get('/v1/services')).items).toEqual([]);
    });
  },
  { node: true },
);

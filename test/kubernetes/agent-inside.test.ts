import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openPodNetwork } from '../../lab/pod-network.ts';
import { writeImage } from '../../scripts/image.mjs';
import type { Instance } from '../../src/contract/report.ts';
import { claimed } from '../agent/stage.ts';
import { ok } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { processesOf } from './app-processes.ts';
import { describeWithCluster } from './own-cluster.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const deployment = (name: string, command: string, port: number) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - {name: app, image: "registry.local/busybox:1", imagePullPolicy: IfNotPresent, command: [${command}], ports: [{containerPort: ${port}}]}
---`;

/** One that answers at its port, and one that listens nowhere. */
const SHOP = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---${deployment('web', 'httpd, -f, -p, "8080", -h, /www', 8080)}${deployment('mute', 'sleep, "100000"', 8081)}`;

describeWithCluster(
  'an agent inside the cluster, installed as people are told to',
  (cluster) => {
    const servers = useServers(null, true);
    let api: Awaited<ReturnType<typeof servers.start>>['api'];
    let network: Awaited<ReturnType<typeof openPodNetwork>> | undefined;
    const bin = mkdtempSync(join(tmpdir(), 'evident-inside-'));
    /** Runs a line in the shell of somebody who has kubectl, a kubeconfig and a server. */
    let type: (line: string) => Promise<{ stdout: string; stderr: string }>;

    beforeAll(async () => {
      ({ api } = await servers.start({
        args: ['--host', '0.0.0.0', '--fresh-for', '15000', '--report-every', '1000'],
      }));
      network = await openPodNetwork(cluster());
      const archive = join(bin, 'evident.tar');
      await writeImage(archive);
      const run = promisify(execFile);
      await run('ctr', [
        '-a',
        join(cluster().dir, 'containerd.sock'),
        '-n',
        'k8s.io',
        'images',
        'import',
        archive,
      ]);
      rmSync(archive);
      symlinkSync(resolve(import.meta.dirname, '../../bin/evident'), join(bin, 'evident'));
      symlinkSync(join(cluster().programs, 'kubectl'), join(bin, 'kubectl'));
      const server = api.address.replace(/\/\/[^:]+/, `//${network.gateway}`);
      const env = {
        ...process.env,
        PATH: `${bin}:${process.env.PATH}`,
        KUBECONFIG: cluster().kubeconfig,
        EVIDENT_SERVER: server,
        EVIDENT_TOKEN: api.token,
      };
      type = (line) => run('bash', ['-o', 'pipefail', '-c', line], { env, timeout: 60_000 });
      await cluster().kubectl(['apply', '-f', '-'], SHOP);
    });
    afterAll(async () => {
      await network?.close();
      rmSync(bin, { recursive: true, force: true });
    });

    const inHome = (...args: string[]) => cluster().kubectl(['-n', 'evident', ...args]);
    const agentSays = () => inHome('logs', 'deployment/evident-agent', '--tail=20');
    const agentRuns = () =>
      inHome('rollout', 'status', 'deployment/evident-agent', '--timeout=55s').catch(async (error) => {
        const seen = [agentSays(), inHome('describe', 'pods')].map((one) => one.catch(String));
        throw new Error(`${error}\n${(await Promise.all(seen)).join('\n')}`);
      });

    it('runs with what the command prints, and services appear', async () => {
      const { stderr } = await type('evident agent install --target prod | kubectl apply -f -');
      const [secret] = /^ +evident tokens create .*$/m.exec(stderr) ?? [];
      expect(secret, 'the line that puts the token into the cluster').toBeDefined();
      await type(secret ?? '');
      await agentRuns();
      await type('evident observe prod --namespace shop');
      const named = async () =>
        ok(await api.get('/v1/services')).items.map(({ ref }: { ref: string }) => ref);
      await expect
        .poll(named, { timeout: 60_000, message: await agentSays() })
        .toEqual(['mute.shop@prod', 'web.shop@prod']);
      const web = await claimed(api, ({ state }) => state === 'running', 'web.shop@prod');
      expect(web).toMatchObject({ serving: { revision: 1 } });
    });

    it('asks each app at its own address once the rule allows it, and says so (rules 7, 9)', async () => {
      const own = async (name: string) => {
        const { items } = ok(await api.get(`/v1/services/${name}.shop@prod/instances`));
        return items.map(({ saidBy, message }: Instance) => ({ saidBy, message }));
      };
      const byNode = [{ saidBy: 'kubelet', message: 'its node says so and is alive' }];
      expect(await own('web')).toEqual(byNode);
      await type('evident observe prod --namespace shop --ask-apps');
      await expect
        .poll(() => own('web'), { timeout: 60_000 })
        .toEqual([{ saidBy: 'request', message: 'it answers requests from inside the cluster' }]);
      // Nobody listens at its port, and nobody ever did: its node's word is all there is.
      const unreached =
        'its node says so and is alive; no request from inside the cluster has reached it, which proves nothing';
      await expect
        .poll(() => own('mute'), { timeout: 60_000 })
        .toEqual([{ saidBy: 'kubelet', message: unreached }]);
      await claimed(api, ({ state }) => state === 'running', 'mute.shop@prod');
      const frozen = processesOf(cluster().dir, 'httpd -f -p 8080');
      expect(frozen).toHaveLength(1);
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
      try {
        const web = await claimed(api, ({ state }) => state === 'unknown', 'web.shop@prod');
        expect(web).toMatchObject({ cause: { code: 'contradictory' }, lastKnown: { state: 'running' } });
      } finally {
        for (const pid of frozen) process.kill(pid, 'SIGCONT');
      }
      await claimed(api, ({ state }) => state === 'running', 'web.shop@prod');
      await type('evident observe prod --namespace shop');
      await expect.poll(() => own('web'), { timeout: 60_000 }).toEqual(byNode);
    });

    it('may not read a Secret, nor write, nor escape its user', async () => {
      const can = async (...what: string[]) =>
        cluster()
          .kubectl(['auth', 'can-i', ...what, '--as=system:serviceaccount:evident:evident-agent'])
          .catch(() => 'no');
      expect(await can('list', 'pods', '-n', 'shop')).toMatch(/^yes/);
      expect(await can('get', 'secrets', '-n', 'evident')).toMatch(/^no/);
      expect(await can('list', 'configmaps', '-n', 'shop')).toMatch(/^no/);
      expect(await can('delete', 'pods', '-n', 'shop')).toMatch(/^no/);
      // Tells a namespace that is absent from an empty one.
      expect(await can('get', 'namespaces/shop')).toMatch(/^yes/);
      expect(await can('list', 'namespaces')).toMatch(/^no/);
      const own = await inHome('exec', 'deployment/evident-agent', '--', 'node', '-p', 'process.getuid()');
      expect(own.trim()).toBe('10001');
    });

    it('does the same for one namespace alone, with no right outside of it but two', async () => {
      await type('evident agent install --target prod | kubectl delete --ignore-not-found -f - ');
      await type('evident agent install --target prod --namespace shop | kubectl apply -f -');
      const { stderr } = await type('evident agent install --target prod --namespace shop >/dev/null');
      const [secret = ''] = /^ +evident tokens create .*$/m.exec(stderr) ?? [];
      await type(secret);
      await agentRuns();
      const can = (...what: string[]) =>
        cluster()
          .kubectl(['auth', 'can-i', ...what, '--as=system:serviceaccount:evident:evident-agent'])
          .catch(() => 'no');
      expect(await can('list', 'nodes')).toMatch(/^no/);
      expect(await can('list', 'pods', '-n', 'default')).toMatch(/^no/);
      await cluster().kubectl(['-n', 'shop', 'set', 'env', 'deployment/web', 'A=b']);
      const web = await claimed(
        api,
        ({ state, desired }) => state === 'running' && desired.revision === 2,
        'web.shop@prod',
      ).catch(async (error) => {
        throw new Error(`${error}; the agent says: ${await agentSays()}`);
      });
      expect(web.state).toBe('running');
      expect(ok(await api.get('/v1/services')).items).toHaveLength(2);
    });
  },
  { node: true },
);

import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { processesOf } from './app-processes.ts';
import { container, deployment, nameOf, PROBED, useFaultLab } from './fault-lab.ts';
import { describeWithCluster } from './own-cluster.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The process of `mute`, and of no other app here. */
const MUTE = 'sleep 200000';

describeWithCluster(
  'a node and its apps that freeze on a real cluster, from the cluster to the claim',
  (cluster) => {
    const { api, kubectl, log, observe } = useFaultLab(cluster, [
      deployment('web', PROBED, { replicas: 2 }),
      deployment('mute', container(MUTE)),
      deployment('open', container('httpd -f -p 8081 -h /www', ', ports: [{containerPort: 8081}]')),
      deployment('closed', container('sleep 100000', ', ports: [{containerPort: 8082}]')),
    ]);

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
      const [pid = 0] = processesOf(cluster().dir, MUTE);
      expect(pid).toBeGreaterThan(0);
      const mark = mute.mark;
      cluster().freeze('containerd');
      try {
        process.kill(pid, 'SIGKILL');
        await expect.poll(() => processesOf(cluster().dir, MUTE)).toEqual([]);
        const killedAt = Date.now();
        // Its node goes on renewing its lease: what is observed well after the end of the app is no other claim.
        await vi.waitFor(
          async () => {
            const { body } = await api().get(`/v1/services/${nameOf('mute')}/status`);
            expect(Date.parse(body.freshness.asOf)).toBeGreaterThan(killedAt + 5_000);
            expect(body).toMatchObject({ state: 'running', message: { code: 'running.by_node' } });
            expect(body.message.body).toContain('its node says so and is alive');
          },
          { timeout: 60_000, interval: 500 },
        );
        expect(mute.statesSince(mark)).toBe('running');
        expect(await kubectl(['-n', 'shop', 'get', 'pods', '-l', 'app=mute']), 'the lie').toMatch(
          /1\/1\s+Running/,
        );
      } finally {
        cluster().thaw('containerd');
      }
      // It ended, and its kubelet says so now.
      await mute.becomes({ state: 'degraded' });
      await mute.becomes({ state: 'running' });
    });

    it('is contradictory when an app that answered does not any more, and its node says that it runs (rules 7, 9)', async () => {
      await observe({ ask: true });
      const [open, closed] = [await log(nameOf('open')), await log(nameOf('closed'))];
      // Read, not followed: it may have been running by its node's word first, and a better proof is no transition.
      await vi.waitFor(
        async () => {
          const { body } = await api().get(`/v1/services/${nameOf('open')}/status`);
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
      await observe();
    });

    it('is unknown throughout while the kubelet is frozen, its pod deleted by force, its Deployment too (F73, F67)', async () => {
      const [web, mute] = [await log(nameOf('web')), await log(nameOf('mute'))];
      await web.becomes({ state: 'running' });
      await mute.becomes({ state: 'running' });
      const [mark, muteMark] = [web.mark, mute.mark];
      const alive = processesOf(cluster().dir, MUTE).length;
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
        expect(processesOf(cluster().dir, MUTE).length).toBe(alive);
      } finally {
        cluster().thaw('kubelet');
      }
      await web.becomes({ state: 'running' });
      await mute.becomes({ state: 'stopped', cause: { code: 'removed_elsewhere' } });
      // On a busy machine a new copy may be started twice: its exit is shown, and is no falsehood.
      const restarts = '{.items[*].status.containerStatuses[*].restartCount}';
      const counted = await kubectl([
        '-n',
        'shop',
        'get',
        'pods',
        '-l',
        'app=web',
        '-o',
        `jsonpath=${restarts}`,
      ]);
      const isRestarted = counted.split(' ').some((count) => count !== '0');
      const shown = web.statesSince(mark);
      expect(isRestarted ? shown.replace('degraded unsteady, ', '') : shown).toBe('running, unknown');
      expect(mute.statesSince(muteMark)).toBe('running, stopped removed_elsewhere, unknown');
    });
  },
  { node: true },
);

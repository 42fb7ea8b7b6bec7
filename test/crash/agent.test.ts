import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { INSTANCE_VARIABLE } from '../../src/runtime/process/environment.ts';
import { markedWith } from '../../src/runtime/process/proc.ts';
import { claimed, deploy, endProcessesOf, running } from '../agent/stage.ts';
import type { Events } from '../server/api.ts';
import { ok } from '../server/parties.ts';
import { describeServers, type Launched, type Server } from '../server/servers.ts';
import { AGENT_FAULTS, AGENT_POINTS, type AgentPoint, POINT_VARIABLE } from './agent-points.ts';
import { usePreload } from './preload.ts';

/** Appends a line to a file at each start, so that a test notices an instance that is started twice. */
const COMMAND = ['sh', '-c', 'echo $EVIDENT_REVISION $EVIDENT_INSTANCE >> $STARTS; exec sleep 600'];
const POINTS = (Object.keys(AGENT_POINTS) as AgentPoint[]).map(
  (point) => [AGENT_FAULTS[point], point, AGENT_POINTS[point]] as const,
);

/** Kills the real agent on a real runtime while it executes a command; then starts another on the same directory. */
describeServers(
  'a process agent is killed, and the next one on its directory completes the command once',
  (servers) => {
    const killHook = usePreload('agent-kill-hook.ts');
    let server: Server;
    beforeAll(async () => {
      server = await servers.start();
    });
    const agents: Launched[] = [];
    afterAll(async () => {
      // First: an agent that lives would start again what is ended here, and the next suite has services of the same names.
      for (const agent of agents) agent.process.kill('SIGKILL');
      await Promise.all(agents.map(({ ended }) => ended));
      await endProcessesOf(server.data);
    });

    const launch = async (target: string, env: Readonly<Record<string, string>> = {}) => {
      const args = [
        'agent',
        '--trust-apps',
        '--target',
        target,
        '--runtime',
        'process',
        '--router-port',
        '0',
        '-o',
        'json',
      ];
      const agent = servers.launch(args, {
        EVIDENT_DATA: server.data,
        EVIDENT_SERVER: server.api.address,
        ...env,
      });
      agents.push(agent);
      await agent.until(/"event":"ready"/);
      return agent;
    };
    const stage = async (point: AgentPoint, target: string) => {
      const service = `web@${target}`;
      const starts = join(server.data, `${target}.starts`);
      const spec = { command: COMMAND, port: null, replicas: 3, stabilityMs: 200, env: { STARTS: starts } };
      const agent = await launch(target, { ...killHook(), [POINT_VARIABLE]: point });
      await deploy(server.api, { note: 'first' }, spec, service);
      await claimed(server.api, running(1), service);
      return {
        agent,
        service,
        again: () => deploy(server.api, { note: 'second' }, spec, service),
        startsOf: (revision: number) =>
          readFileSync(starts, 'utf8')
            .trim()
            .split('\n')
            .filter((line) => line.startsWith(`${revision} `)),
        /** The revision of each process of the service that runs. */
        runningRevisions: () => {
          const ours = (name: string) => new Map(markedWith(name).map(({ id, value }) => [id.pid, value]));
          const services = ours('EVIDENT_SERVICE');
          const revisions = ours('EVIDENT_REVISION');
          return markedWith(INSTANCE_VARIABLE)
            .filter(({ id }) => services.get(id.pid) === service)
            .map(({ id }) => revisions.get(id.pid));
        },
      };
    };
    const submitted = async (service: string, kind: string) =>
      ok(await server.api.get(`/v1/services/${service}/evidence?verdict=admitted&limit=200`)).items.filter(
        (item: { kind: string; revision: number }) => item.kind === kind && item.revision === 2,
      );
    const statesOf = (events: Events) => {
      const states: string[] = [];
      void (async () => {
        for (let event = await events.next(); event !== null; event = await events.next()) {
          const claim = event.event === 'claim' ? event.data : event.data.claim;
          if (claim !== undefined) states.push(`${claim.state} r${claim.desired?.revision}`);
        }
      })().catch(() => {});
      return states;
    };

    describe.concurrent('while it replaces one revision by another', () => {
      it.each(POINTS)('%s, %s: %s', async (_fault, point) => {
        const { agent, service, again, startsOf, runningRevisions } = await stage(point, `put-${point}`);
        const events = await server.api.events(`/v1/services/${service}/events`);
        const states = statesOf(events);
        await again();
        expect(await agent.ended).toMatchObject({ signal: 'SIGKILL' });
        expect(states).not.toContain('running r2');
        expect(ok(await server.api.get(`/v1/services/${service}/status`)).state).not.toBe('running');
        // The agent starts processes and submits `runtime.applied` at the same time: either may come first.
        if (point !== 'first' && point !== 'last')
          expect(await submitted(service, 'runtime.applied')).toHaveLength(point === 'submitted' ? 1 : 0);

        await launch(`put-${point}`);
        await claimed(server.api, running(2), service);
        events.close();
        expect(await submitted(service, 'runtime.applied')).toHaveLength(1);
        expect(startsOf(2)).toHaveLength(3);
        expect(new Set(startsOf(2)).size).toBe(3);
        expect(startsOf(1)).toHaveLength(3);
        // The agent ends the old processes once the new ones have been stable for `stabilityMs`.
        while (runningRevisions().includes('1')) await wait(20);
        expect(runningRevisions()).toEqual(['2', '2', '2']);
      });
    });

    describe.concurrent('while it removes a service', () => {
      it.each(POINTS)('%s, %s: %s', async (_fault, point) => {
        const { agent, service, startsOf, runningRevisions } = await stage(point, `end-${point}`);
        const events = await server.api.events(`/v1/services/${service}/events`);
        const states = statesOf(events);
        // Refused for as long as a slow machine leaves the claim unknown.
        const remove = async () => ok(await server.api.call('DELETE', `/v1/services/${service}`), 202);
        await vi.waitFor(remove, { timeout: 30_000, interval: 500 });
        expect(await agent.ended).toMatchObject({ signal: 'SIGKILL' });
        // A report after the last process may come before the result is submitted.
        if (point !== 'submitted') expect(states.filter((state) => state.startsWith('stopped'))).toEqual([]);
        expect(await submitted(service, 'runtime.removed')).toHaveLength(point === 'submitted' ? 1 : 0);

        await launch(`end-${point}`);
        await claimed(server.api, ({ state }) => state === 'stopped', service);
        events.close();
        expect(await submitted(service, 'runtime.removed')).toHaveLength(1);
        expect(startsOf(1)).toHaveLength(3);
        expect(runningRevisions()).toEqual([]);
      });
    });
  },
  true,
);

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSTANCE_VARIABLE } from '../../src/runtime/process/environment.ts';
import { markedWith } from '../../src/runtime/process/proc.ts';
import { claimed, deploy, endProcessesOf, running } from '../agent/stage.ts';
import type { Events } from '../server/api.ts';
import { ok } from '../server/parties.ts';
import { describeServers, type Server } from '../server/servers.ts';
import { AGENT_FAULTS, AGENT_POINTS, type AgentPoint, POINT_VARIABLE } from './agent-points.ts';
import { useBeside } from './beside.ts';

/** Writes down that it was started: what was done twice is to be read there. */
const COMMAND = ['sh', '-c', 'echo $EVIDENT_REVISION $EVIDENT_INSTANCE >> $STARTS; exec sleep 600'];
const POINTS = (Object.keys(AGENT_POINTS) as AgentPoint[]).map(
  (point) => [AGENT_FAULTS[point], point, AGENT_POINTS[point]] as const,
);

/** The real agent on a real runtime, killed on its way through a command; then another one on the same directory. */
describeServers(
  'a process agent that is killed',
  (servers) => {
    const doom = useBeside('agent-doom.ts');
    let server: Server;
    beforeAll(async () => {
      server = await servers.start();
    });
    afterAll(() => endProcessesOf(server.data));

    const launch = async (target: string, env: Readonly<Record<string, string>> = {}) => {
      const args = ['agent', '--target', target, '--runtime', 'process', '--router-port', '0', '-o', 'json'];
      const agent = servers.launch(args, {
        EVIDENT_DATA: server.data,
        EVIDENT_SERVER: server.api.address,
        ...env,
      });
      await agent.until(/"event":"ready"/);
      return agent;
    };
    const stage = async (point: AgentPoint, target: string) => {
      const service = `web@${target}`;
      const starts = join(server.data, `${target}.starts`);
      const spec = { command: COMMAND, port: null, replicas: 3, stabilityMs: 200, env: { STARTS: starts } };
      const agent = await launch(target, { ...doom(), [POINT_VARIABLE]: point });
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
        /** What runs of it, by revision. */
        alive: () => {
          const ours = (name: string) => new Map(markedWith(name).map(({ id, value }) => [id.pid, value]));
          const services = ours('EVIDENT_SERVICE');
          const revisions = ours('EVIDENT_REVISION');
          return markedWith(INSTANCE_VARIABLE)
            .filter(({ id }) => services.get(id.pid) === service)
            .map(({ id }) => revisions.get(id.pid));
        },
      };
    };
    const said = async (service: string, kind: string) =>
      ok(await server.api.get(`/v1/services/${service}/evidence?verdict=admitted&limit=200`)).items.filter(
        (item: { kind: string; revision: number }) => item.kind === kind && item.revision === 2,
      );
    const statesOf = (events: Events) => {
      const states: string[] = [];
      void (async () => {
        for (let told = await events.next(); told !== null; told = await events.next()) {
          const claim = told.event === 'claim' ? told.data : told.data.claim;
          if (claim !== undefined) states.push(`${claim.state} r${claim.desired?.revision}`);
        }
      })().catch(() => {});
      return states;
    };

    describe.concurrent('while it puts another revision in place', () => {
      it.each(POINTS)('%s, %s: %s', async (_fault, point) => {
        const { agent, service, again, startsOf, alive } = await stage(point, `put-${point}`);
        const events = await server.api.events(`/v1/services/${service}/events`);
        const states = statesOf(events);
        await again();
        expect(await agent.ended).toMatchObject({ signal: 'SIGKILL' });
        expect(states).not.toContain('running r2');
        expect(ok(await server.api.get(`/v1/services/${service}/status`)).state).not.toBe('running');
        // Processes are started while it is said that this is what is wanted from now on: either may come first.
        if (point !== 'first' && point !== 'last')
          expect(await said(service, 'runtime.applied')).toHaveLength(point === 'said' ? 1 : 0);

        await launch(`put-${point}`);
        await claimed(server.api, running(2), service);
        events.close();
        expect(await said(service, 'runtime.applied')).toHaveLength(1);
        expect(startsOf(2)).toHaveLength(3);
        expect(new Set(startsOf(2)).size).toBe(3);
        expect(startsOf(1)).toHaveLength(3);
        // The old goes when the new has held for its window, which the agent counts for itself.
        while (alive().includes('1')) await wait(20);
        expect(alive()).toEqual(['2', '2', '2']);
      });
    });

    describe.concurrent('while it removes a service', () => {
      it.each(POINTS)('%s, %s: %s', async (_fault, point) => {
        const { agent, service, startsOf, alive } = await stage(point, `end-${point}`);
        const events = await server.api.events(`/v1/services/${service}/events`);
        const states = statesOf(events);
        ok(await server.api.call('DELETE', `/v1/services/${service}`), 202);
        expect(await agent.ended).toMatchObject({ signal: 'SIGKILL' });
        expect(states.filter((state) => state.startsWith('stopped'))).toEqual([]);
        expect(await said(service, 'runtime.removed')).toHaveLength(point === 'said' ? 1 : 0);

        await launch(`end-${point}`);
        await claimed(server.api, ({ state }) => state === 'stopped', service);
        events.close();
        expect(await said(service, 'runtime.removed')).toHaveLength(1);
        expect(startsOf(1)).toHaveLength(3);
        expect(alive()).toEqual([]);
      });
    });
  },
  true,
);

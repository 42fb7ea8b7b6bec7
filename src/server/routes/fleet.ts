import { z } from 'zod';
import { agentsSchema, commandsSchema, spansSchema, workersSchema } from '../../contract/answers/fleet.ts';
import { operators } from '../auth/access.ts';
import type { Parts } from '../parts.ts';
import { Refused } from '../problems.ts';
import { agentsOf, spansOf } from '../reads/agents.ts';
import { commandsOf } from '../reads/commands.ts';
import { workersOf } from '../reads/workers.ts';
import { type Route, route } from '../route.ts';

/** Who is alive and was when, what waits and why. */
export function fleetRoutes({ host, loops }: Parts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/agents',
      access: operators,
      summary: 'Agents: alive, stale or fenced, and how fresh their word is',
      answers: { 200: 'items' },
      gives: { 200: agentsSchema },
      handle: async ({ caller }) => ({ body: await agentsOf(host, caller) }),
    }),
    route({
      method: 'GET',
      path: '/v1/agents/:id/spans',
      access: operators,
      summary: 'When an agent was heard',
      answers: { 200: 'items', 404: 'not_found' },
      gives: { 200: spansSchema },
      handle: async ({ caller, params }) => {
        const spans = await spansOf(host, caller.org, params.id ?? '');
        if (spans === null) throw new Refused('not_found', 'There is no such agent.');
        return { body: spans };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/workers',
      access: operators,
      summary: 'Workers and what they hold; publisher and sweeper among them',
      answers: { 200: 'items' },
      gives: { 200: workersSchema },
      handle: async ({ caller }) => ({ body: await workersOf(host, caller, loops.states) }),
    }),
    route({
      method: 'GET',
      path: '/v1/commands',
      access: operators,
      summary: 'Commands that are not over: what each waits for, and who holds it',
      query: z.object({ service: z.string().max(100).optional() }),
      answers: { 200: 'items' },
      gives: { 200: commandsSchema },
      handle: async ({ caller, query }) => ({
        body: await commandsOf(host, caller, query.service),
      }),
    }),
  ];
}

import { z } from 'zod';
import { agentsSchema, commandsSchema, spansSchema, workersSchema } from '../../contract/answers/fleet.ts';
import type { ServerContext } from '../context.ts';
import { inPages } from '../http/cursor.ts';
import { Refused } from '../http/problems.ts';
import { type Route, route, shortListQuery } from '../http/route.ts';
import { agentsOf, spansOf } from '../reads/agents.ts';
import { commandsOf } from '../reads/commands.ts';
import { PLATFORM, workersOf } from '../reads/workers.ts';

/** Routes about agents, workers and open commands. */
export function fleetRoutes({ config, host, loops }: ServerContext): Route[] {
  const paged = shortListQuery(config);
  return [
    route({
      method: 'GET',
      path: '/v1/agents',
      access: 'inspect',
      summary: 'Agents: alive, stale or fenced, and how fresh their word is',
      query: z.object(paged),
      answers: { 200: 'items, cursor' },
      gives: { 200: agentsSchema },
      handle: async (call) => inPages('agents', call, await agentsOf(host, call.caller), agentRank),
    }),
    route({
      method: 'GET',
      path: '/v1/agents/:id/spans',
      access: 'inspect',
      summary: 'When an agent was heard',
      query: z.object(paged),
      answers: { 200: 'items, cursor', 404: 'not_found' },
      gives: { 200: spansSchema },
      handle: async (call) => {
        const spans = await spansOf(host, call.caller, call.params.id ?? '');
        if (spans === null) throw new Refused('not_found', 'No such agent.');
        return inPages('spans', call, spans, ({ from, until, firstSeq }) => `${from} ${until} ${firstSeq}`);
      },
    }),
    route({
      method: 'GET',
      path: '/v1/workers',
      access: 'inspect',
      summary: 'Workers and what they hold; publisher and sweeper among them',
      query: z.object(paged),
      answers: { 200: 'items, cursor' },
      gives: { 200: workersSchema },
      handle: async (call) =>
        inPages('workers', call, await workersOf(host, call.caller, loops.states), workerRank),
    }),
    route({
      method: 'GET',
      path: '/v1/commands',
      access: 'inspect',
      summary: 'Commands that are not over: what each waits for, and who holds it',
      query: z.object({ ...paged, service: z.string().max(100).optional() }),
      answers: { 200: 'items, cursor' },
      gives: { 200: commandsSchema },
      handle: async (call) => {
        const waiting = await commandsOf(host, call.caller, call.query.service);
        return inPages('commands', call, waiting, ({ since, command }) => `${since} ${command}`);
      },
    }),
  ];
}

/** Orders agents by target: the current agent first, then the fenced ones, the newest first. */
function agentRank({
  target,
  state,
  registeredAt,
  id,
}: { [_ in 'target' | 'state' | 'registeredAt' | 'id']: string }) {
  const ago = String(Number.MAX_SAFE_INTEGER - Date.parse(registeredAt)).padStart(16, '0');
  return `${target} ${state === 'fenced' ? 1 : 0} ${ago} ${id}`;
}

/** Workers first, then the platform's own loops. */
const workerRank = ({ worker, instance }: { readonly worker: string; readonly instance: string }) =>
  `${instance === PLATFORM ? 1 : 0} ${worker} ${instance}`;

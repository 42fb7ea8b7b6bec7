import type { AgentView, CommandView, WorkerView } from '../../../../src/contract/answers/views.ts';

/** What one reading of agents, workers and commands told. */
export interface Fleet {
  readonly agents: readonly AgentView[];
  readonly workers: readonly WorkerView[];
  readonly commands: readonly CommandView[];
  /** What is on record of them and cannot be read, by its name. */
  readonly unreadable: readonly string[];
}

export interface Shown {
  /** Who speaks for each target, with what it takes and holds. Silent ones stay: they are what one looks for. */
  readonly agents: readonly { readonly agent: AgentView; readonly takes: WorkerView | null }[];
  readonly workers: readonly WorkerView[];
  /** Loops of the servers, and the servers themselves. */
  readonly platform: readonly WorkerView[];
  /** Fenced agents, and workers and servers that went away with nothing in their hands. */
  readonly fenced: readonly AgentView[];
  readonly offline: readonly WorkerView[];
}

const PLATFORM = 'platform';
const SERVER = 'server';

export function shownFleet({ agents, workers }: Pick<Fleet, 'agents' | 'workers'>): Shown {
  const speaking = agents.filter(({ state }) => state !== 'fenced');
  const byInstance = new Map(workers.map((worker) => [worker.instance, worker]));
  const isAgents = ({ instance }: WorkerView) => speaking.some((agent) => agent.instance === instance);
  const rest = workers.filter((worker) => !isAgents(worker));
  return {
    agents: speaking.map((agent) => ({ agent, takes: byInstance.get(agent.instance) ?? null })),
    workers: rest.filter((worker) => worker.instance !== PLATFORM && !isGone(worker)),
    platform: rest.filter((worker) => worker.instance === PLATFORM && !isGone(worker)),
    fenced: agents.filter(({ state }) => state === 'fenced'),
    offline: rest.filter(isGone),
  };
}

/**
 * Away, and nothing waits for it. A publisher or sweeper that is offline fails at its work, and no deployment goes on
 * without it: it stays in sight. So does whoever is away with a lease in its hands.
 */
function isGone({ state, holds, instance, kinds }: WorkerView): boolean {
  const isLoop = instance === PLATFORM && !kinds.includes(SERVER);
  return state === 'offline' && holds.length === 0 && !isLoop;
}

/** The start of a long name, enough to tell it from others; the whole of it stands in the title. */
export const brief = (name: string) => (name.length <= 14 ? name : `${name.slice(0, 12)}…`);

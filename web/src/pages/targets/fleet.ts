import type {
  AgentView,
  CommandView,
  TargetView,
  WorkerView,
} from '../../../../src/contract/answers/views.ts';

/** One answer about agents, workers and commands. */
export interface Fleet {
  readonly agents: readonly AgentView[];
  readonly workers: readonly WorkerView[];
  readonly commands: readonly CommandView[];
  readonly targets: readonly TargetView[];
  /** Names of recorded items that cannot be read. */
  readonly unreadable: readonly string[];
}

interface FleetLists {
  /**
   * The agent of each target, with the commands it takes and holds. Silent agents stay listed: people look
   * for them.
   */
  readonly agents: readonly { readonly agent: AgentView; readonly takes: WorkerView | null }[];
  readonly workers: readonly WorkerView[];
  /** The servers and their loops. */
  readonly platform: readonly WorkerView[];
  /** Fenced agents, and workers and servers that are offline without a lease. */
  readonly fenced: readonly AgentView[];
  readonly offline: readonly WorkerView[];
}

const PLATFORM = 'platform';
const SERVER = 'server';

export function fleetLists({ agents, workers }: Pick<Fleet, 'agents' | 'workers'>): FleetLists {
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
 * Offline, and nothing waits for it. An offline publisher or sweeper stays visible, because no deployment
 * goes on without it; so does a worker that is offline while it holds a lease.
 */
function isGone({ state, holds, instance, kinds }: WorkerView): boolean {
  const isLoop = instance === PLATFORM && !kinds.includes(SERVER);
  return state === 'offline' && holds.length === 0 && !isLoop;
}

/** The start of a long name; the title has all of it. */
export const brief = (name: string) => (name.length <= 14 ? name : `${name.slice(0, 12)}…`);

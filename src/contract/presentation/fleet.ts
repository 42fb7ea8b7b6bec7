import type { AgentView, CommandView, WorkerView } from '../answers/views.ts';
import { ago, clockTime, span } from './times.ts';

/**
 * When an agent was last heard. Of a silent one that is the instant of its last report, as every claim and page has it: that
 * a request of it reached the server later says nothing of what runs. Null: never.
 */
export function heardAt({
  state,
  seenAt,
  asOf,
}: Pick<AgentView, 'state' | 'seenAt' | 'asOf'>): string | null {
  return state === 'stale' && hadContact(asOf) ? asOf : seenAt;
}

/** The state of an agent in words. A stale agent is not gone: it is silent since an instant that is recorded. */
export function standing(agent: Pick<AgentView, 'state' | 'seenAt' | 'asOf'>): string {
  if (agent.state !== 'stale') return agent.state;
  const at = heardAt(agent);
  return at === null ? 'never heard' : `silent since ${clockTime(at)}`;
}

/** The agent's clock against the server's. An agent that reports no clock is not called in step. */
export function skew(skewMs: number | null): string {
  if (skewMs === null) return 'not reported';
  if (Math.abs(skewMs) < 1) return 'in step';
  const by = Math.abs(skewMs);
  return `${by < 1000 ? `${Math.round(by)} ms` : span(by)} ${skewMs > 0 ? 'ahead' : 'behind'}`;
}

/** A scope that was only ever reported as unavailable has `asOf` 0: it was never observed. */
export const hadContact = (at: string | null): at is string => at !== null && Date.parse(at) > 0;

/** The age of the observation when the agent reported it: the age of its watch, not of the report. */
export function watchAge({ asOf, watchAgeMs }: Pick<AgentView, 'asOf' | 'watchAgeMs'>): string {
  if (watchAgeMs === null || !hadContact(asOf)) return 'none';
  return watchAgeMs < 1000 ? `${Math.round(watchAgeMs)} ms` : span(watchAgeMs);
}

/**
 * The end of a lease, which its holder moves on while it works: as a time of day, since seconds that are left would be taken
 * for those of the deadline. `serverNow` is null where the lease was read long ago: it may have been renewed since, and is
 * not called ended. The end of a lease proves nothing before the lapse is recorded.
 */
export function leaseUntil(until: string, serverNow: number | null): string {
  const agoMs = serverNow === null ? -1 : serverNow - Date.parse(until);
  return agoMs < 0 ? `lease until ${clockTime(until)}, renewed while it works` : `lease ended ${ago(agoMs)}`;
}

/** The number of leases of a command that lapsed; null if none did. */
export function lapsed(lapses: number): string | null {
  return lapses === 0 ? null : lapses === 1 ? 'lapsed once' : `lapsed ${lapses} times`;
}

/** One line that counts agents, workers and commands. */
export function fleetCounts(
  agents: readonly Pick<AgentView, 'state'>[],
  workers: readonly Pick<WorkerView, 'state'>[],
  commands: readonly Pick<CommandView, 'holder'>[],
): string {
  const alive = agents.filter(({ state }) => state === 'alive').length;
  const silent = agents.filter(({ state }) => state === 'stale').length;
  const online = workers.filter(({ state }) => state !== 'offline').length;
  const busy = workers.filter(({ state }) => state === 'busy').length;
  const waiting = commands.filter(({ holder }) => holder === null).length;
  const leased = commands.length - waiting;
  return [
    `${many(alive, 'agent')} alive${silent === 0 ? '' : `, ${silent} silent`}.`,
    `${many(online, 'worker')} online${busy === 0 ? '' : `, ${busy} with work`}.`,
    commands.length === 0
      ? NOTHING_WAITS
      : `${many(waiting, 'command')} ${waiting === 1 ? 'waits' : 'wait'}, ${leased} in work.`,
  ].join(' ');
}

export const NOTHING_WAITS = 'No command is waiting or being carried out.';

const many = (n: number, what: string) => `${n === 0 ? 'No' : n} ${what}${n === 1 ? '' : 's'}`;

/** The rule of a target in words: `shop, bank, with app=web`. */
export function ruleSentence(observation: AgentView['observation']): string {
  if (observation === null) return 'nothing that other tools deploy';
  const { namespaces, selector } = observation;
  // An agent may have been started for some alone.
  const where = namespaces.includes('*') ? 'every namespace that its agent may read' : namespaces.join(', ');
  return `${where}${selector === null ? '' : `, with ${selector}`}`;
}

/**
 * The trouble with a scope: it may not be read, does not answer, stands still or does not exist; null: it is as it should
 * be.
 */
export function scopeTrouble(scope: AgentView['scopes'][number]): string | null {
  const { unavailable, stalled, denied = [], absent = false, asOf } = scope;
  const verbs = [...new Set(denied.map(({ verb }) => verb))];
  const missing = verbs
    .map((verb) => `${verb} ${denied.flatMap((one) => (one.verb === verb ? one.resource : [])).join(', ')}`)
    .join('; ');
  if (unavailable === 'forbidden')
    return `may not be read${missing === '' ? '' : `: the agent may not ${missing}`}`;
  if (unavailable !== null) return 'does not answer';
  if (stalled) return 'stands still: what was seen is the last known';
  return absent ? `does not exist in the cluster (as of ${asOf === null ? '–' : clockTime(asOf)})` : null;
}

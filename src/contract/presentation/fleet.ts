import type { AgentView, CommandView, WorkerView } from '../answers/views.ts';
import { ago, clockTime, span } from './times.ts';

/** How an agent stands, in words. What is stale is not gone: it is silent, and since when is known. */
export function standing({ state, seenAt }: Pick<AgentView, 'state' | 'seenAt'>): string {
  if (state !== 'stale') return state;
  return seenAt === null ? 'never heard' : `silent since ${clockTime(seenAt)}`;
}

/** Its own clock against the server's. An agent that told none is not said to be in step. */
export function skew(skewMs: number | null): string {
  if (skewMs === null) return 'not told';
  if (Math.abs(skewMs) < 1) return 'in step';
  const by = Math.abs(skewMs);
  return `${by < 1000 ? `${Math.round(by)} ms` : span(by)} ${skewMs > 0 ? 'ahead' : 'behind'}`;
}

/** A scope that was only ever told to be unavailable has an `asOf` before anything: it was never seen. */
export const wasSeen = (at: string | null): at is string => at !== null && Date.parse(at) > 0;

/** How old what it sees was when it told it: its watch, not its voice. */
export function watchAge({ asOf, watchAgeMs }: Pick<AgentView, 'asOf' | 'watchAgeMs'>): string {
  if (watchAgeMs === null || !wasSeen(asOf)) return 'none';
  return watchAgeMs < 1000 ? `${Math.round(watchAgeMs)} ms` : span(watchAgeMs);
}

/**
 * What is left of a lease, by the server's clock; null where what is known of it is old: it may have been renewed
 * since, and is not said to have ended. Its end is no proof of anything before the lapse is recorded.
 */
export function leaseLeft(until: string, there: number | null): string {
  if (there === null) return `until ${clockTime(until)}`;
  const ms = Date.parse(until) - there;
  return ms > 0 ? `${Math.ceil(ms / 1000)} s left` : `ended ${ago(-ms)}`;
}

/** How often it was given up unfinished, where it was. */
export function lapsed(lapses: number): string | null {
  return lapses === 0 ? null : lapses === 1 ? 'lapsed once' : `lapsed ${lapses} times`;
}

/** All of it in a line: who is there, and how much waits. */
export function fleetCounts(
  agents: readonly Pick<AgentView, 'state'>[],
  workers: readonly Pick<WorkerView, 'state'>[],
  commands: readonly Pick<CommandView, 'holder'>[],
): string {
  const alive = agents.filter(({ state }) => state === 'alive').length;
  const silent = agents.filter(({ state }) => state === 'stale').length;
  const here = workers.filter(({ state }) => state !== 'offline').length;
  const busy = workers.filter(({ state }) => state === 'busy').length;
  const waiting = commands.filter(({ holder }) => holder === null).length;
  const held = commands.length - waiting;
  return [
    `${many(alive, 'agent')} alive${silent === 0 ? '' : `, ${silent} silent`}.`,
    `${many(here, 'worker')} online${busy === 0 ? '' : `, ${busy} at work`}.`,
    commands.length === 0
      ? NOTHING_WAITS
      : `${many(waiting, 'command')} ${waiting === 1 ? 'waits' : 'wait'}, ${held} in work.`,
  ].join(' ');
}

export const NOTHING_WAITS = 'Nothing waits and nothing is being worked on.';

const many = (n: number, what: string) => `${n === 0 ? 'No' : n} ${what}${n === 1 ? '' : 's'}`;

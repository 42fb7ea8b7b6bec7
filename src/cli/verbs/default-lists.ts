import type { AgentView, ServiceItem, WorkerView } from '../../contract/answers/views.ts';
import { uncoveredSentence } from '../../contract/presentation/uncovered.ts';

/**
 * Selects the part of a list that a person sees by default: what is alive. The rest is counted in a note, and
 * `--all` shows it. Programs get the whole list.
 */
const A_DAY_MS = 86_400_000;

/** Causes of `stopped` for which a service is still declared at its target. */
const STILL_DECLARED: ReadonlySet<string> = new Set([
  'scaled_to_zero',
  'no_node_selected',
  'job_suspended',
  'completed',
]);

/** A service that was torn down. One that rests is still wanted. */
const isTornDown = ({ claim }: ServiceItem) =>
  claim.state === 'stopped' && !STILL_DECLARED.has(claim.cause?.code ?? '');

const isLongGone = (item: ServiceItem) =>
  isTornDown(item) && Date.parse(item.claim.now) - Date.parse(item.claim.since) > A_DAY_MS;

/** Torn-down services stand last, and are left out after a day. */
export function listedServices(items: readonly ServiceItem[], all: boolean): ServiceItem[] {
  const listed = items.filter((item) => all || !isLongGone(item));
  return [...listed.filter((item) => !isTornDown(item)), ...listed.filter(isTornDown)];
}

/** Services that the rules of their targets no longer cover, in a sentence; null where there are none. */
export function uncoveredNote(items: readonly ServiceItem[]): string | null {
  const sentence = uncoveredSentence(items);
  return sentence === null ? null : `${sentence} All: --all`;
}

/** A fenced agent never reports again; the one that fenced it is listed instead. */
export const listedAgents = (items: readonly AgentView[]) => items.filter(({ state }) => state !== 'fenced');

/** Every start of a worker is a new process: of the offline ones only the last of each name is listed. */
export function listedWorkers(items: readonly WorkerView[]): WorkerView[] {
  const isFollowed = ({ worker, lastSeen }: WorkerView) =>
    items.some((other) => other.worker === worker && (other.lastSeen ?? '') > (lastSeen ?? ''));
  return items.filter((item) => item.state !== 'offline' || !isFollowed(item));
}

import type { AgentView, ServiceItem, WorkerView } from '../../contract/answers/views.ts';

/**
 * What of a list a person is shown who asked for no more: what is there. The rest is counted in a note, and `--all`
 * shows it. Programs get all of it, as the API has it.
 */
const A_DAY_MS = 86_400_000;

/** It was asked to be gone, and is. One that was scaled to nothing is still wanted. */
const isTornDown = ({ claim }: ServiceItem) =>
  claim.state === 'stopped' && claim.cause?.code !== 'scaled_to_zero';

const isLongGone = (item: ServiceItem) =>
  isTornDown(item) && Date.parse(item.claim.now) - Date.parse(item.claim.since) > A_DAY_MS;

/** What was torn down stands last, and after a day no longer. */
export function shownServices(items: readonly ServiceItem[], all: boolean): ServiceItem[] {
  const shown = items.filter((item) => all || !isLongGone(item));
  return [...shown.filter((item) => !isTornDown(item)), ...shown.filter(isTornDown)];
}

/** A fenced one never speaks again: whoever fenced it stands in its place. */
export const shownAgents = (items: readonly AgentView[]) => items.filter(({ state }) => state !== 'fenced');

/** Every start of a worker is a process of its own: of those that are offline, only the last of its name is news. */
export function shownWorkers(items: readonly WorkerView[]): WorkerView[] {
  const isFollowed = ({ worker, lastSeen }: WorkerView) =>
    items.some((other) => other.worker === worker && (other.lastSeen ?? '') > (lastSeen ?? ''));
  return items.filter((item) => item.state !== 'offline' || !isFollowed(item));
}

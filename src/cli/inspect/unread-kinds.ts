import type { ClusterProblem } from '../../kubernetes/api/problem.ts';
import type { ApiResource } from '../../kubernetes/api/resources.ts';
import type { BadDocument } from './documents.ts';

/** A kind whose objects could not be read. */
export interface UnreadKind {
  readonly resource: Pick<ApiResource, 'group' | 'resource'>;
  readonly problem: ClusterProblem;
}

/** Names beyond these are counted: nobody reads on. */
const NAMED = 30;

/**
 * One line for all kinds that may not be listed, however many they are: whoever may read one namespace only would get
 * one for each. Any other problem has its own.
 */
export function unreadKinds(unread: readonly UnreadKind[]): BadDocument[] {
  const denied = unread.filter(({ problem }) => problem.kind === 'forbidden');
  const other = unread.filter(({ problem }) => problem.kind !== 'forbidden' || denied.length === 1);
  const lines = other.map(({ resource, problem }) => ({
    where: nameOfKind(resource),
    why: `cannot be read: ${problem.message}`,
  }));
  if (denied.length < 2) return lines;
  const names = denied.slice(0, NAMED).map(({ resource }) => nameOfKind(resource));
  const more = denied.length > NAMED ? ` and ${denied.length - NAMED} more` : '';
  return [
    { where: `${denied.length} kinds`, why: `may not be listed: ${names.join(', ')}${more}.` },
    ...lines,
  ];
}

/** As kubectl names it: `jobs.batch`. */
const nameOfKind = ({ group, resource }: UnreadKind['resource']) =>
  group === '' ? resource : `${resource}.${group}`;

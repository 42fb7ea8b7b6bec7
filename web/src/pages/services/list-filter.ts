import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { STATES } from '../../../../src/contract/vocabulary.ts';
import { GROUPS, type Group, groupOf, SORTS, type Sort } from './attention.ts';
import type { ServiceRowView } from './rows.ts';

/** The forms of the list. */
export const LAYOUTS = ['rows', 'compact', 'map'] as const;
export type Layout = (typeof LAYOUTS)[number];

/** Filter, order and form of the list. They stand in the address, so that a view can be sent to somebody. */
export interface ListFilter {
  readonly group: Group | null;
  readonly state: string;
  readonly target: string;
  /** The author of the wanted revision, or whoever requested it. */
  readonly by: string;
  readonly search: string;
  /** Null: by attention, in groups. */
  readonly sort: Sort | null;
  /** Reversed order; in the address, a minus before it. */
  readonly isReversed: boolean;
  /** The address names an instant, as that of a service does. */
  readonly hasInstant: boolean;
  readonly layout: Layout;
  readonly isWanted: (row: ServiceRowView) => boolean;
}

type Parameter = 'at' | 'show' | 'state' | 'target' | 'by' | 'q' | 'sort' | 'as';
export type Choose = (change: Readonly<Partial<Record<Parameter, string>>>) => void;
/** Shows every service; the form of the list stays. */
export const NO_FILTER = { show: '', state: '', target: '', by: '', q: '' } as const;

export function useListFilter(): readonly [ListFilter, Choose] {
  const search = useSearch();
  const [place, go] = useLocation();
  const choice = useMemo(() => choiceOf(new URLSearchParams(search)), [search]);
  const choose: Choose = (change) => {
    const params = new URLSearchParams(search);
    for (const [key, value] of Object.entries(change))
      if (value === '') params.delete(key);
      else params.set(key, value);
    const query = params.toString();
    go(query === '' ? place : `${place}?${query}`, { replace: true });
  };
  return [choice, choose];
}

export function choiceOf(params: URLSearchParams): ListFilter {
  const group = GROUPS.find((name) => name === params.get('show')) ?? null;
  // An unknown state is no filter.
  const state = STATES.find((name) => name === params.get('state')) ?? '';
  const target = params.get('target') ?? '';
  const by = params.get('by') ?? '';
  const search = params.get('q') ?? '';
  const requestedSort = params.get('sort') ?? '';
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return {
    group,
    state,
    target,
    by,
    search,
    sort: SORTS.find((name) => name === requestedSort.replace(/^-/, '')) ?? null,
    hasInstant: params.has('at'),
    isReversed: requestedSort.startsWith('-'),
    layout: LAYOUTS.find((name) => name === params.get('as')) ?? 'rows',
    isWanted: (row) =>
      (group === null || groupOf(row) === group) &&
      (state === '' || row.claimView.state === state) &&
      (target === '' || row.target === target) &&
      (by === '' || row.item.wanted?.actor === by || row.item.wanted?.git?.author === by) &&
      words.every((word) => searchedText(row).includes(word)),
  };
}

/** Names, commit with the first line of its message, and author; not our sentences, in which every word occurs somewhere. */
function searchedText({ ref, item }: ServiceRowView): string {
  const { git, actor = '' } = item.wanted ?? {};
  const subject = git?.message?.split('\n')[0] ?? '';
  return `${ref} ${git?.sha ?? ''} ${subject} ${git?.author ?? ''} ${actor}`.toLowerCase();
}

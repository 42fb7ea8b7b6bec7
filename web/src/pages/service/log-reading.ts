import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { LogLineView, RibbonView } from '../../../../src/contract/answers/views.ts';
import { get } from '../../api.ts';
import { logLines } from './log-lines.ts';

/** Lines that are drawn at once. */
export const KEPT = 1_000;
/** The most that the server answers with. */
const MOST = 10_000;
const EXITS_AGAIN_MS = 3_000;

/**
 * Polls while visible. Rejected: a stream of its own. A browser has six connections for all its tabs, and
 * each tab already holds one for claims.
 */
export function useLines(path: string, isPaused: boolean, count = KEPT): readonly LogLineView[] | undefined {
  const { data } = useQuery({
    queryKey: ['lines', path, 'newest', count],
    enabled: !isPaused,
    refetchInterval: 1_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => logLines(`${path}&tail=${count}`, signal),
    structuralSharing: (before, after) =>
      isSameEnd(before as readonly LogLineView[] | undefined, after as readonly LogLineView[])
        ? before
        : after,
  });
  return data;
}

/** The exits on record, which part the runs of an instance: their lines alone do not say where one ended. */
export function useExits(service: string, isWanted: boolean, until: number | null): readonly string[] {
  const { data } = useQuery({
    queryKey: ['exits', service],
    enabled: isWanted,
    refetchInterval: until === null ? EXITS_AGAIN_MS : false,
    queryFn: async ({ signal }) => {
      const { ticks } = await get<RibbonView>(`/v1/services/${service}/ribbon`, signal);
      return ticks.flatMap(({ kind, at }) => (kind === 'exit' ? [at] : []));
    },
  });
  return isWanted ? (data ?? NO_EXITS).filter((at) => until === null || Date.parse(at) <= until) : NO_EXITS;
}

const NO_LINES: readonly LogLineView[] = [];
const NO_EXITS: readonly string[] = [];

const isSameEnd = (before: readonly LogLineView[] | undefined, after: readonly LogLineView[]) =>
  before?.length === after.length && JSON.stringify(before.at(-1)) === JSON.stringify(after.at(-1));

/** All lines that are kept, as many as the server answers with. */
export const allLines = (path: string, signal: AbortSignal) => logLines(`${path}&tail=${MOST}`, signal);

/**
 * The same as a question: undefined until they are read. Each instant shows its part.
 * A revision that an address names and that does not exist has none.
 */
export function useAllLines(path: string, isWanted: boolean): readonly LogLineView[] | undefined {
  const { data, isError } = useQuery({
    queryKey: ['lines', path],
    enabled: isWanted,
    queryFn: ({ signal }) => allLines(path, signal),
  });
  if (!isWanted) return undefined;
  return isError ? (data ?? NO_LINES) : data;
}

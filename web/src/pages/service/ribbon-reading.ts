import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { RibbonView } from '../../../../src/contract/answers/views.ts';
import { get } from '../../api.ts';

const POINTS = 200;
const REREAD_MS = 60_000;

/**
 * The ribbon of a service, read once for all parts of the page; again with news, and once in a while. An exit is news also
 * where it changes no state: the page counts it beside the ribbon.
 */
export function useServiceRibbon(service: string, windowMs: number, serverNow: number, news: string) {
  const { data, refetch, isLoading, failureCount } = useQuery({
    queryKey: ['ribbon', service, windowMs],
    queryFn: ({ signal }) => {
      const from = new Date(serverNow - windowMs).toISOString();
      return get<RibbonView>(`/v1/services/${service}/ribbon?points=${POINTS}&from=${from}`, signal);
    },
    refetchInterval: REREAD_MS,
  });
  const read = useRef(news);
  useEffect(() => {
    if (read.current === news) return;
    read.current = news;
    void refetch();
  }, [news, refetch]);
  return { ribbon: data, isAwaited: isLoading && failureCount === 0 };
}

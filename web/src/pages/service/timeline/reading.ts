import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type {
  AgentView,
  EvidenceView,
  LeaseView,
  Page,
  SpanView,
  TransitionView,
} from '../../../../../src/contract/answers/views.ts';
import { targetOf } from '../../../../../src/contract/names.ts';
import { get } from '../../../api.ts';
import { useView } from '../../../live/live.ts';
import { useGrowingList } from '../../../live/use-growing-list.ts';
import { type HeldPages, readHeld } from './leases.ts';
import { evidenceStory, type Story, storyFrom } from './pieces.ts';

/** Number of agents whose spans are read, the newest ones; each costs a request. */
const AGENTS = 20;
/** Number of the newest pieces drawn; the page says that there are older ones. */
const DRAWN = 50_000;

interface StoryQuery {
  readonly story: Story;
  /** Number of recorded pieces that are not drawn. */
  readonly older: number;
  readonly isReading: boolean;
  readonly problem: Error | null;
}

const NONE: never[] = [];

/** All evidence about a service, its leases, and the liveness of its target: read once, then read on. */
export function useStory(service: string, transitions: readonly TransitionView[]): StoryQuery {
  const path = `/v1/services/${service}`;
  const { changes, looks } = useView();
  const news = changes + looks;
  const evidence = useGrowingList<EvidenceView>(`${path}/evidence`, news);
  const queries = useQueryClient();
  const leases = useQuery({
    queryKey: ['held', 'leases', service],
    queryFn: ({ signal, queryKey }) =>
      readHeld(queries.getQueryData<HeldPages>(queryKey) ?? [], (cursor) => {
        const from = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        return get<Page<LeaseView>>(`${path}/leases?limit=200${from}`, signal);
      }),
  });
  const agents = useQuery({
    queryKey: ['held', 'agents', targetOf(service)],
    queryFn: async ({ signal }) => {
      const { items } = await get<Page<AgentView>>('/v1/agents', signal);
      return items.filter(({ target }) => target === targetOf(service)).slice(0, AGENTS);
    },
  });
  const spans = useQueries({
    queries: (agents.data ?? NONE).map(({ id }) => ({
      queryKey: ['held', 'spans', id],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        get<Page<SpanView>>(`/v1/agents/${encodeURIComponent(id)}/spans`, signal),
    })),
    combine: allSpans,
  });
  useEffect(() => {
    if (news > 0) void queries.invalidateQueries({ queryKey: ['held'] });
  }, [news, queries]);
  const all = evidence.data?.items ?? NONE;
  const held = useMemo(() => leases.data?.flatMap(({ items }) => items) ?? NONE, [leases.data]);
  // Spans grow with every report; the evidence is not processed again for that.
  const evidenceOnly = useMemo(() => evidenceStory(all.slice(-DRAWN), transitions), [all, transitions]);
  const story = useMemo(() => storyFrom(evidenceOnly, held, spans), [evidenceOnly, held, spans]);
  return {
    story,
    older: Math.max(0, all.length - DRAWN),
    isReading: evidence.isPending || (evidence.isFetching && all.length === 0),
    problem: evidence.error ?? leases.error,
  };
}

const allSpans = (results: readonly { readonly data: Page<SpanView> | undefined }[]): readonly SpanView[] =>
  results.flatMap(({ data }) => data?.items ?? NONE);

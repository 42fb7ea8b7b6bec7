import { useQuery } from '@tanstack/react-query';
import type {
  AgentView,
  CommandView,
  Page,
  ServiceItem,
  SpanView,
  TargetView,
  WorkerView,
} from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { get, getAll } from '../../api.ts';
import { addClaims } from '../../live/live.ts';
import { usePolled } from '../../live/polled.ts';
import type { Fleet } from './fleet.ts';
import type { TargetRowView } from './target-rows.ts';

/** Limits the waiting commands whose claim is read for the reason. */
const MAX_CLAIMS = 20;
/** Earlier agents of a target whose spans are read: an agent that restarts is a new one. */
const EARLIER = 5;
/** Spans change at their end only, which the ribbon draws from the last contact anyway. */
const SPANS_EVERY_MS = 60_000;

export const useFleet = () => usePolled('fleet', read);

async function read(signal: AbortSignal): Promise<Fleet> {
  const unreadable: string[] = [];
  const list = async <T>(path: string) => {
    const page = await get<Page<T>>(path, signal);
    unreadable.push(...(page.unreadable ?? []));
    return page.items;
  };
  const [agents, workers, commands, targets] = await Promise.all([
    list<AgentView>('/v1/agents'),
    list<WorkerView>('/v1/workers'),
    list<CommandView>('/v1/commands'),
    list<TargetView>('/v1/targets'),
  ]);
  const services = [...new Set(commands.map(({ service }) => service))].slice(0, MAX_CLAIMS);
  const claims = await Promise.all(
    services.map((ref) => get<Claim>(`/v1/services/${ref}/status`, signal).catch(() => null)),
  );
  addClaims(claims.filter((claim) => claim !== null));
  return { agents, workers, commands, targets, unreadable };
}

/** Reads every claim once; the stream keeps them new. */
export const useAllClaims = () =>
  useQuery({
    queryKey: ['claims of all services'],
    queryFn: async ({ signal }) => {
      const { items } = await getAll<ServiceItem>('/v1/services', signal);
      addClaims(items.map(({ claim }) => claim));
      return items.length;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** The spans of the agents that spoke for a target, the current one among them. */
export const useSpans = ({ target, agent, earlier }: TargetRowView) => {
  const ids = [...(agent === null ? [] : [agent]), ...earlier].slice(0, 1 + EARLIER).map(({ id }) => id);
  return useQuery({
    queryKey: ['spans', target, ids.join()],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        ids.map((id) => getAll<SpanView>(`/v1/agents/${encodeURIComponent(id)}/spans`, signal)),
      );
      return lists.flatMap(({ items }) => items);
    },
    staleTime: SPANS_EVERY_MS,
    refetchInterval: SPANS_EVERY_MS,
  });
};

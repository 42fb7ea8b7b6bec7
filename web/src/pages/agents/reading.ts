import type { AgentView, CommandView, Page, WorkerView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { get } from '../../api.ts';
import { addClaims } from '../../live/live.ts';
import { usePolled } from '../../live/polled.ts';
import type { Fleet } from './fleet.ts';

/** Limits the waiting commands whose claim is read for the reason. */
const MAX_CLAIMS = 20;

export const useFleet = () => usePolled('fleet', read);

async function read(signal: AbortSignal): Promise<Fleet> {
  const unreadable: string[] = [];
  const list = async <T>(path: string) => {
    const page = await get<Page<T>>(path, signal);
    unreadable.push(...(page.unreadable ?? []));
    return page.items;
  };
  const [agents, workers, commands] = await Promise.all([
    list<AgentView>('/v1/agents'),
    list<WorkerView>('/v1/workers'),
    list<CommandView>('/v1/commands'),
  ]);
  const services = [...new Set(commands.map(({ service }) => service))].slice(0, MAX_CLAIMS);
  const claims = await Promise.all(
    services.map((ref) => get<Claim>(`/v1/services/${ref}/status`, signal).catch(() => null)),
  );
  addClaims(claims.filter((claim) => claim !== null));
  return { agents, workers, commands, unreadable };
}

import { useQuery } from '@tanstack/react-query';
import type { AgentView, CommandView, WorkerView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { SILENT_AFTER_MS, serverNowOf, silence } from '../../../../src/contract/telling/heard.ts';
import { get, NoAnswer } from '../../api.ts';
import { learn, steadyNow, useNow, useView } from '../../live/live.ts';
import type { Fleet } from './fleet.ts';

const EVERY_MS = 2_500;
const PATIENCE_MS = 5_000;
/** Why a command waits, its service's claim says; of so many it is asked. */
const CLAIMS_ASKED = 20;

interface Read extends Fleet {
  /** Of the steady clock, when it was asked for: no answer is newer than its question. */
  readonly askedAt: number;
}

/** Read again and again while it is looked at. A tab that comes back reads at once, and is old until it has. */
export const useFleet = () =>
  useQuery({
    queryKey: ['fleet'],
    queryFn: ({ signal }) => read(signal),
    refetchInterval: EVERY_MS,
    refetchOnWindowFocus: 'always',
    staleTime: 0,
    retry: false,
  });

async function read(signal: AbortSignal): Promise<Read> {
  const askedAt = steadyNow();
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  const list = async <T>(path: string) => (await get<{ items: T[] }>(path, patience)).items;
  try {
    const [agents, workers, commands] = await Promise.all([
      list<AgentView>('/v1/agents'),
      list<WorkerView>('/v1/workers'),
      list<CommandView>('/v1/commands'),
    ]);
    const services = [...new Set(commands.map(({ service }) => service))].slice(0, CLAIMS_ASKED);
    const claims = await Promise.all(
      services.map((ref) => get<Claim>(`/v1/services/${ref}/status`, patience).catch(() => null)),
    );
    learn(claims.filter((claim) => claim !== null));
    return { agents, workers, commands, askedAt };
  } catch (error) {
    if (patience.aborted && !signal.aborted) throw new NoAnswer('The server did not answer.');
    throw error;
  }
}

/** How a reading may be looked at now: by the server's clock, and as the last known where it is too old (S2). */
export interface Look {
  /** The server's time; null: it has not told it yet, and nothing can be said to be so and so old. */
  readonly there: number | null;
  readonly isOld: boolean;
  readonly agoMs: number;
}

export function useLook(askedAt: number): Look {
  const view = useView();
  const now = useNow();
  const agoMs = Math.max(0, now - askedAt);
  return {
    there: view.serverThen === 0 ? null : serverNowOf(view, now),
    isOld: agoMs > SILENT_AFTER_MS || silence(view, now) !== null,
    agoMs,
  };
}

import { useQuery } from '@tanstack/react-query';
import {
  SILENT_AFTER_MS,
  serverNowOf,
  silenceMs,
} from '../../../src/contract/presentation/server-contact.ts';
import { NoAnswer } from '../api.ts';
import { steadyNow, useNow, useView } from './live.ts';

const EVERY_MS = 2_500;
const PATIENCE_MS = 5_000;

interface Polled<T> {
  readonly data: T;
  /** When the request was sent, by the steady clock: no answer is newer than its request. */
  readonly requestedAt: number;
}

/**
 * Polls data that no stream carries, while it is visible. A tab that wakes up reads at once, and shows the
 * last known until the answer is there.
 */
export const usePolled = <T>(name: string, read: (signal: AbortSignal) => Promise<T>) =>
  useQuery({
    queryKey: [name],
    queryFn: ({ signal }) => withTimeout(read, signal),
    refetchInterval: EVERY_MS,
    refetchOnWindowFocus: 'always',
    staleTime: 0,
    retry: false,
  });

async function withTimeout<T>(
  read: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<Polled<T>> {
  const requestedAt = steadyNow();
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    return { data: await read(patience), requestedAt };
  } catch (error) {
    if (patience.aborted && !signal.aborted) throw new NoAnswer('The server did not answer.');
    throw error;
  }
}

/**
 * The presentation of polled data: with ages by the server's clock, and as last known where it is too old
 * (S2).
 */
export interface Age {
  /** The server's time; null before its first message, when no age can be computed. */
  readonly serverNow: number | null;
  readonly isOld: boolean;
  /** The stream is silent. The banner of the page says so; no other part has to. */
  readonly isSilent: boolean;
  readonly agoMs: number;
}

export function useAge(requestedAt: number): Age {
  const view = useView();
  const now = useNow();
  const agoMs = Math.max(0, now - requestedAt);
  const isSilent = silenceMs(view, now) !== null;
  return {
    serverNow: view.serverAt === 0 ? null : serverNowOf(view, now),
    isOld: agoMs > SILENT_AFTER_MS || isSilent,
    isSilent,
    agoMs,
  };
}

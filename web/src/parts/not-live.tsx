import { useEffect, useState } from 'react';
import { silenceMs } from '../../../src/contract/presentation/server-contact.ts';
import { ago, clockTime } from '../../../src/contract/presentation/times.ts';
import { useNow, useView } from '../live/live.ts';
import { Moment } from './moment.tsx';

const RESET_NOTICE_MS = 30_000;

/** Says that the page is not live, and since when; and that it had to start anew. */
export function NotLive() {
  const view = useView();
  const now = useNow();
  const silentMs = silenceMs(view, now);
  const wasReset = view.resetAt !== null && now - view.resetAt < RESET_NOTICE_MS;
  const since = useSince(silentMs);
  return (
    <div role="status" aria-live="polite" className="notices">
      {silentMs !== null && (
        <p className="banner tone-unknown">
          <b>
            Not live
            {since !== null && (
              <>
                {' '}
                since <Moment at={since}>{clockTime(since)}</Moment>
              </>
            )}
            .
          </b>{' '}
          <span aria-hidden="true">
            This page has heard nothing for {ago(silentMs).replace(' ago', '')}.{' '}
          </span>
          What you see is what was last known; it goes on by itself when the server is heard again.
        </p>
      )}
      {wasReset && (
        <p className="banner">
          <b>Read anew.</b> The server could not go on where this page was; everything was read again.
        </p>
      )}
    </div>
  );
}

/** Announced once, not every second: a screen reader would never come to an end. */
function useSince(silentMs: number | null): number | null {
  const [since, setSince] = useState<number | null>(null);
  const isSilent = silentMs !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the instant at which it began
  useEffect(() => setSince(isSilent ? Date.now() - (silentMs ?? 0) : null), [isSilent]);
  return since;
}

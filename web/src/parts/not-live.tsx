import { useEffect, useState } from 'react';
import { silenceMs } from '../../../src/contract/presentation/server-contact.ts';
import { clockTime } from '../../../src/contract/presentation/times.ts';
import { reconnect, useNow, useView } from '../live/live.ts';
import { Moment } from './moment.tsx';

/**
 * Takes over the bar at the top of a page that has lost its server, so that nobody takes that for the silence of one target:
 * nothing on the page is proven, whatever it shows.
 */
export function NotLive() {
  const view = useView();
  const silentMs = silenceMs(view, useNow());
  const since = useSince(silentMs !== null, view.serverAt);
  return <LostServer isLost={silentMs !== null} since={since} onTry={reconnect} />;
}

interface LostServerProps {
  readonly isLost: boolean;
  /** The last that was heard, by the server's clock, as the rest of the page shows it; null: nothing was. */
  readonly since: number | null;
  readonly onTry: () => void;
}

/** The words of the bar, and its one button. */
export function LostServer({ isLost, since, onTry }: LostServerProps) {
  return (
    <div role="status" aria-live="polite" className="not-live">
      {isLost && (
        <>
          <p>
            <b>
              This page lost its server
              {since !== null && (
                <>
                  {' '}
                  at <Moment at={since}>{clockTime(since)}</Moment>
                </>
              )}
              .
            </b>{' '}
            <span>It shows what it heard last.</span>
          </p>
          <button type="button" onClick={onTry}>
            Try now
          </button>
        </>
      )}
    </div>
  );
}

/** Announced once, not every second: a screen reader would never come to an end. */
function useSince(isSilent: boolean, serverAt: number): number | null {
  const [since, setSince] = useState<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the instant at which it began
  useEffect(() => setSince(isSilent && serverAt > 0 ? serverAt : null), [isSilent]);
  return since;
}

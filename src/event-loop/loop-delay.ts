import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;

/** How late the event loop was, in seconds: the longest since it was last asked (F80). */
export function loopDelay(): () => number {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return () => {
    // It counts from one look to the next, of which it sleeps the first part.
    const { max } = histogram;
    histogram.reset();
    return Math.max(0, max / 1e9 - RESOLUTION_MS / 1000);
  };
}

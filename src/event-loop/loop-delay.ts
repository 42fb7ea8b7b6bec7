import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;

/** Measures the longest delay of the event loop, in seconds, since the last call (F80). */
export function loopDelay(): () => number {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return () => {
    // The histogram counts from one sample to the next, and sleeps for the resolution in between.
    const { max } = histogram;
    histogram.reset();
    return Math.max(0, max / 1e9 - RESOLUTION_MS / 1000);
  };
}

import { useEffect, useState } from 'react';
import { displayMs, type Stop, stopAfter, stopAt } from '../../../../../src/contract/presentation/life.ts';

interface Playing {
  readonly isPlaying: boolean;
  readonly toggle: () => void;
  readonly stop: () => void;
}

/**
 * Plays from change to change, and ends at now. The next change waits until this one is shown, so that none
 * is skipped.
 */
export function usePlaying(
  stops: readonly Stop[],
  at: number | null,
  isReading: boolean,
  go: (at: string | null) => void,
): Playing {
  const [isPlaying, play] = useState(false);
  useEffect(() => {
    if (!isPlaying || isReading || at === null) return;
    const here = stopAt(stops, at);
    const next = stopAfter(stops, at);
    const pause = here === null ? 0 : displayMs({ ...here, ms: at }, next);
    const timer = setTimeout(() => {
      go(next?.at ?? null);
      if (next === null) play(false);
    }, pause);
    return () => clearTimeout(timer);
  }, [isPlaying, isReading, at, stops, go]);
  return {
    isPlaying,
    stop: () => play(false),
    toggle: () => {
      if (stops.length === 0) return;
      // Started at now or at the end, it begins at the first change.
      if (!isPlaying && (at === null || stopAfter(stops, at) === null)) go(stops[0]?.at ?? null);
      play(!isPlaying);
    },
  };
}

import { useEffect, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import type { Claim } from '../../../src/contract/claim.ts';
import { hear, type PageView, silentPage, type Word } from './page-view.ts';
import { SteadyClock } from './steady.ts';
import { Stream } from './stream.ts';

const clock = new SteadyClock();
let view = silentPage(clock.now());
let now = clock.now();
const viewers = new Set<() => void>();
const tickers = new Set<() => void>();

const tell = (word: Word) => {
  view = hear(view, word, clock.now());
  for (const viewer of viewers) viewer();
};
const stream = new Stream(tell);

/** Time passes for everybody at once, so that no two ages on a page disagree. */
const tick = () => {
  now = clock.now();
  for (const ticker of tickers) ticker();
};
setInterval(tick, 500);
// A tab that slept is drawn anew before it is painted: nothing old is seen as new, not for one frame (S2).
for (const [target, event] of [
  [document, 'visibilitychange'],
  [document, 'resume'],
  [window, 'pageshow'],
  [window, 'focus'],
] as const)
  target.addEventListener(event, () => flushSync(tick));

const on = (set: Set<() => void>) => (listener: () => void) => {
  set.add(listener);
  return () => void set.delete(listener);
};
const onView = on(viewers);
const onTick = on(tickers);

export const useView = (): PageView => useSyncExternalStore(onView, () => view);
/** Of the steady clock, twice a second; never before what was heard last. */
export const useNow = (): number =>
  Math.max(
    useSyncExternalStore(onTick, () => now),
    useView().heardAt,
  );

/** Of the same clock, at this instant: for what is read beside the stream. */
export const steadyNow = (): number => clock.now();

/** The newest claim that was heard of a service, by whatever way it came. */
export const useClaim = (service: string): Claim | undefined =>
  useSyncExternalStore(onView, () => view.claims.get(service));

/** What was read beside the stream counts as heard. */
export const learn = (claims: readonly Claim[]) => tell({ is: 'claims', claims });

/** The page that is open decides what the one stream of the tab tells of. */
export function useStream(path: string | null): void {
  useEffect(() => stream.watch(path), [path]);
}

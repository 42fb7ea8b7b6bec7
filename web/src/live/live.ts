import { useEffect, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import type { Claim } from '../../../src/contract/claim.ts';
import { restInBackground } from './background.ts';
import { PageClock } from './page-clock.ts';
import { applyMessage, emptyView, type PageView, type StreamMessage } from './page-view.ts';
import { Stream } from './stream.ts';

const clock = new PageClock();
let view = emptyView(clock.now());
let now = clock.now();
const viewers = new Set<() => void>();
const tickers = new Set<() => void>();

const receive = (message: StreamMessage) => {
  view = applyMessage(view, message, clock.now());
  for (const viewer of viewers) viewer();
};
const stream = new Stream(receive);
restInBackground(stream);

/** Advances the time of the whole page at once, so that no two ages on it disagree. */
const tick = () => {
  now = clock.now();
  for (const ticker of tickers) ticker();
};
setInterval(tick, 500);
// A tab that slept is redrawn before it is painted, so that no old claim looks current, not for one frame
// (S2).
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
/** The steady clock, updated twice a second; never before the last message from the server. */
export const useNow = (): number =>
  Math.max(
    useSyncExternalStore(onTick, () => now),
    useView().contactAt,
  );

/** The steady clock at this instant, for requests beside the stream. */
export const steadyNow = (): number => clock.now();

/** The newest claim received of a service, by the stream or by a request. */
export const useClaim = (service: string): Claim | undefined =>
  useSyncExternalStore(onView, () => view.claims.get(service));

/** Adds claims that were read beside the stream. */
export const addClaims = (claims: readonly Claim[]) => receive({ kind: 'claims', claims });

/** Connects again at once, and not when it would by itself. */
export const reconnect = () => stream.reconnect();

/** Points the tab's one stream at the path of the open page. */
export function useStream(path: string | null): void {
  useEffect(() => stream.watch(path), [path]);
}

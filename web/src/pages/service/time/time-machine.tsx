import { type CSSProperties, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import {
  lifeLine,
  type Stop,
  stopAfter,
  stopAt,
  stopBefore,
} from '../../../../../src/contract/presentation/life.ts';
import { dayBefore, preciseTime } from '../../../../../src/contract/presentation/times.ts';
import { wordOf } from '../../../../../src/contract/presentation/words.ts';
import { isField } from '../../../parts/keys.tsx';
import { usePlaying } from './playing.ts';
import { snapped, type Tick, ticksOf } from './ticks.ts';

interface Props {
  readonly stops: readonly Stop[];
  readonly at: string | null;
  readonly go: (at: string | null) => void;
  readonly isReading: boolean;
  /** The server's time. */
  readonly now: number;
}

/** Steps of the slider: fine enough for any screen. */
const PARTS = 10_000;
const SNAP = 0.008;
/** Interval at which the address follows a drag; browsers refuse to write it with every move. */
const FOLLOW_MS = 120;

/** A slider over the life of the service. The whole page shows the instant it points at. */
export function TimeMachine({ stops, at: requested, go, isReading, now }: Props) {
  const [wish, follow] = useFollowing(go);
  const at = wish === null ? requested : wish.at;
  const ms = at === null || Number.isNaN(Date.parse(at)) ? null : Date.parse(at);
  // Now moves all the time; the line is laid out again only once a second.
  const until = Math.ceil(now / 1_000) * 1_000;
  const line = useMemo(() => lifeLine(stops, until), [stops, until]);
  const ticks = useMemo(() => ticksOf(stops, line), [stops, line]);
  const { isPlaying, toggle, stop } = usePlaying(stops, ms, isReading, go);
  const step = (to: Stop | null) => {
    stop();
    go(to?.at ?? null);
  };
  const before = stopBefore(stops, ms);
  const after = stopAfter(stops, ms);
  const back = () => before !== null && step(before);
  const forth = () => ms !== null && step(after);
  useArrows(back, forth);
  const onKey = (event: KeyboardEvent) => {
    const act = { ArrowLeft: back, ArrowDown: back, ArrowRight: forth, ArrowUp: forth }[event.key];
    const end = { Home: () => step(stops[0] ?? null), End: () => step(null) }[event.key];
    if (act === undefined && end === undefined) return;
    event.preventDefault();
    (act ?? end)?.();
  };
  const place = ms === null ? 1 : line.placeOf(ms);
  const here = ms === null ? null : stopAt(stops, ms);
  const day = ms === null ? '' : dayBefore(ms, now);
  const time = ms === null ? 'now' : `${day}${preciseTime(ms)}`;
  return (
    <section
      className="card time-machine"
      aria-label="Time machine"
      data-past={at !== null}
      aria-busy={isReading}
    >
      <div className="time-buttons">
        <button
          type="button"
          aria-label={isPlaying ? 'Pause' : 'Play'}
          aria-disabled={stops.length === 0}
          onClick={toggle}
        >
          <Icon shape={isPlaying ? 'M4 2.5h3v11H4zM9 2.5h3v11H9z' : 'M4 2l9.5 6L4 14z'} />
        </button>
        <button
          type="button"
          aria-label="Previous change"
          title="Previous change (←)"
          aria-disabled={before === null}
          onClick={back}
        >
          <Icon shape="M12 2.5v11L4.8 8zM3 2.5h1.8v11H3z" />
        </button>
        <button
          type="button"
          aria-label="Next change"
          title="Next change (→)"
          aria-disabled={ms === null}
          onClick={forth}
        >
          <Icon shape="M4 2.5v11L11.2 8zM11.2 2.5H13v11h-1.8z" />
        </button>
      </div>
      <div className="time-line">
        <Ticks ticks={ticks} />
        <input
          type="range"
          min={0}
          max={PARTS}
          value={Math.round(place * PARTS)}
          style={{ '--place': place } as CSSProperties}
          aria-label="Instant"
          aria-valuetext={here === null ? time : `${time}, r${here.revision} ${wordOf(here.to)}`}
          onKeyDown={onKey}
          onChange={({ target }) => {
            stop();
            const to = Number(target.value) / PARTS;
            follow(to >= 1 ? null : snapped(ticks, line, to, SNAP));
          }}
        />
      </div>
      <div className="time-told">
        <time className="mono" dateTime={at ?? undefined}>
          {time}
        </time>
        {at !== null && (
          <button type="button" aria-label="Back to now" onClick={() => step(null)}>
            Now
          </button>
        )}
      </div>
    </section>
  );
}

const Icon = ({ shape }: { readonly shape: string }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true" className="icon">
    <path d={shape} fill="currentColor" />
  </svg>
);

function Ticks({ ticks }: { readonly ticks: readonly Tick[] }) {
  return (
    <svg className="ticks" aria-hidden="true">
      {ticks.map(({ place, stop, opens, isNamed }) => {
        const x = `${place * 100}%`;
        return (
          <g key={stop.at}>
            <line x1={x} x2={x} y1={opens ? 7 : 11} y2={opens ? 27 : 23} className={opens ? 'opens' : ''} />
            {isNamed && (
              <text x={x} y="40" textAnchor={place > 0.97 ? 'end' : place < 0.03 ? 'start' : 'middle'}>
                r{stop.revision}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

/**
 * Forwards the last of many requested instants, at most once per interval; the thumb moves at once, the page
 * follows.
 */
function useFollowing(go: (at: string | null) => void) {
  const [wish, setWish] = useState<{ readonly at: string | null } | null>(null);
  const last = useRef(0);
  useEffect(() => {
    if (wish === null) return;
    const timer = setTimeout(
      () => {
        last.current = performance.now();
        go(wish.at);
        setWish(null);
      },
      Math.max(0, last.current + FOLLOW_MS - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [wish, go]);
  return [wish, (at: string | null) => setWish({ at })] as const;
}

/** ← and → anywhere on the page, except where they have a meaning of their own. */
function useArrows(back: () => void, forth: () => void): void {
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
      const act = key === 'ArrowLeft' ? back : key === 'ArrowRight' ? forth : null;
      if (act === null || ctrlKey || metaKey || altKey || shiftKey || event.defaultPrevented) return;
      if (
        isField(target) ||
        (target instanceof Element && target.closest('[data-own-keys], dialog, .lines, .scroll'))
      )
        return;
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}

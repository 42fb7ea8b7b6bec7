import { type CSSProperties, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import {
  lifeLine,
  type Stop,
  stopAfter,
  stopAt,
  stopBefore,
} from '../../../../../src/contract/presentation/life.ts';
import { pastSentence } from '../../../../../src/contract/presentation/past.ts';
import { ago, dayBefore, preciseTime } from '../../../../../src/contract/presentation/times.ts';
import { labelOf, wordOf } from '../../../../../src/contract/presentation/words.ts';
import { Icon } from '../../../parts/icon.tsx';
import { isField } from '../../../parts/is-field.ts';
import { Moment } from '../../../parts/moment.tsx';
import { usePlaying } from './playing.ts';
import { namedBelow, snapped, type Tick, ticksOf } from './ticks.ts';

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
  useArrows(back, forth, () => ms !== null && step(null));
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
    <section className="time-machine" aria-label="Time machine" data-past={at !== null} aria-busy={isReading}>
      <div className="time-head">
        {ms !== null && (
          <p className="past-banner">
            <Icon name="clock" />
            <b>The past</b>
            <span className="past-instant">{pastSentence(ms, now)}</span>
            <span>{ago(now - ms)}</span>
          </p>
        )}
        <div className="time-buttons">
          <button
            type="button"
            aria-label="Previous change"
            title="Previous change (←)"
            aria-disabled={before === null}
            onClick={back}
          >
            <Icon name="previous" />
          </button>
          <button
            type="button"
            aria-label={isPlaying ? 'Pause' : 'Play'}
            aria-disabled={stops.length === 0}
            onClick={toggle}
          >
            <Icon name={isPlaying ? 'pause' : 'play'} />
          </button>
          <button
            type="button"
            aria-label="Next change"
            title="Next change (→)"
            aria-disabled={ms === null}
            onClick={forth}
          >
            <Icon name="next" />
          </button>
        </div>
        <div className="time-told">
          {at === null ? <time>{time}</time> : <Moment at={at}>{time}</Moment>}
          {at !== null && (
            <>
              <CopyLink />
              <button type="button" className="back-to-now" onClick={() => step(null)}>
                Back to now <kbd aria-hidden="true">Esc</kbd>
              </button>
            </>
          )}
        </div>
      </div>
      <div className="time-line" title="Each change has room: calm stretches are shortened">
        <Ticks ticks={ticks} until={place} />
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
    </section>
  );
}

/** The address names the instant, so that whoever opens it sees the same. */
function CopyLink() {
  const [isCopied, copied] = useState(false);
  return (
    <button
      type="button"
      onClick={() =>
        navigator.clipboard?.writeText(location.href).then(
          () => copied(true),
          () => {},
        )
      }
    >
      <Icon name="copy" />
      <span role="status">{isCopied ? 'Copied' : 'Copy link'}</span>
    </button>
  );
}

/** The changes on the line. States are named up to the instant that is shown: later ones were not known then. */
function Ticks({ ticks, until }: { readonly ticks: readonly Tick[]; readonly until: number }) {
  const { states, hasRest } = namedBelow(ticks, until);
  return (
    <svg className="ticks" aria-hidden="true">
      {ticks.map((tick) => {
        const { place, stop, opens, isNamed } = tick;
        const x = `${place * 100}%`;
        return (
          <g key={stop.at}>
            <line x1={x} x2={x} y1={opens ? 15 : 21} y2={opens ? 37 : 31} className={opens ? 'opens' : ''} />
            {isNamed && (
              <text x={x} y="11" textAnchor={place > 0.97 ? 'end' : place < 0.03 ? 'start' : 'middle'}>
                r{stop.revision}
              </text>
            )}
            {states.includes(tick) && (
              <text x={x} dx="2" y="50" className="state-name">
                {labelOf(stop.to)}
              </text>
            )}
          </g>
        );
      })}
      {hasRest && (
        <text x={`${until * 100}%`} dx="12" y="50" className="state-name">
          known only later · not to scale
        </text>
      )}
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

/** ←, → and Escape anywhere on the page, except where they have a meaning of their own. */
function useArrows(back: () => void, forth: () => void, leave: () => void): void {
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
      const act = { ArrowLeft: back, ArrowRight: forth, Escape: leave }[key];
      if (act === undefined || ctrlKey || metaKey || altKey || shiftKey || event.defaultPrevented) return;
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

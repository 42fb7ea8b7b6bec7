import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import { moved, type TimeRange, zoomed } from './time-range.ts';

interface Hands {
  /** Moves by a share of the visible range. */
  readonly onMove: (by: number) => void;
  /** Zooms by a factor around a place from 0 to 1. */
  readonly onZoom: (by: number, place: number) => void;
  readonly onPoint: (x: number, y: number) => void;
  readonly onPick: (x: number, y: number) => void;
}

/** A shorter move is a click with an unsteady hand. */
const STEADY_PX = 4;
const PER_WHEEL = 0.0025;

/** Wheel with Ctrl, or two fingers, zooms; sideways wheel and dragging move; a click selects. */
export function useGestures(ref: RefObject<SVGSVGElement | null>, widthPx: number, hands: Hands) {
  const latest = useRef({ hands, widthPx });
  latest.current = { hands, widthPx };
  const touching = useRef(new Map<number, number>());
  const dragged = useRef(0);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    // Registered directly: React's wheel listeners cannot keep the page from scrolling.
    const onWheel = (event: WheelEvent) => {
      const { hands, widthPx } = latest.current;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const place = (event.clientX - element.getBoundingClientRect().left) / widthPx;
        hands.onZoom(Math.exp(-event.deltaY * PER_WHEEL), Math.min(1, Math.max(0, place)));
        return;
      }
      const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
      if (Math.abs(sideways) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return;
      event.preventDefault();
      hands.onMove(sideways / widthPx);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [ref]);

  const at = (event: PointerEvent) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top] as const;
  };
  const end = (event: PointerEvent) => touching.current.delete(event.pointerId);
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      touching.current.set(event.pointerId, at(event)[0]);
      if (touching.current.size === 1) dragged.current = 0;
    },
    onPointerMove: (event: PointerEvent) => {
      const [x, y] = at(event);
      const { current } = touching;
      const before = current.get(event.pointerId);
      if (before === undefined) return hands.onPoint(x, y);
      const [first = x, second] = [...current.values()];
      current.set(event.pointerId, x);
      dragged.current += Math.abs(x - before);
      if (second !== undefined) {
        const [a = x, b = x] = [...current.values()];
        const apart = Math.max(20, Math.abs(first - second));
        hands.onZoom(Math.max(20, Math.abs(a - b)) / apart, (a + b) / 2 / widthPx);
      } else if (dragged.current > STEADY_PX) hands.onMove((before - x) / widthPx);
    },
    onPointerUp: (event: PointerEvent) => {
      const wasAlone = touching.current.size === 1;
      end(event);
      if (wasAlone && dragged.current <= STEADY_PX) hands.onPick(...at(event));
    },
    onPointerCancel: end,
  };
}

/** The range after a key; null if the key has no meaning here. */
export function keyed(key: string, withShift: boolean, range: TimeRange, life: TimeRange): TimeRange | null {
  switch (key) {
    case '+':
    case '=':
      return zoomed(range, 1.6, 0.5, life);
    case '-':
    case '_':
      return zoomed(range, 1 / 1.6, 0.5, life);
    case 'ArrowLeft':
      return withShift ? moved(range, -0.2, life) : null;
    case 'ArrowRight':
      return withShift ? moved(range, 0.2, life) : null;
    default:
      return null;
  }
}

import type { ReactNode } from 'react';
import type { State } from '../../../src/contract/vocabulary.ts';

const line = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 1.5,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const;
/** The part that is cut out of a filled shape: the ground shows through. */
const cut = { ...line, stroke: 'var(--ground)', strokeWidth: 1.75 } as const;
const ring = <circle cx="8" cy="8" r="6.25" {...line} />;
const square = <rect x="2" y="2" width="12" height="12" rx="2.5" {...line} />;

/** Filled means proven, hatched means not proven now, a ring that fills is on its way. Each state has a shape; colour comes last. */
const SHAPES: Readonly<Record<State, ReactNode>> = {
  accepted: (
    <>
      {ring}
      <circle cx="8" cy="8" r="2" fill="currentColor" />
    </>
  ),
  waiting_for_worker: (
    <>
      {ring}
      <path d="M8 4.8V8l2.2 1.6" {...line} />
    </>
  ),
  building: (
    <>
      {ring}
      <path d="M8 8V2.2A5.8 5.8 0 0 1 13.8 8z" fill="currentColor" />
    </>
  ),
  artifact_ready: (
    <>
      {ring}
      <rect x="5.6" y="5.6" width="4.8" height="4.8" rx="0.8" fill="currentColor" />
    </>
  ),
  applying_runtime_state: (
    <>
      {ring}
      <path d="M8 4.6v6M5.7 8.4L8 10.8l2.3-2.4" {...line} />
    </>
  ),
  starting: (
    <>
      {ring}
      <path d="M8 2.2a5.8 5.8 0 0 1 0 11.6z" fill="currentColor" />
    </>
  ),
  running: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" />
      <path d="M4.9 8.3l2.1 2.1 4.2-4.7" {...cut} />
    </>
  ),
  degraded: (
    <>
      <path
        d="M8 1.2c.5 0 .9.25 1.15.7l5.6 10.5c.5.95-.15 2.1-1.2 2.1H2.45c-1.05 0-1.7-1.15-1.2-2.1l5.6-10.5c.25-.45.65-.7 1.15-.7z"
        fill="currentColor"
      />
      <path d="M8 5.6v4M8 12v.1" {...cut} />
    </>
  ),
  failed: (
    <>
      <rect x="1.25" y="1.25" width="13.5" height="13.5" rx="3" fill="currentColor" />
      <path d="M5.3 5.3l5.4 5.4M10.7 5.3l-5.4 5.4" {...cut} />
    </>
  ),
  cancelling: (
    <>
      {square}
      <path d="M5.2 8h5.6" {...line} />
    </>
  ),
  cancelled: (
    <>
      {square}
      <path d="M5 11l6-6" {...line} />
    </>
  ),
  stopping: (
    <>
      {square}
      <path d="M8 4.8v5.6M5.8 8.3L8 10.6l2.2-2.3" {...line} strokeWidth={1.4} />
    </>
  ),
  stopped: square,
  unknown: (
    <>
      <circle cx="8" cy="8" r="6.3" {...line} strokeWidth={1.4} />
      <path
        d="M2.5 9.6L9.6 2.5M3.6 12.4L12.4 3.6M6.4 13.5L13.5 6.4"
        stroke="currentColor"
        strokeWidth="1.25"
      />
    </>
  ),
};

/** The shape of a state, in the colour of the text around it. */
export function StateMark({ state }: { readonly state: State }) {
  return (
    <svg className="state-mark" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      {SHAPES[state]}
    </svg>
  );
}

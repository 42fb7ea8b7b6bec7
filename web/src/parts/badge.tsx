import type { ReactNode } from 'react';
import { ago } from '../../../src/contract/presentation/times.ts';
import { wordOf } from '../../../src/contract/presentation/words.ts';
import type { State } from '../../../src/contract/vocabulary.ts';
import type { ClaimView } from '../live/claim-view.ts';

const ring = <circle cx="7" cy="7" r="5.3" fill="none" stroke="currentColor" strokeWidth="1.5" />;
const square = (
  <rect x="2" y="2" width="10" height="10" rx="2" fill="none" stroke="currentColor" strokeWidth="1.5" />
);

/** Solid means proven, hatched means not proven now. Each state has a shape and a word; colour comes last. */
const GLYPHS: Readonly<Record<State, ReactNode>> = {
  accepted: (
    <>
      {ring}
      <circle cx="7" cy="7" r="1.6" fill="currentColor" />
    </>
  ),
  waiting_for_worker: (
    <>
      {ring}
      <path d="M7 4v3.2l2.1 1.3" fill="none" stroke="currentColor" strokeWidth="1.4" />
    </>
  ),
  building: (
    <>
      {ring}
      <path d="M7 7V1.7A5.3 5.3 0 0 1 12.3 7z" fill="currentColor" />
    </>
  ),
  artifact_ready: (
    <>
      {ring}
      <path d="M4.6 4.6h4.8v4.8H4.6z" fill="currentColor" />
    </>
  ),
  applying_runtime_state: (
    <>
      {ring}
      <path d="M7 4v6M4.6 7.8L7 10.2l2.4-2.4" fill="none" stroke="currentColor" strokeWidth="1.4" />
    </>
  ),
  starting: (
    <>
      {ring}
      <path d="M7 1.7a5.3 5.3 0 0 1 0 10.6z" fill="currentColor" />
    </>
  ),
  running: (
    <>
      <circle cx="7" cy="7" r="6" fill="currentColor" />
      <path d="M4.2 7.2l2 2 3.6-4.1" fill="none" stroke="var(--card)" strokeWidth="1.6" />
    </>
  ),
  degraded: (
    <>
      <path d="M7 1.4l6 11.1H1z" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" />
      <path d="M7 5.4v3.2M7 10v1.1" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
  failed: (
    <>
      <rect x="1.4" y="1.4" width="11.2" height="11.2" rx="2.4" fill="currentColor" />
      <path d="M4.7 4.7l4.6 4.6M9.3 4.7L4.7 9.3" stroke="var(--card)" strokeWidth="1.6" />
    </>
  ),
  cancelling: (
    <>
      {square}
      <path d="M4.4 7h5.2" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
  cancelled: (
    <>
      {square}
      <path d="M3.5 10.5l7-7" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
  stopping: (
    <>
      {square}
      <path d="M7 4v4.6M5 7l2 2 2-2" fill="none" stroke="currentColor" strokeWidth="1.3" />
    </>
  ),
  stopped: square,
  unknown: (
    <>
      {ring}
      <path
        d="M3 6.6L6.6 3M2.6 10L10 2.6M4.6 11.5l7-7M8 11.8l3.8-3.8"
        stroke="currentColor"
        strokeWidth="1.2"
      />
    </>
  ),
};

export function Glyph({ state }: { readonly state: State }) {
  return (
    <svg className="glyph" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
      {GLYPHS[state]}
    </svg>
  );
}

/**
 * A state as shape, word and colour, in this order of weight. A state that is not proven now shows the last
 * known one.
 */
export function Badge({
  claimView,
  withAge = false,
}: {
  readonly claimView: ClaimView;
  readonly withAge?: boolean;
}) {
  const { state, was } = claimView;
  return (
    <span className={`badge tone-${state}`} data-state={state}>
      <Glyph state={state} />
      <span>{wordOf(state)}</span>
      {was !== null && (
        <span className="was">
          last known {wordOf(was.state)}
          {withAge && `, ${ago(was.agoMs)}`}
        </span>
      )}
    </span>
  );
}

export const StateBadge = ({ state }: { readonly state: State }) => (
  <Badge claimView={{ state, was: null, isLive: true, ageMs: null }} />
);

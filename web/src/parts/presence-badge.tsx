import type { ReactNode } from 'react';
import type { State } from '../../../src/contract/vocabulary.ts';
import { StateMark } from './state-mark.tsx';

/** Presence has the same shapes as the states, because they mean the same. */
const SHAPES = {
  alive: 'running',
  online: 'running',
  busy: 'building',
  stale: 'unknown',
  offline: 'stopped',
  fenced: 'cancelled',
  valid: 'running',
  expired: 'stopped',
  revoked: 'cancelled',
} as const satisfies Readonly<Record<string, State>>;
type Presence = keyof typeof SHAPES;

interface Props {
  readonly presence: Presence;
  readonly children: ReactNode;
  /** The answer is too old to be current. */
  readonly isOld: boolean;
}

/** A presence as shape, word and colour. A presence that is not current shows the last known one (S2). */
export function PresenceBadge({ presence, children, isOld }: Props) {
  const shape = isOld ? 'unknown' : SHAPES[presence];
  return (
    <span className={`badge tone-${shape}`} data-presence={isOld ? 'unknown' : presence}>
      <StateMark state={shape} />
      {isOld ? (
        <>
          <span>unknown</span>
          <span className="was">last known {children}</span>
        </>
      ) : (
        <span>{children}</span>
      )}
    </span>
  );
}

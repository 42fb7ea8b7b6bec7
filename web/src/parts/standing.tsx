import type { ReactNode } from 'react';
import type { State } from '../../../src/contract/vocabulary.ts';
import { Glyph } from './badge.tsx';

/** Who is there and who is not: the same shapes as the states, because they mean the same. */
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
export type Presence = keyof typeof SHAPES;

interface Props {
  readonly presence: Presence;
  readonly children: ReactNode;
  /** What was read is too old to be said of now. */
  readonly isOld: boolean;
}

/** A presence as shape, word and colour. What is not known now says what it was (S2). */
export function Standing({ presence, children, isOld }: Props) {
  const shape = isOld ? 'unknown' : SHAPES[presence];
  return (
    <span className={`badge tone-${shape}`} data-presence={isOld ? 'unknown' : presence}>
      <Glyph state={shape} />
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

import type { Claim } from '../claim.ts';
import type { State } from '../vocabulary.ts';
import { longSpan } from './times.ts';

/** A claim in two words: a name, and what is known. */
export interface Badge {
  readonly label: string;
  readonly message: string;
  /** A name that shields.io knows too. */
  readonly color: 'brightgreen' | 'orange' | 'red' | 'blue' | 'lightgrey';
  /** False: it must look different from everything that is known, also to whoever sees no colours. */
  readonly isKnown: boolean;
}

const COLOURS: Readonly<Partial<Record<State, Badge['color']>>> = {
  running: 'brightgreen',
  degraded: 'orange',
  failed: 'red',
  stopped: 'lightgrey',
  cancelled: 'lightgrey',
  unknown: 'lightgrey',
};

export function badgeOf(claim: Pick<Claim, 'service' | 'state' | 'since' | 'serving' | 'now'>): Badge {
  const { service, state, since, serving, now } = claim;
  const isKnown = state !== 'unknown';
  const word = state.replaceAll('_', ' ');
  // A badge that is kept somewhere says how old it was when it was made.
  const age = isKnown ? '' : ` for ${longSpan(Date.parse(now) - Date.parse(since))}`;
  const revision = state === 'running' && serving !== null ? ` r${serving.revision}` : '';
  return {
    ...{ label: service, message: `${word}${revision}${age}` },
    ...{ color: COLOURS[state] ?? 'blue', isKnown },
  };
}

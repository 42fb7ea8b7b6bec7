import type { Rng } from '../../lab/rng.ts';
import type { Actions } from '../actions.ts';
import type { SoakService } from '../apps.ts';
import type { SoakFleet } from '../fleet/fleet.ts';
import type { GroundTruth } from '../truth/ground-truth.ts';

export interface FaultContext {
  readonly fleet: SoakFleet;
  readonly truth: GroundTruth;
  /** Its own for each time that a fault is drawn: what one does takes no number away from the next. */
  readonly rng: Rng;
  readonly services: readonly SoakService[];
  readonly actions: Actions;
  /** Shorter when the run is interrupted. */
  wait(ms: number): Promise<void>;
  /** For how long a fault lasts: at times a moment, at times longer than any claim may lag. */
  readonly lastsMs: number;
  /** Says that something does not hold that no claim speaks about. */
  complain(words: string): void;
}

export interface SoakFault {
  readonly name: string;
  /** Null: it can be done here; else why not. */
  unavailable(fleet: SoakFleet): string | null;
  run(context: FaultContext): Promise<void>;
}

export const always = () => null;

/** Whatever interrupts it, what was done is undone. */
export async function during(
  { wait, lastsMs }: FaultContext,
  act: () => void | Promise<void>,
  undo: () => void | Promise<void>,
): Promise<void> {
  try {
    await act();
    await wait(lastsMs);
  } finally {
    await undo();
  }
}

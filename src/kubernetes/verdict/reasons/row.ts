import type { Mover, Stage } from '../../../contract/vocabulary.ts';

/** A reason that an object is not as it should be, or rests on purpose. */
export interface CatalogueRow {
  /** The stage of the way to `running` that it holds up; null where it holds up none. */
  readonly stage: Stage | null;
  readonly owner: Mover;
  /** Doing the same again harms nothing. */
  readonly retrySafe: boolean;
  readonly user: string;
  readonly operator: string;
}

export function row(stage: Stage | null, owner: Mover, user: string, operator: string): CatalogueRow {
  return { stage, owner, retrySafe: true, user, operator };
}

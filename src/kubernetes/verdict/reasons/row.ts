import type { Mover, Stage } from '../../../contract/vocabulary.ts';

/** A reason that an object is not as it should be, or rests on purpose. */
export interface CatalogueRow {
  /** The stage of the way to `running` that it holds up; null where it holds up none. */
  readonly stage: Stage | null;
  /** Takes the next action; `none` where it goes on by itself. */
  readonly owner: Mover;
  /** Doing the same again harms nothing. */
  readonly retrySafe: boolean;
  readonly user: string;
  readonly operator: string;
}

export function row(stage: Stage | null, owner: Mover, user: string, operator: string): CatalogueRow {
  return { stage, owner, retrySafe: true, user, operator };
}

/** A row of something that may already have had its effect: doing it again may do it twice. */
export function onceOnly(stage: Stage | null, owner: Mover, user: string, operator: string): CatalogueRow {
  return { stage, owner, retrySafe: false, user, operator };
}

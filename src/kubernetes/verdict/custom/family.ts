import type { ObjectFields } from '../fields.ts';
import type { Ruling } from '../verdict.ts';

/**
 * An operator whose objects say how they are in a way of their own. One file of this folder per family exports a list
 * of them, and `families.ts` gathers the lists.
 */
export interface CustomFamily {
  /** The API group, without version: `argoproj.io`. */
  readonly group: string;
  readonly kinds: readonly string[];
  /**
   * Judges one object. Null hands it on to the common conditions. ObjectFields are read with src/kubernetes/verdict/fields.ts,
   * so that a field of the wrong type is `unknown` and never ready.
   */
  readonly judge: (object: ObjectFields, now: number) => Ruling | null;
}

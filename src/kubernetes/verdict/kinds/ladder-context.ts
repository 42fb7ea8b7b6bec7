import type { ObjectFields } from '../fields.ts';
import type { ObjectIdentity } from '../identity.ts';
import type { Objects } from '../objects.ts';
import type { Ruling } from '../verdict.ts';

/** Everything beside the object that a ladder may look at. */
export interface LadderContext {
  readonly identity: ObjectIdentity;
  readonly around: Objects;
  readonly now: number;
  /** Judges another object of the input. Passed in, because ladders import no table of ladders. */
  readonly rulingOn: (object: ObjectFields, identity: ObjectIdentity) => Ruling;
}

export type KindLadder = (object: ObjectFields, context: LadderContext) => Ruling;

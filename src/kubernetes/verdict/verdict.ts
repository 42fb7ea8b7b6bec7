import type { Mover, Stage } from '../../contract/vocabulary.ts';
import type { ReasonName } from './reasons/index.ts';

/** Everything that can be said of one Kubernetes object. Only the first three let a script go on. */
export const VERDICTS = [
  'ready',
  'suspended',
  'stopped',
  'progressing',
  'degraded',
  'failed',
  'unknown',
] as const;
export type VerdictName = (typeof VERDICTS)[number];

/** The verdict on one object with its words; the fields are those of `evident inspect -o json`. */
export interface ObjectVerdict {
  readonly verdict: VerdictName;
  /** A name of the catalogue, `unrecognised:WORD` for a word that is not in it, or null where nothing is unmet. */
  readonly reason: string | null;
  readonly stage: Stage | null;
  readonly owner: Mover;
  /** From the catalogue and numbers only: no text of the cluster gets in (S15). */
  readonly user: string;
  /** The facts of the object, in the words of the cluster. */
  readonly operator: string;
}

/**
 * The decision of a ladder or of an operator's family, before it has words. `reason` is a name of the catalogue, or
 * `{word}` for a word of the cluster that the catalogue lacks: it becomes `unrecognised:WORD`.
 */
export interface Ruling {
  readonly verdict: VerdictName;
  readonly reason: ReasonName | { readonly word: string } | null;
  /** Facts for operators, from the object. */
  readonly facts: string;
  /** The number there is, of the number that is wanted: numbers may stand in a user's sentence. */
  readonly count?: CopyCount;
  /** It is up for now, between two ends: its workload counts it as ready, and it has not held. */
  readonly isUp?: true;
  /** The way in which it is ready; without it, that it works. */
  readonly readyAs?: ReadyAs;
}

interface CopyCount {
  readonly have: number;
  readonly want: number;
  /** They serve, although what is wanted of them failed. */
  readonly serves?: true;
}

/** Ready objects differ in what that means: some work, some have ended well, some are only stored. */
export type ReadyAs = 'working' | 'ended' | 'stored';

export function ready(facts: string, readyAs: ReadyAs = 'working'): Ruling {
  return { verdict: 'ready', reason: null, facts, readyAs };
}

export function ruling(
  verdict: Exclude<VerdictName, 'ready'>,
  reason: Exclude<Ruling['reason'], null>,
  facts: string,
  count?: Ruling['count'],
): Ruling {
  return count === undefined ? { verdict, reason, facts } : { verdict, reason, facts, count };
}

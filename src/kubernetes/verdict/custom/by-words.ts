import { conditionFacts, conditionsOf } from '../conditions.ts';
import { flagAt, isThere, type ObjectFields } from '../fields.ts';
import { climb } from '../ladder.ts';
import type { ReasonName } from '../reasons/index.ts';
import { type ReadyAs, type Ruling, ready, ruling, type VerdictName } from '../verdict.ts';
import { copiesUnmet } from './besides.ts';
import type { CustomFamily } from './family.ts';
import { observedUnmet, type PhaseTable, phaseUnmet } from './reading.ts';

/** Words of one field by what they stand for. A word that no list has is `unrecognised`. */
export interface Words {
  readonly ready: readonly string[];
  readonly waits?: readonly string[];
  readonly degraded?: readonly string[];
  readonly failed?: readonly string[];
  readonly suspended?: readonly string[];
  readonly unknown?: readonly string[];
}

/** Operators that say how an object is in one or two words of its status, and not by the common conditions. */
interface WordFamily {
  readonly group: string;
  readonly kinds: readonly string[];
  /** Every field must hold a word of `ready`. */
  readonly words: Readonly<Record<string, Words>>;
  /** Fields that count only where they are written. */
  readonly besides?: Readonly<Record<string, Words>>;
  /** Ready means that it has ended well. */
  readonly endsAs?: ReadyAs;
  /** Conditions that take the word's proof away when they are True. */
  readonly denials?: readonly string[];
  /** Decides before the words. */
  readonly first?: (object: ObjectFields) => Ruling | null;
  /** Must be met as well, after the words. */
  readonly unmet?: (object: ObjectFields, now: number) => Ruling | null;
}

export function wordFamily(row: WordFamily): CustomFamily {
  const needed = tablesOf(row.words);
  const besides = tablesOf(row.besides ?? {});
  return {
    group: row.group,
    kinds: row.kinds,
    judge: (object, now) =>
      climb(
        [
          () => (isPaused(object) ? ruling('suspended', 'paused', 'spec.paused is true') : null),
          () => row.first?.(object) ?? null,
          () => observedUnmet(object),
          () => denial(object, row.denials ?? []),
          ...needed.map(
            ([path, table]) =>
              () =>
                phaseUnmet(object, path, table),
          ),
          ...besides.map(
            ([path, table]) =>
              () =>
                isThere(object, path) ? phaseUnmet(object, path, table) : null,
          ),
          () => row.unmet?.(object, now) ?? null,
          () => conditionUnmet(object),
          () => copiesUnmet(object),
        ],
        ready(needed.map(([path]) => path).join(' and '), row.endsAs ?? 'working'),
      ),
  };
}

const REASONS: Readonly<
  Record<Exclude<keyof Words, 'ready'>, readonly [Exclude<VerdictName, 'ready'>, ReasonName]>
> = {
  waits: ['progressing', 'reconciling'],
  degraded: ['degraded', 'impaired'],
  failed: ['failed', 'reconcile_failed'],
  suspended: ['suspended', 'paused'],
  unknown: ['unknown', 'health_unknown'],
};

function tablesOf(fields: Readonly<Record<string, Words>>): readonly (readonly [string, PhaseTable])[] {
  return Object.entries(fields).map(([path, words]) => [path, tableOf(words)]);
}

function tableOf(words: Words): PhaseTable {
  const table: Record<string, PhaseTable[string]> = {};
  for (const word of words.ready) table[word] = 'met';
  for (const list of ['waits', 'degraded', 'failed', 'suspended', 'unknown'] as const)
    for (const word of words[list] ?? []) table[word] = REASONS[list];
  return table;
}

/** Common conditions beside the word may take its proof away. */
function conditionUnmet(object: ObjectFields): Ruling | null {
  const conditions = conditionsOf(object);
  const unmet = ['Ready', 'Available']
    .flatMap((type) => conditions.get(type) ?? [])
    .find(({ status }) => status !== 'True');
  if (unmet !== undefined) return ruling('progressing', 'not_yet_ready', conditionFacts(unmet));
  const work = ['Progressing', 'Reconciling']
    .flatMap((type) => conditions.get(type) ?? [])
    .find(({ status }) => status === 'True');
  return work === undefined ? null : ruling('progressing', 'reconciling', conditionFacts(work));
}

function denial(object: ObjectFields, types: readonly string[]): Ruling | null {
  if (types.length === 0) return null;
  const conditions = conditionsOf(object);
  const denied = types.flatMap((type) => conditions.get(type) ?? []).find(({ status }) => status === 'True');
  return denied === undefined ? null : ruling('degraded', 'impaired', conditionFacts(denied));
}

function isPaused(object: ObjectFields): boolean {
  return ['spec.paused', 'spec.pause'].some((path) => {
    try {
      return flagAt(object, path);
    } catch {
      return false;
    }
  });
}

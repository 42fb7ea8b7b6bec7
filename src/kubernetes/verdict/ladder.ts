import type { Ruling } from './verdict.ts';

/**
 * A ladder is the list of conditions that an object of one kind must meet, in order. The first unmet one decides, and
 * its number stands in the operator's facts. A rung that is met returns null.
 */
type Rung = () => Ruling | null;

/** Climbs; `top` is the ruling where every rung is met. */
export function climb(rungs: readonly Rung[], top: Ruling): Ruling {
  for (const [at, rung] of rungs.entries()) {
    const unmet = rung();
    if (unmet !== null) return { ...unmet, facts: `condition ${at + 1} of ${rungs.length}: ${unmet.facts}` };
  }
  return top;
}

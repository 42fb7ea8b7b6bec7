import { type Ruling, ruling } from '../verdict.ts';

/** Counts of the copies of a workload, as its controller wrote them. */
interface Availability {
  readonly have: number;
  readonly want: number;
  readonly available: number;
  /** Copies that are counted as unavailable, where the kind counts them. */
  readonly unavailable?: number;
}

/** Copies must be ready, and for as long as `minReadySeconds` asks. */
export function availabilityUnmet(
  { have, want, available, unavailable = 0 }: Availability,
  what: 'replicas' | 'nodes',
): Ruling | null {
  const count = { have, want };
  if (have < want)
    return ruling('progressing', 'not_available', `${have} of ${want} ${what} are ready`, count);
  if (available < want)
    return ruling(
      'progressing',
      'settling',
      `${have} of ${want} ${what} are ready, ${available} available`,
      count,
    );
  if (have > want || available > want)
    return ruling(
      'unknown',
      'contradictory',
      `${have} ${what} are ready, ${available} available, of ${want}`,
    );
  return unavailable > 0
    ? ruling('progressing', 'not_available', `${unavailable} ${what} are unavailable`)
    : null;
}

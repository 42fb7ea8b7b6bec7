/** Counts comparisons of a database with memory, and faults of the database. A build fails on a counter at zero. */
export const TWIN_COUNTERS = [
  'same answers',
  'same rows at the end',
  'same claims',
  'same claims of the past',
  'committed',
  'rolled back',
  'killed in its transaction',
  'killed after its commit',
] as const;
export type TwinCounter = (typeof TWIN_COUNTERS)[number];
export type TwinCounts = Record<TwinCounter, number>;

export function noTwinCounts(): TwinCounts {
  return Object.fromEntries(TWIN_COUNTERS.map((name) => [name, 0])) as TwinCounts;
}

/**
 * Seeds of past failures, each with what it found. They run before every other schedule, for ever. A seed means the
 * same schedule only as long as nothing is added to the population: those found before agents reported by scopes,
 * side containers, generations, observe mode and slow worlds came in are now other schedules, and still run.
 */
export const SEEDS: readonly { readonly seed: number; readonly steps: number; readonly found: string }[] = [
  { seed: 20, steps: 300, found: 'a teardown proven by the ledger alone was never recorded as over' },
  { seed: 44, steps: 300, found: 'a report that could read nothing became a base' },
  { seed: 57, steps: 300, found: 'a span that never was fresh hid the next one from the past' },
  { seed: 64, steps: 300, found: 'an old crash loop failed an attempt the moment it was applied' },
  { seed: 77, steps: 300, found: 'an offer made while its command was superseded stayed open' },
  { seed: 245, steps: 300, found: 'a change that only removed said nothing of a young service' },
  { seed: 332, steps: 300, found: 'a heartbeat did not conclude stability for a young service' },
  { seed: 397, steps: 300, found: 'absence stayed unproven because no full report was ever asked for' },
  { seed: 522, steps: 300, found: 'a heartbeat under way revived a lease that was on record as lapsed' },
  { seed: 1415, steps: 300, found: 'a silence behind an unconfirmed deadline was never recorded' },
  { seed: 10031, steps: 300, found: 'an outcome told by time alone was recorded as another' },
  { seed: 10269, steps: 300, found: 'a partial report refreshed an instance that it did not name' },
  { seed: 402255, steps: 300, found: 'an absence that was old when it came was told as a success' },
  {
    seed: 403676,
    steps: 300,
    found: 'what a partial report first showed counted as steady since the report before',
  },
  { seed: 404265, steps: 300, found: 'the oracle took a partial report for one that shows everything' },
  {
    seed: 422042,
    steps: 300,
    found: 'a partial report made evidence_corrupt good without showing everything',
  },
  { seed: 29, steps: 300, found: 'in observe mode a success that was told was never put on record' },
  { seed: 96, steps: 300, found: 'a scope that could not be read was made good by another' },
  {
    seed: 5193,
    steps: 300,
    found: 'a partial report made an observed template running, and settled nothing',
  },
  { seed: 428426, steps: 300, found: 'the oracle missed a silence that a report heard in time had ended' },
  { seed: 172, steps: 300, found: 'absence was never proven where two scopes had to show it' },
  { seed: 348, steps: 300, found: 'the oracle let what the ledger proved not age after it was contradicted' },
  { seed: 553, steps: 300, found: 'what was known before an engine became unreachable was told as running' },
  { seed: 917, steps: 300, found: 'what one scope showed while another was silent was not on record' },
  { seed: 1386, steps: 300, found: 'a generation that moved on and was not behind counted as a change' },
  { seed: 1124, steps: 300, found: 'what still ran counted as progress of a scale to zero' },
  { seed: 733, steps: 300, found: 'what was seen before the runtime was told counted as progress after it' },
  {
    seed: 192,
    steps: 300,
    found: 'what one scope showed of another cluster made good what the others had shown',
  },
  { seed: 1880, steps: 300, found: 'the oracle held a grant against a beat before its commit' },
  {
    seed: 700486,
    steps: 300,
    found: 'a silence after an apply that was younger than the last report was never recorded',
  },
  { seed: 1907, steps: 300, found: 'the oracle took what still ran for progress of a scale to zero' },
  { seed: 4897, steps: 300, found: 'a report that could read nothing recorded an observed revision' },
];

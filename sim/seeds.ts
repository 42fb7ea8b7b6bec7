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
  { seed: 3882, steps: 300, found: 'the oracle held what came before a service was asked for against it' },
  { seed: 2518, steps: 300, found: 'the oracle asked one instant to show what two scopes show' },
  { seed: 1970, steps: 300, found: 'what a scope showed of another cluster counted as progress' },
  {
    seed: 15717,
    steps: 300,
    found: 'the oracle counted stability from a report while another could not be read',
  },
  {
    seed: 20102,
    steps: 300,
    found: 'what was given up and seen again in one instant was forgotten to have failed',
  },
  {
    seed: 126735,
    steps: 300,
    found: 'what another cluster showed before it had told everything was no progress of it',
  },
  { seed: 43714, steps: 300, found: 'the oracle counted time to give up before the first beat of all' },
  {
    seed: 164122,
    steps: 300,
    found: 'a simulated agent said by an older base what it had told otherwise in a partial report',
  },
  {
    seed: 183752,
    steps: 300,
    found: 'the oracle took an incomplete report for a word about what it does not name',
  },
  {
    seed: 94583,
    steps: 300,
    found:
      'the oracle took what a scope had shown before its template was a revision for a word about that revision',
  },
  { seed: 600025, steps: 300, found: 'a scope seen under another identity went on serving' },
  { seed: 800276, steps: 300, found: 'the oracle took one scope that was heard for all of them' },
  { seed: 802978, steps: 300, found: 'what could not be read after its deadline was never given up' },
  {
    seed: 802735,
    steps: 300,
    found: 'the oracle let nobody take the time to give up what became unknown late',
  },
  {
    seed: 11464,
    steps: 300,
    found: 'what became unknown after its stage was over was never given up on record',
  },
  { seed: 802601, steps: 300, found: 'what was old when it came made earlier instants fresh' },
  { seed: 920018, steps: 300, found: 'the oracle did not wait for each scope to be seen again' },
  { seed: 910156, steps: 300, found: 'the oracle held a heartbeat against an end that nobody could see yet' },
  { seed: 1013209, steps: 300, found: 'the oracle kept what one scope said before the service was there' },
  {
    seed: 1047868,
    steps: 300,
    found: 'the oracle took what came while a service was being recorded for said of it',
  },
  {
    seed: 1012131,
    steps: 300,
    found: 'a crash loop in one scope was told only when another scope had changed since the apply',
  },
  { seed: 1043633, steps: 300, found: 'a crash loop was not told while another scope could not be read' },
  {
    seed: 11281,
    steps: 300,
    found: 'a simulated agent named a base that had come, and showed its change against another',
  },
  { seed: 1001143, steps: 300, found: 'a route that nobody asked for made what ran degraded' },
  {
    seed: 1017802,
    steps: 300,
    found: 'the oracle let nobody take the time to give up what was unknown and not yet on record so',
  },
  {
    seed: 1018406,
    steps: 300,
    found: 'the oracle took a server that had just come up for one that had had time to give up',
  },
  {
    seed: 1048721,
    steps: 300,
    found: 'the oracle held beats against what was committed long after them',
  },
  { seed: 1013293, steps: 300, found: 'a call was forgotten because the first one was still under way' },
  { seed: 1044249, steps: 300, found: 'who had just been offered work was told to be offline' },
  { seed: 1052893, steps: 300, found: 'whoever began to beat before anybody had slept over the others’ end' },
  { seed: 1011095, steps: 300, found: 'a deadline failed what could not be judged, as last known' },
  { seed: 1016927, steps: 300, found: 'the oracle held what was old when it came against the record before' },
  { seed: 3003450, steps: 300, found: 'what failed while it was seen was last known as failed later' },
  { seed: 2003217, steps: 300, found: 'the oracle knew of no report that shows the same and comes late' },
  {
    seed: 3024184,
    steps: 300,
    found: 'the oracle took a route that no scope had shown for one that was told',
  },
  { seed: 3006048, steps: 300, found: 'a removal that was given up was taken up while the next was active' },
  { seed: 3100161, steps: 900, found: 'a removal that was given up was taken up while the next was active' },
  { seed: 3101167, steps: 900, found: 'a removal that was given up was taken up while the next was active' },
  {
    seed: 3009986,
    steps: 300,
    found: 'the oracle held a heartbeat against an apply that was committed after it',
  },
  {
    seed: 4004561,
    steps: 300,
    found: 'what had long been ready in another scope was not on record as stable',
  },
  { seed: 300, steps: 300, found: 'the oracle knew of one report or registration for each commit' },
  { seed: 4100216, steps: 900, found: 'the oracle forgot what was known of a target before it was another' },
  {
    seed: 6003676,
    steps: 300,
    found: 'the oracle took the key of a cancel for one that asked for the intent',
  },
  { seed: 7001679, steps: 300, found: 'stability was counted from a report while another could not be read' },
  { seed: 7000280, steps: 300, found: 'last known was later than now after the clock was set back' },
  { seed: 8005821, steps: 300, found: 'the oracle gave the sweeper no time to record what time had changed' },
  {
    seed: 9102501,
    steps: 300,
    found: 'the oracle took a first entry for a change from something contrary',
  },
  {
    seed: 9103720,
    steps: 300,
    found: 'what was given up unseen was known as failed once it could be judged',
  },
  { seed: 8013355, steps: 300, found: 'the oracle took no notice of a reason that tells of an exit between' },
  {
    seed: 7480,
    steps: 300,
    found: 'a generation told for the first time, by a scope that had shown nothing, began stability anew',
  },
  {
    seed: 22205,
    steps: 300,
    found: 'what failed after it was given up unseen was forgotten by a late report',
  },
  {
    seed: 33847,
    steps: 300,
    found: 'what was given up unseen was known as failed by a report that came late',
  },
  { seed: 17770, steps: 300, found: 'what ran was degraded by a generation told for the first time' },
  {
    seed: 45326,
    steps: 300,
    found: 'what failed after it was given up unseen was forgotten by a late report',
  },
  {
    seed: 5503,
    steps: 300,
    found: 'stable by a report too old to be told: no row, and a clock set back made it young and failed',
  },
  {
    seed: 12983,
    steps: 300,
    found: 'a number that was jumped over served, once the revision that jumped over it was history',
  },
  {
    seed: 16097,
    steps: 300,
    found: 'who ended a lease had read it before its holder called once more, and nobody was online',
  },
  {
    seed: 22377,
    steps: 300,
    found:
      'the oracle looked for a route no later than the oldest scope was seen, of another than the route’s',
  },
  {
    seed: 28446,
    steps: 300,
    found: 'the oracle took a report for one about what was told, which was on record only after it',
  },
  {
    seed: 53522,
    steps: 300,
    found: 'what came further while it was degraded forgot a silence, which its deadline then counted',
  },
  {
    seed: 70062,
    steps: 300,
    found: 'a heartbeat that was stopped on its way moved the end of a lease back, behind a later one',
  },
  {
    seed: 141032,
    steps: 300,
    found:
      'a row that waited to be written went out twice before two looks at its table: a Conflict on PostgreSQL',
  },
  {
    seed: 143136,
    steps: 300,
    found:
      'what ran was said to serve beside a stray that had the route, before a build had found out about a port',
  },
  {
    seed: 1033,
    steps: 300,
    found: 'a start deadline counted the time of doubt about a place that was retired',
  },
  {
    seed: 1725,
    steps: 300,
    found: 'what held once a former place was retired was never put on record as succeeded',
  },
  {
    seed: 810,
    steps: 300,
    found: 'a deadline that had failed an attempt in the former place was forgotten when another place came',
  },
  {
    seed: 887,
    steps: 300,
    found: 'the row that left a number out was not cited, so that a stray with that number seemed to serve',
  },
  {
    seed: 3874,
    steps: 300,
    found: 'an attempt that was never handed out served last, once its revision was history',
  },
  {
    seed: 5542,
    steps: 300,
    found: 'an attempt that was given up forgot that it was being applied, when another place had the name',
  },
  {
    seed: 1031,
    steps: 300,
    found:
      'what another tool had scaled to none and never ran was degraded by a copy that came, as if it ended',
  },
  {
    seed: 333,
    steps: 300,
    found:
      'what was stopped cited the copy that had broken it, and not what had shown it gone, in a former place',
  },
  {
    seed: 345,
    steps: 300,
    found:
      'the oracle forgot the exit of a copy that was still shown, by another scope, beside the one of its name',
  },
  {
    seed: 800276,
    steps: 300,
    found: 'a start was given up early by the time in which a former place might have carried its apply out',
  },
  {
    seed: 1825,
    steps: 300,
    found: 'a start was given up early by a silence before anything of its attempt was ever judged',
  },
  {
    seed: 1771,
    steps: 300,
    found: 'a report of an agent that could not look began a service',
  },
  {
    seed: 2229,
    steps: 300,
    found: 'what was scaled to none was stopped, though a removal left what nothing contained',
  },
  {
    seed: 2075,
    steps: 300,
    found:
      'a report that could not be read made a removed workload not observed under the next rule, and what it served not gone',
  },
  {
    seed: 2795,
    steps: 300,
    found:
      'a workload that was gone was stopping: the reports that showed it gone were older than their receipt',
  },
  {
    seed: 9102,
    steps: 300,
    found: 'an observe intent of no copies was stopping before anything of it was seen',
  },
  {
    seed: 5013,
    steps: 300,
    found: 'a copy that came up in the new place was no progress while a former one was in doubt',
  },
  {
    seed: 20750,
    steps: 300,
    found:
      'a report that could not be read made copies in a former place last seen with an older one; the oracle took it for a sight',
  },
  {
    seed: 30976,
    steps: 300,
    found: 'the oracle let the apply alone carry what was proven stopped before another place came',
  },
  {
    seed: 40809,
    steps: 300,
    found: 'what served last did not cite when its target took it, under the revision after it',
  },
  {
    seed: 427,
    steps: 300,
    found: 'an agent whose namespaces no rule covered had no report left to learn of another rule from',
  },
];

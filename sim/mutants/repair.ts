import { type Mutant, m } from './mutant.ts';

/** What is asked for, and what happens when nothing comes of it. */
export const REPAIR_MUTANTS: readonly Mutant[] = [
  // Intent
  m('key not remembered', 'intent/acted.ts', 'if (key && idempotency) {', 'if (false) {'),
  m(
    'key of another request accepted',
    'intent/acted.ts',
    'earlier.fingerprint !== idempotency?.fingerprint',
    'false',
  ),
  m(
    'queue policy ignored',
    'intent/deploy.ts',
    "busy && policy === 'queue' && from.kind !== 'observe'",
    'false',
  ),
  m('refuse policy ignored', 'intent/deploy.ts', "busy && policy === 'refuse'", 'false'),
  m(
    'teardown over the unknown',
    'intent/teardown.ts',
    "standing.state === 'unknown' && !repeated && force === null",
    'false',
  ),
  m(
    'port that the build found is forgotten',
    'intent/deploy.ts',
    "origin.kind === 'artifact' ? plan.port : (port ?? null)",
    '(port ?? null)',
  ),
  m(
    'command that the build found is forgotten by what derives from it',
    'intent/derive.ts',
    'row.spec.command ?? row.command ?? found?.command ?? null',
    'row.spec.command ?? null',
  ),
  m(
    'command that the build found is forgotten by a configuration',
    'intent/deploy.ts',
    'spec.command ?? plan.command',
    'spec.command ?? null',
  ),
  m('teardown takes absence for granted', 'intent/teardown.ts', 'const absent =', 'const absent = true ||'),
  m('cancel too late', 'intent/cancel.ts', 'isTooLate(active) ||', ''),
  m('cancel flips only a row', 'intent/cancel.ts', 'immediate: owner === undefined', 'immediate: true'),
  m(
    'cancelled command still offered',
    'intent/cancel.ts',
    "{ state: OPEN_COMMAND }, { state: 'cancelled' }",
    '{ state: OPEN_COMMAND }, {}',
  ),
  m(
    'published twice',
    'ownership/publish.ts',
    "const expect = { state: 'recorded' } as const",
    'const expect = {}',
  ),

  // Deadlines and repair
  m('lease end ignored', 'projection/judge-command.ts', 'if (view.now >= end) {', 'if (view.now < 0) {'),
  m(
    'blind time counted',
    'projection/intervals.ts',
    'if (excluded.length === 0) return start + ms;',
    'if (excluded.length >= 0) return start + ms;',
  ),
  m(
    'withdrawn command still offered',
    'repair/carry-out.ts',
    "{ state: unowned }, { state: 'withdrawn' }",
    '{ state: unowned }, {}',
  ),
  m(
    'revoked lease still open',
    'repair/carry-out.ts',
    "!(await endLease(door, lease, 'revoked', 'failed'))",
    'false',
  ),
  m(
    'lapsed work not re-queued',
    'repair/carry-out.ts',
    "next === 'requeue' ? 'published'",
    "next === 'requeue' ? 'withdrawn'",
  ),
  m('absence by an old snapshot', 'projection/judge-runtime.ts', 'completeAsOf >= since.at &&', ''),
  m(
    'stopped before removal',
    'projection/judge-stop.ts',
    'isAbsent(facts, toldMark(view))',
    'isAbsent(facts, revision.recorded)',
  ),
  m(
    'ledger alone outweighs what is seen',
    'projection/judge-stop.ts',
    'return observedInstances(view.facts.proven.observed).length === 0;',
    'return true;',
  ),
  m(
    'contradiction unseen',
    'projection/judge-runtime.ts',
    'instances.length === 0 &&',
    'instances.length >= 0 &&',
  ),
  m(
    'silence counts as unready time',
    'projection/judge-runtime.ts',
    'silences.length === 0 ? blind : [...silences, ...blind]',
    'blind',
  ),

  // Deadlines that must speak
  m(
    '`degraded` never fails',
    'projection/judge-runtime.ts',
    'instantAfter(since, intent.deadlines.degradedMs, uncounted(view.facts))',
    'since + 1e9',
  ),
  m(
    '`degraded` fails too soon',
    'projection/judge-runtime.ts',
    'instantAfter(since, intent.deadlines.degradedMs, uncounted(view.facts))',
    'instantAfter(since, intent.deadlines.degradedMs >> 2, uncounted(view.facts))',
  ),
  m(
    '`starting` never fails',
    'projection/judge-runtime.ts',
    'instantAfter(startClock(view), intent.deadlines.startMs, uncounted(view.facts))',
    'startClock(view) + 1e9',
  ),
  m(
    '`unknown` never given up',
    'projection/judge-runtime.ts',
    'const gone = attempt.settled === null && abandonAt <= view.awake;',
    'const gone = false;',
  ),
  m(
    'progress does not restart the clock',
    'projection/judge-runtime.ts',
    'view.attempt.progress?.at ?? 0',
    '0',
  ),
  m(
    'three lapses never end',
    'projection/decide.ts',
    "lapses > LAPSES_ALLOWED ? 'fail'",
    "lapses > 1e9 ? 'fail'",
  ),
  m(
    'never removes again',
    'projection/decide.ts',
    "if (!stopped || standing.cause?.code !== 'contradictory') return [];",
    'if (stopped || !stopped) return [];',
  ),
  m(
    'heartbeat extends a lapsed lease unseen',
    'ownership/heartbeat.ts',
    'if (lease.until <= now) return 0;',
    '',
  ),
];

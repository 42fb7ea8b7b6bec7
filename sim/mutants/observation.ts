import { type Mutant, m } from './mutant.ts';

/** What is seen, how fresh it is, and how it was then. */
export const OBSERVATION_MUTANTS: readonly Mutant[] = [
  // Freshness and observation
  m(
    'freshness off by the window',
    'projection/freshness.ts',
    'asOf + liveness.settings.freshForMs',
    'asOf + 2 * liveness.settings.freshForMs',
  ),
  m('never stale', 'projection/judge-runtime.ts', 'now >= sight.until', 'sight.asOf === null'),
  m(
    'stopped never ages',
    'projection/judge-stop.ts',
    'fresh.asOf !== null && now < fresh.until',
    'fresh.asOf !== null',
  ),
  m(
    'fresh by receipt',
    'evidence/door/liveness.ts',
    'return { scope, epoch, asOf, receivedAt, completeAt, unavailable };',
    'return { scope, epoch, asOf: receivedAt, receivedAt, completeAt, unavailable };',
  ),
  m(
    'identity ignored',
    'projection/freshness.ts',
    'if (agent === null || !agent.identityChanged) return false;',
    'return false;',
  ),
  m('`asOf` by receipt alone', 'evidence/report/scope.ts', 'Math.min(now - given.watchAgeMs, heard)', 'now'),
  m(
    'what was heard ignored',
    'evidence/report/scope.ts',
    'Math.min(now - given.watchAgeMs, heard)',
    'now - given.watchAgeMs',
  ),
  m(
    'age of the watch ignored',
    'evidence/report/scope.ts',
    'Math.min(now - given.watchAgeMs, heard)',
    'heard',
  ),
  m(
    'older epoch believed',
    'evidence/report/scope.ts',
    "if (order < 0) return { kind: 'refused', reason: 'stale_epoch', stored };",
    '',
  ),
  m(
    'epoch never issued believed',
    'evidence/report/scope.ts',
    "if (order > 0) return { kind: 'refused', reason: 'unissued', stored };",
    '',
  ),
  m(
    'sequence ignored',
    'evidence/report/scope.ts',
    'continued && compareDigits(report.seq, scope.seq) <= 0',
    'false',
  ),
  m(
    'base ignored',
    'evidence/report/scope.ts',
    "report.kind !== 'full' && (!continued || scope.base !== report.base)",
    'false',
  ),
  m(
    'complete flag ignored',
    'evidence/report/observation.ts',
    "report.kind === 'full' && report.complete",
    "report.kind === 'full'",
  ),
  m(
    'complete report never prunes',
    'evidence/report/observation.ts',
    'instances: [...named],',
    'instances: [...named, ...bare(before).filter((i) => !named.some((n) => n.uid === i.uid))],',
  ),
  m(
    'removed instances kept',
    'evidence/report/observation.ts',
    '!sorted.owners.has(i.uid) && !sorted.removedInstances.has(i.uid)',
    '!sorted.owners.has(i.uid)',
  ),
  m(
    'incomplete report refreshes all',
    'evidence/report/scope.ts',
    'const proves = complete && given.unavailable == null',
    'const proves = given.unavailable == null',
  ),
  m(
    'blind agent refreshes',
    'evidence/report/scope.ts',
    'const proves = complete && given.unavailable == null',
    'const proves = complete',
  ),
  m(
    'calm report hides news',
    'evidence/report/report.ts',
    "given.kind !== 'heartbeat' && (await hasNews(tx, { org, target, report: given, sorted }, scope, host.giveWay))",
    'false',
  ),
  m('heartbeat concludes nothing', 'evidence/report/report.ts', 'if (awaiting.length > 0) return null;', ''),

  // More of reports
  m('fresh by the newest scope', 'projection/freshness.ts', 'Math.min(asOf, live)', 'Math.max(asOf, live)'),
  m(
    'prune without epoch',
    'evidence/report/scope.ts',
    'const continued = scope !== undefined && scope.seqEpoch === report.epoch;',
    'const continued = scope !== undefined;',
  ),
  m('tainted report is a base', 'evidence/report/scope.ts', 'base: tainted ? null :', 'base:'),

  // Time travel
  m(
    'the past seen with the liveness of now',
    'evidence/past/past-liveness.ts',
    'const span = row.spanFrom <= at',
    'const span = row.spanFrom <= Number.POSITIVE_INFINITY',
  ),
];

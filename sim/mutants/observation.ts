import { type Mutant, m, textual } from './mutant.ts';

/** What is seen, how fresh it is, and how it was then. */
export const OBSERVATION_MUTANTS: readonly Mutant[] = [
  // Freshness and observation
  m('freshness off by the window', 'fresh-window.value.until.value.else', '$left + 2 * $right'),
  m('never stale', 'stale.condition', '($right.object).asOf === null', ['asOf']),
  m('stopped never ages', 'stopped-fresh.condition', '$left'),
  m('fresh by receipt', 'scope-as-of.value', '{ ...$node, asOf: $receivedAt }', ['asOf']),
  m('identity ignored', 'identity-changed.condition', 'true'),
  textual(
    '`asOf` by receipt alone',
    'evidence/report/scope.ts',
    'Math.min(now - report.watchAgeMs, heard)',
    'now',
  ),
  textual(
    'what was heard ignored',
    'evidence/report/scope.ts',
    'Math.min(now - report.watchAgeMs, heard)',
    'now - report.watchAgeMs',
  ),
  textual(
    'age of the watch ignored',
    'evidence/report/scope.ts',
    'Math.min(now - report.watchAgeMs, heard)',
    'heard',
  ),
  textual(
    'older epoch believed',
    'evidence/report/scope.ts',
    "if (order < 0) return { kind: 'rejected', reason: 'stale_epoch', stored };",
    '',
  ),
  textual(
    'epoch never issued believed',
    'evidence/report/scope.ts',
    "if (order > 0) return { kind: 'rejected', reason: 'unissued', stored };",
    '',
  ),
  textual(
    'sequence ignored',
    'evidence/report/scope.ts',
    'continued && compareDigits(report.seq, scope.seq) <= 0',
    'false',
  ),
  textual(
    'base ignored',
    'evidence/report/scope.ts',
    "report.kind !== 'full' && (!continued || scope.base !== report.base)",
    'false',
  ),
  textual(
    'complete flag ignored',
    'evidence/report/observation.ts',
    "report.kind === 'full' && report.complete",
    "report.kind === 'full'",
  ),
  textual(
    'complete report never prunes',
    'evidence/report/observation.ts',
    'instances: [...named],',
    'instances: [...named, ...bare(before).filter((i) => !named.some((n) => n.uid === i.uid))],',
  ),
  textual(
    'removed instances kept',
    'evidence/report/observation.ts',
    '!items.owners.has(i.uid) && !items.removedInstances.has(i.uid)',
    '!items.owners.has(i.uid)',
  ),
  textual(
    'incomplete report refreshes all',
    'evidence/report/scope.ts',
    'const proves = complete && report.unavailable == null',
    'const proves = report.unavailable == null',
  ),
  textual(
    'blind agent refreshes',
    'evidence/report/scope.ts',
    'const proves = complete && report.unavailable == null',
    'const proves = complete',
  ),
  textual(
    'calm report hides news',
    'evidence/report/calm-report.ts',
    "report.kind !== 'heartbeat' && (await hasNews({ tx, giveWay: host.giveWay, received, scope }))",
    'false',
  ),
  textual(
    'heartbeat concludes nothing',
    'evidence/report/calm-report.ts',
    'if (awaiting.length > 0) return null;',
    '',
  ),

  // More of reports
  m('fresh by the newest scope', 'oldest-scope.right.else', 'Math.max($arg0, $arg1)'),
  textual(
    'prune without epoch',
    'evidence/report/scope.ts',
    'const continued = scope !== undefined && scope.seqEpoch === report.epoch;',
    'const continued = scope !== undefined;',
  ),
  textual('tainted report is a base', 'evidence/report/scope.ts', 'base: tainted ? null :', 'base:'),

  // Time travel
  m('the past seen with the liveness of now', 'past-span.value.condition', 'true'),
];

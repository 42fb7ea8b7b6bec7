import { type Mutant, m } from './mutant.ts';

/** Mistakes about reports, freshness and the past. */
export const OBSERVATION_MUTANTS: readonly Mutant[] = [
  // Freshness and observation
  m('freshness off by the window', 'fresh-window.value.until.value.else', '$left + 2 * $right'),
  m('never stale', 'stale.condition', '($right.object).asOf === null', ['asOf']),
  m('stopped never ages', 'stopped-fresh.condition', '$left'),
  m('fresh by receipt', 'scope-as-of.value', '$node && { ...$node, asOf: ($node).receivedAt }', [
    'asOf',
    'receivedAt',
  ]),
  m('identity ignored', 'identity-changed.condition', 'true'),
  m('another place proves what is gone', 'former-place-kept.value', '[] as LeftPart[]', ['LeftPart']),
  m('holds in the new place by what the former one took', 'holds-in-new-place.value.condition', '$operand0'),
  m('former place last seen when it changed', 'former-seen-until.value', '$arg0'),
  m('retired place still in doubt', 'retired-place.value', '$left'),
  m('`asOf` by receipt alone', 'report-as-of.value.arg1', '$arg0.left'),
  m('what was heard ignored', 'report-as-of.value.arg1', '$arg0'),
  m('age of the watch ignored', 'report-as-of.value.arg1', '$arg1'),
  m('older epoch believed', 'stale-epoch', ''),
  m('epoch never issued believed', 'unissued-epoch', ''),
  m('sequence ignored', 'report-sequence.condition', 'false'),
  m('base ignored', 'report-base.condition', 'false'),
  m('complete flag ignored', 'complete-report.condition', '$left'),
  m(
    'complete report never prunes',
    'complete-prunes.value',
    '[...$element0.value, ...bare(before).filter((i) => !($element0.value).some((n) => n.uid === i.uid))]',
    ['bare', 'before', 'uid'],
  ),
  m('removed instances kept', 'removed-instances.value.arg0.body', '$left'),
  m('incomplete report refreshes all', 'report-proves.value', '$right'),
  m('blind agent refreshes', 'report-proves.value', '$left'),
  m('calm report hides news', 'calm-no-news.condition', 'false'),
  m('heartbeat concludes nothing', 'calm-not-awaited', ''),
  m('what starts awaits no report', 'awaits-stability.else', 'false'),

  // Rules of a target
  m('gone under any rule is removed', 'gone-under-its-rule.value.condition', 'true'),
  m('what no rule covers is called silent', 'left-out-ages.condition', 'now < basis.until && $node', [
    'basis',
    'now',
    'until',
  ]),
  m('removed for ever, whoever looks', 'left-out-for-good.condition', 'false'),

  // More of reports
  m('fresh by the newest scope', 'oldest-scope.right.else', 'Math.max($arg0, $arg1)'),
  m('prune without epoch', 'sequence-of-epoch.value', '$left'),
  m('exits over a gap all counted', 'exits-over-gap.value', '$else'),
  m('tainted report is a base', 'tainted-no-base.value', '$else'),

  // Time travel
  m('the past seen with the liveness of now', 'past-span.condition', 'true'),
];

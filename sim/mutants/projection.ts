import { type Mutant, m } from './mutant.ts';

/** Mistakes in facts, in the running contract, and in the words of a claim. */
export const PROJECTION_MUTANTS: readonly Mutant[] = [
  // Folding
  m('cancel lets completion through', 'cancel-wins.value', 'false'),
  m(
    'queue lets two through',
    'queue-waits.value',
    "$condition ? $then : ($else ?? { ...$then, position: '999999999' })",
    ['position'],
  ),
  m('queued revision supersedes', 'queued-not-newest.value.arg0.body', '$left'),
  m('retry on the same attempt', 'retry-attempt-grows.value', '$left'),
  m('restart between reports unseen', 'restarts-count', 'true'),
  m('readiness change unseen', 'readiness-counts', 'true'),
  m('steady through a change', 'steady-while-same.condition', 'true'),
  m('corrupt report believed', 'corrupt-kept.value', 'false'),

  // The running contract
  m('stability off', 'stability.value.right', '$arg1.left'),
  m('one lucky sample', 'stability.value', 'true'),
  m("old version's health credited", 'own-revision.condition', '$left.left !== null'),
  m('digest not compared', 'own-digest', '$callee.object'),
  m('route not asked', 'route-answers.condition', 'false'),
  m('running means ready', 'ready.value', '$operand0 && $operand2'),
  m('steady through a silence of the route', 'route-steady.value', '0'),
  m('scale does not accept its base', 'scale-base.value', 'false'),
  m('fewer than wanted', 'replicas-wanted.value', '$else > 1 ? 1 : $node'),

  // More of the running contract
  m('crash loop by exit count ignored', 'crash-loop', 'false'),
  m('window not doubled', 'window-doubles.value.right', '2'),
  m('rhythm longer than its window', 'longest-life.value', '$arg0'),
  m('exits forgotten at replacement', 'exits-inherited.value', 'undefined'),
  m('crash loop taken back by readiness', 'loop-fails.condition', '$node && reading.unmet !== null', [
    'reading',
    'unmet',
  ]),
  m('generation ignored', 'generation.condition', 'false'),
  m('side containers ignored', 'ready.value', '$left'),
  m(
    'stability by clock',
    'contract-held.value',
    '((read) => ({ ...read, held: read.unmet === null && read.opaque === null && read.wanted > 0 && now >= (view.attempt.applied?.at ?? 0) + view.intent.stabilityMs }))($node)',
    ['held', 'unmet', 'opaque', 'wanted', 'now', 'view', 'attempt', 'applied', 'at', 'intent', 'stabilityMs'],
  ),

  m('counts of the cluster ignored', 'counts-weaken.condition', 'false'),
  m('two digests in one attempt', 'two-digests.condition', 'false'),
  m('any template counts', 'own-template.then.value', '$left'),

  // Words of a claim beside its state
  m('always no worker online', 'no-worker-online.condition', 'true'),
  m('busy workers counted free', 'busy-until.value', 'null'),
  m('given back, but not said', 'requeued.condition', 'false'),
  m('`validUntil` always null', 'valid-until.value', 'null'),
  m('`validUntil` too late', 'running-changes-at.value', '$arg1 + 3_000'),
  m('a copy that hangs is not named', 'copy-named.value.condition', 'false'),
  m('retry always safe', 'retry-safe.value', 'true'),
  m('a second copy is offered as safe', 'doubled-risk.value.condition', 'false'),
  m(
    'what was known is dropped',
    'last-known.value.condition',
    "$node || ($left.object).state === 'unknown'",
    ['state'],
  ),
  m('what was known is always running', 'last-known.value.else.state.value', "'running'"),

  // The serving revision
  m('serving what was never handed out, by route', 'route-issued.condition', '$left'),
  m('what served last is forgotten', 'last-serving.value.then', 'null'),
  m('what served last is never gone', 'served-gone.value', 'false'),
  m('what served last is the first that did', 'last-served.condition.right', 'false'),
  m('nothing serves while a copy is ready', 'nothing-serves-shown.condition', 'false'),
  m('that nothing serves never ages', 'nothing-serves-fresh.condition', 'false'),
  m('the ledger alone proves that nothing serves', 'nothing-serves-ledger.condition.left.left', 'true'),
  m('a silent holder is at work', 'holder-silent.value', 'false'),
];

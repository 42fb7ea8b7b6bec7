import { type Mutant, m } from './mutant.ts';

/** Mistakes about intent, deadlines and repair. */
export const REPAIR_MUTANTS: readonly Mutant[] = [
  // Intent
  m('key not remembered', 'idempotency-key-kept.condition', 'false'),
  m('key of another request accepted', 'idempotency-fingerprint.condition', 'false'),
  m('queue policy ignored', 'policy-queue.value', 'false'),
  m('refuse policy ignored', 'policy-refuse.condition', 'false'),
  m('teardown over the unknown', 'teardown-of-unknown.condition', 'false'),
  m('port that the build found is forgotten', 'port-from-build.value', '$else'),
  m(
    'command that the build found is forgotten by what derives from it',
    'command-of-base.value',
    '$operand0 ?? null',
  ),
  m('command that the build found is forgotten by a configuration', 'command-from-build.value.right', 'null'),
  m('teardown takes absence for granted', 'teardown-absence.value', 'true'),
  m('cancel too late', 'cancel-too-late.condition.left', 'false'),
  m('cancel flips only a row', 'cancel-immediate.arg4.immediate.value', 'true'),
  m('cancelled command still offered', 'cancel-closes-command.condition.left.arg3', '{}'),
  m('published twice', 'publish-once.value', '{}'),

  // Deadlines and repair
  m('lease end ignored', 'lease-overdue.condition', 'false'),
  m('blind time counted', 'excluded-time.condition', 'true'),
  m('withdrawn command still offered', 'withdraw-closes-command.condition.left.arg3', '{}'),
  m('revoked lease still open', 'revoke-ends-lease.condition.right', 'false'),
  m('lapsed work not re-queued', 'lapse-requeues.value.then', "'withdrawn'"),
  m('absence by an old snapshot', 'absence.value.operand3', 'true'),
  m('stopped before removal', 'absence-since-removal.condition.right.arg1', '($arg0).revision.recorded', [
    'revision',
    'recorded',
  ]),
  m('uncontained removal claims all', 'stopped-uncontained.value', 'null'),
  m('ledger alone outweighs what is seen', 'removal-uncontradicted.value', 'true'),
  m('contradiction unseen', 'absence.value.operand0', 'true'),
  m('silence counts as unready time', 'silence-uncounted.value', '$then'),

  // Deadlines that must speak
  m('`degraded` never fails', 'degraded-deadline.value', '$arg0 + 1e9'),
  m('`degraded` fails too soon', 'degraded-deadline.value.arg1', '$node >> 2'),
  m('`starting` never fails', 'start-deadline.value', '$arg0 + 1e9'),
  m('`unknown` never given up', 'unknown-given-up.value', 'false'),
  m('progress does not restart the clock', 'start-clock.value.arg1', '0'),
  m('three lapses never end', 'lapses-allowed.value.else.condition', 'false'),
  m('never removes again', 'remove-again.condition', 'true'),
  m('a renewed lease is not looked at again', 'put-off.value', '$node + 1e9'),
  m('heartbeat extends a lapsed lease unseen', 'heartbeat-overdue', ''),
];

import { type Mutant, m } from './mutant.ts';

/** Mistakes about admission, leases, the door, and workers that are online. */
export const OWNERSHIP_MUTANTS: readonly Mutant[] = [
  // Admission
  m('stale lease admitted', 'stale-lease.condition', 'false'),
  m('revision ignored', 'stale-revision.condition', 'false'),
  m('lease of another admitted', 'lease-of-caller.condition', 'false'),
  m('kind not about its command', 'kind-of-command.condition.right.right', 'false'),
  m('artifact not checked', 'artifact-held.condition', 'false'),
  m('attempt of the item not compared with its command', 'attempt-of-command', 'false'),
  m('other body under the same id admitted', 'one-body-per-id.then.value', "{ verdict: 'admitted' }", [
    'verdict',
  ]),
  m('duplicate admitted', 'duplicate-found.value', 'undefined'),
  m('body not validated', 'body-validated.value.condition', 'false'),
  m('refused evidence folded', 'rejected-not-folded.condition.operand0', 'false'),
  m('verdict forgotten', 'verdict-kept', ''),
  m('rejections without a quota', 'rejection-quota.condition', 'false'),

  // Ownership
  m('acknowledged lease too long', 'acknowledged-until.value.right', '20 * $node'),
  m('completed lease left open', 'artifact-ends-lease', ''),
  m('heartbeat extends what was cancelled', 'heartbeat-guards.value.growing', ''),
  m('heartbeat extends an ended lease', 'heartbeat-guards.value', '{ $fence }'),
  m('two acquire one command', 'acquire-guards.value', '{}'),
  m('fence does not grow', 'fence-grows.value', "$arg0 === '0' ? '1' : $arg0"),
  m('fenced agent gets work', 'fenced-agent.value', '$then'),
  m('offer never withdrawn', 'offer-withdrawn.value', 'false'),
  m('registration leaves old leases', 'fenced-leases-requeued', ''),
  m('fenced instance registers again', 'fenced-instance.condition', 'false'),

  m('released command lost', 'release-requeues.arg3.else', "'done'"),
  m('sweeper without fence', 'lapse-at.value', '0'),

  // The door
  m('receipt by the raw clock', 'receipt-time.value', '$arg0'),
  m('positions repeat', 'position-grows.right', "$arg0 === '9' ? $arg0 : $node"),
  m('time not settled', 'time-settled.condition', 'true'),
  m('outcome of a deadline not recorded', 'deadline-outcome.condition', 'true'),
  m('superseded lease goes on growing', 'superseded-lease-stops.else', '{}'),
  m('superseded command still offered', 'supersede-closes-command.arg3', '{}'),
  m('no follow-up command', 'follow-up-command.condition', "$node || kind === 'apply'", ['kind']),
  m('held command never released', 'held-released.arg3', '{}'),
  m('terminal outcome overwritten', 'ends-once.arg2', '{}'),
  m('transition of time lost', 'transition-kept', ''),
  m('facts not saved', 'facts-saved.value', 'file.stored?.proven ?? $node', ['file', 'stored', 'proven']),

  // Workers and agents online
  m('the end of a lease is no call of its holder', 'lease-end-is-contact.condition', 'true'),
  m('a report is no call of its agent', 'report-is-call.value', '$else'),

  // One transaction for many
  m('image relies on nothing that it read', 'image-relies.value', '[]'),
];

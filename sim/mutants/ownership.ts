import { type Mutant, m, textual } from './mutant.ts';

/** Who may say what, and who holds what. */
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

  // Ownership
  textual(
    'acknowledged lease too long',
    'evidence/door/lease-end.ts',
    'until: door.at + door.settings.leaseTtlMs',
    'until: door.at + 20 * door.settings.leaseTtlMs',
  ),
  textual(
    'completed lease left open',
    'evidence/door/lease-end.ts',
    "'artifact.stored': { end: 'completed', state: 'done' },",
    '',
  ),
  m('heartbeat extends what was cancelled', 'heartbeat-guards.value.growing', ''),
  m('heartbeat extends an ended lease', 'heartbeat-guards.value', '{ $fence }'),
  m('two acquire one command', 'acquire-guards.value', '{}'),
  m('fence does not grow', 'fence-grows.value', "$arg0 === '0' ? '1' : $arg0"),
  m('fenced agent gets work', 'fenced-agent.value', '$then'),
  m('offer never withdrawn', 'offer-withdrawn.value', 'false'),
  textual(
    'registration leaves old leases',
    'evidence/report/register.ts',
    'await requeueOlder(door, target, epoch, caller);',
    '',
  ),
  textual(
    'fenced instance registers again',
    'evidence/report/register.ts',
    'if (known !== undefined) {',
    'if (false) {',
  ),

  m('released command lost', 'release-requeues.arg3.else', "'done'"),
  m('sweeper without fence', 'lapse-at.value', '0'),

  // The door
  textual('receipt by the raw clock', 'evidence/door/open-door.ts', 'Math.max(now, head.at)', 'now'),
  textual(
    'positions repeat',
    'evidence/door/ledger-writer.ts',
    'this.#position = addDigits(this.#position, 1);',
    "if (this.#position !== '9') this.#position = addDigits(this.#position, 1);",
  ),
  textual(
    'time not settled',
    'evidence/door/settle.ts',
    'let cursor = file.settledTo;',
    'if (ledger.at > 0) return;\n    let cursor = file.settledTo;',
  ),
  textual(
    'outcome of a deadline not recorded',
    'evidence/door/settle.ts',
    "if (standing.outcome !== 'failed' && standing.outcome !== 'abandoned') return;",
    'return;',
  ),
  textual(
    'superseded lease goes on growing',
    'evidence/door/apply-consequences.ts',
    ': { growing: false },',
    ': {},',
  ),
  textual(
    'superseded command still offered',
    'evidence/door/apply-consequences.ts',
    "{ state: 'superseded' }",
    '{}',
  ),
  textual(
    'no follow-up command',
    'evidence/door/apply-consequences.ts',
    'if (file.command === id) return;',
    "if (file.command === id || kind === 'apply') return;",
  ),
  textual(
    'held command never released',
    'evidence/door/apply-consequences.ts',
    "{ state: 'held' }, { state: 'recorded', availableAt: ledger.at }",
    "{ state: 'held' }, {}",
  ),
  textual(
    'terminal outcome overwritten',
    'evidence/door/apply-consequences.ts',
    "{ outcome: 'in_progress' }, { outcome, endedAt: ledger.at }",
    '{}, { outcome, endedAt: ledger.at }',
  ),
  textual(
    'transition of time lost',
    'evidence/door/ledger-writer.ts',
    'file.recorded = { state, revision, attempt, since, position };',
    '',
  ),
  textual(
    'facts not saved',
    'evidence/door/service-row.ts',
    'proven: file.proven,',
    'proven: file.stored?.proven ?? file.proven,',
  ),

  // Who is online
  textual(
    'the end of a lease is no call of its holder',
    'evidence/door/worker-seen.ts',
    'BY_HOLDER.has(end) ? ledger.at : heard',
    'lease.grantedAt',
  ),
  textual(
    'a report is no call of its agent',
    'evidence/door/liveness.ts',
    'instance === agent?.instance ? reportedAt : 0',
    '0',
  ),

  // One transaction for many
  m('image relies on nothing that it read', 'image-relies.value', '[]'),
];

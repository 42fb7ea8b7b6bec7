import { type Mutant, m } from './mutant.ts';

/** Who may say what, and who holds what. */
export const OWNERSHIP_MUTANTS: readonly Mutant[] = [
  // Admission
  m(
    'stale lease admitted',
    'evidence/submit/admit.ts',
    'compareDigits(item.fence, command.fence) < 0 || lease.ended',
    'false',
  ),
  m('revision ignored', 'evidence/submit/admit.ts', 'item.revision < active.revision', 'false'),
  m('lease of another admitted', 'evidence/submit/admit.ts', 'lease.caller !== context.caller', 'false'),
  m('kind not about its command', 'evidence/submit/admit.ts', '!isAbout(item.kind, command.kind)', 'false'),
  m('artifact not checked', 'evidence/submit/admit.ts', '!context.artifactHeld', 'false'),
  m(
    'attempt of the item not compared with its command',
    'evidence/submit/admit.ts',
    'item.attempt !== command.attempt ||',
    '',
  ),
  m(
    'other body under the same id admitted',
    'evidence/submit/admit.ts',
    "rejected('conflicting_duplicate')",
    "{ verdict: 'admitted' }",
  ),
  m(
    'duplicate admitted',
    'evidence/submit/submit.ts',
    "const original = await tx.get('evidenceIds', first); if (original !== undefined && original.body === said) return repeat(item.id, original);",
    'const original = undefined as EvidenceIdRow | undefined',
  ),
  m(
    'body not validated',
    'evidence/submit/submit.ts',
    'const verdict = !body.success',
    'const verdict = false',
  ),
  m(
    'refused evidence folded',
    'evidence/submit/submit.ts',
    "verdict.verdict !== 'admitted' || known.file === null",
    'known.file === null',
  ),
  m(
    'verdict forgotten',
    'evidence/submit/submit.ts',
    "await tx.append('evidenceIds', { body: said, ...first, position, reason: null });",
    '',
  ),

  // Ownership
  m(
    'acknowledged lease too long',
    'evidence/door/lease-end.ts',
    'until: door.at + door.settings.leaseTtlMs',
    'until: door.at + 20 * door.settings.leaseTtlMs',
  ),
  m(
    'completed lease left open',
    'evidence/door/lease-end.ts',
    "'artifact.stored': { end: 'completed', state: 'done' },",
    '',
  ),
  m(
    'heartbeat extends what was cancelled',
    'ownership/heartbeat.ts',
    'growing: true, silenced: false, until: lease.until',
    'silenced: false, until: lease.until',
  ),
  m(
    'heartbeat extends an ended lease',
    'ownership/heartbeat.ts',
    'const expect = { fence, endedAt: null, growing: true, silenced: false, until: lease.until }',
    'const expect = { fence }',
  ),
  m('two acquire one command', 'ownership/offering.ts', "{ state: 'published', fence: command.fence }", '{}'),
  m(
    'fence does not grow',
    'ownership/offering.ts',
    'const fence = addDigits(command.fence, 1)',
    "const fence = command.fence === '0' ? '1' : command.fence",
  ),
  m(
    'fenced agent gets work',
    'ownership/offering.ts',
    "known === undefined && agent === undefined ? null : 'fenced'",
    'null',
  ),
  m(
    'offer never withdrawn',
    'repair/sweep.ts',
    "await endLease(door, lease, 'not_taken_up', 'published');",
    'false;',
  ),
  m(
    'registration leaves old leases',
    'evidence/report/register.ts',
    'await requeueOlder(door, target, epoch, caller);',
    '',
  ),
  m(
    'fenced instance registers again',
    'evidence/report/register.ts',
    'if (known !== undefined) {',
    'if (false) {',
  ),

  m(
    'released command lost',
    'ownership/release.ts',
    "command.cancelRequested ? 'cancelled' : 'published'",
    "command.cancelRequested ? 'cancelled' : 'done'",
  ),
  m(
    'sweeper without fence',
    'projection/decide.ts',
    'const at = leaseEnd(view.facts.liveness, command, lease);',
    'const at = 0;',
  ),

  // The door
  m('receipt by the raw clock', 'evidence/door/open-door.ts', 'Math.max(now, head.at)', 'now'),
  m(
    'positions repeat',
    'evidence/door/ledger-writer.ts',
    'this.#position = addDigits(this.#position, 1);',
    "if (this.#position !== '9') this.#position = addDigits(this.#position, 1);",
  ),
  m(
    'time not settled',
    'evidence/door/settle.ts',
    'let cursor = file.settledTo;',
    'if (ledger.at > 0) return;\n    let cursor = file.settledTo;',
  ),
  m(
    'outcome of a deadline not recorded',
    'evidence/door/settle.ts',
    "if (standing.outcome !== 'failed' && standing.outcome !== 'abandoned') return;",
    'return;',
  ),
  m(
    'superseded lease goes on growing',
    'evidence/door/apply-consequences.ts',
    ': { growing: false },',
    ': {},',
  ),
  m(
    'superseded command still offered',
    'evidence/door/apply-consequences.ts',
    "{ state: 'superseded' }",
    '{}',
  ),
  m(
    'no follow-up command',
    'evidence/door/apply-consequences.ts',
    'if (file.command === id) return;',
    "if (file.command === id || kind === 'apply') return;",
  ),
  m(
    'held command never released',
    'evidence/door/apply-consequences.ts',
    "{ state: 'held' }, { state: 'recorded', availableAt: ledger.at }",
    "{ state: 'held' }, {}",
  ),
  m(
    'terminal outcome overwritten',
    'evidence/door/apply-consequences.ts',
    "{ outcome: 'in_progress' }, { outcome, endedAt: ledger.at }",
    '{}, { outcome, endedAt: ledger.at }',
  ),
  m(
    'transition of time lost',
    'evidence/door/ledger-writer.ts',
    'file.recorded = { state, revision, attempt, since, position };',
    '',
  ),
  m(
    'facts not saved',
    'evidence/door/service-row.ts',
    'proven: file.proven,',
    'proven: file.stored?.proven ?? file.proven,',
  ),

  // Who is online
  m(
    'the end of a lease is no call of its holder',
    'evidence/door/worker-seen.ts',
    'BY_HOLDER.has(end) ? ledger.at : heard',
    'lease.grantedAt',
  ),
  m(
    'a report is no call of its agent',
    'evidence/door/liveness.ts',
    'instance === agent?.instance ? reportedAt : 0',
    '0',
  ),

  // One transaction for many
  m(
    'image relies on nothing that it read',
    'store/image.ts',
    'Object.keys(expect).filter((column) => !Object.hasOwn(before, column))',
    '[] as string[]',
  ),
];

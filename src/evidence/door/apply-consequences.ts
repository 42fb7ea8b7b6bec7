import { commandId } from '../../contract/command-id.ts';
import type { Evidence } from '../../contract/evidence.ts';
import type { CommandKind, Outcome } from '../../contract/vocabulary.ts';
import { endingsBy } from '../../projection/endings.ts';
import type { Proven } from '../../projection/facts.ts';
import { commandOf, neededCommand } from '../../projection/workload.ts';
import { pick } from '../../store/broken-row.ts';
import type { AttemptRow } from '../../store/schema.ts';
import { supersedeLeases } from './lease-end.ts';
import { newCommand, OPEN_COMMAND } from './new-command.ts';
import type { OrgTransaction } from './org-transaction.ts';
import type { ServiceFile } from './service-file.ts';

/**
 * Writes the consequences of admitted evidence beside facts and claim, in the same transaction: endings,
 * bytes, the next command.
 */
export async function applyConsequences(
  ledger: OrgTransaction,
  file: ServiceFile,
  before: Proven,
  e: Evidence,
): Promise<void> {
  await close(ledger, file, before, e);
  await noteArtifact(ledger, file, e);
  await follow(ledger, file);
}

/** Ends attempts with their outcome, and commands that no attempt waits for any more. */
async function close(ledger: OrgTransaction, file: ServiceFile, before: Proven, e: Evidence): Promise<void> {
  for (const { revision, attempt, outcome, replaced } of endingsBy(before, file.proven, e)) {
    await end(ledger, file, revision, attempt, outcome);
    if (replaced) await supersede(ledger, file, revision, attempt);
  }
}

async function noteArtifact(ledger: OrgTransaction, file: ServiceFile, e: Evidence): Promise<void> {
  const set = artifactOf(e);
  if (set === null || e.revision === null || e.attempt === null) return;
  const key = { org: ledger.org, service: file.service, revision: e.revision, attempt: e.attempt };
  await ledger.tx.update('attempts', key, {}, set);
}

/** S11: only an attempt in progress can end. */
async function end(
  ledger: OrgTransaction,
  file: ServiceFile,
  revision: number,
  attempt: number,
  outcome: Outcome,
): Promise<void> {
  const key = { org: ledger.org, service: file.service, revision, attempt };
  // mutant: ends-once
  await ledger.tx.update('attempts', key, { outcome: 'in_progress' }, { outcome, endedAt: ledger.at });
}

/** Closes the commands of an attempt that a newer revision or attempt has replaced. */
async function supersede(
  ledger: OrgTransaction,
  file: ServiceFile,
  revision: number,
  attempt: number,
): Promise<void> {
  const { org, tx } = ledger;
  const where = { org, service: file.service, revision, attempt, state: OPEN_COMMAND };
  for (const { id } of (await tx.select('commands', where)).flatMap((row) => pick(row, 'id') ?? [])) {
    // mutant: supersede-closes-command
    await tx.update('commands', { org, id }, { state: OPEN_COMMAND }, { state: 'superseded' });
    await supersedeLeases(ledger, id);
  }
}

/** Creates the next command of the active attempt, in the transaction that made it necessary (S5, S6). */
async function follow(ledger: OrgTransaction, file: ServiceFile): Promise<void> {
  const { active } = file;
  const next = nextCommand(file);
  if (active === undefined || next === null) return;
  const { id, kind } = next;
  // mutant: follow-up-command
  if (file.command === id) return;
  const about = { service: file.service, revision: active.revision, attempt: active.attempt.attempt };
  const born = await ledger.tx.insert('commands', newCommand(ledger, about, kind, 'recorded', id));
  if (!born) {
    // mutant: held-released
    await ledger.tx.update(
      'commands',
      { org: ledger.org, id },
      { state: 'held' },
      { state: 'recorded', availableAt: ledger.at },
    );
  }
  file.command = id;
  file.liveness = { ...file.liveness, lease: null };
}

/** The command that the active attempt needs next. */
export function nextCommand({
  service,
  active,
  activeIntent,
}: Pick<ServiceFile, 'service' | 'active' | 'activeIntent'>): { id: string; kind: CommandKind } | null {
  if (active === undefined || activeIntent === undefined) return null;
  if (active.attempt.settled !== null || active.attempt.cancel !== null) return null;
  const kind = neededCommand(activeIntent, active);
  if (kind === null) return null;
  const existing = commandOf(active.attempt, kind)?.id;
  return { id: existing ?? commandId(service, active.revision, active.attempt.attempt, kind), kind };
}

/** The columns of the attempt's row that evidence about its bytes sets; null for other evidence. */
export function artifactOf(e: Evidence): (Pick<AttemptRow, 'artifact'> & Partial<AttemptRow>) | null {
  if (e.kind === 'artifact.stored') {
    const { digest, plan } = e.body;
    const command = plan?.command?.length ? plan.command : null;
    return { artifact: digest, port: plan?.port ?? null, command };
  }
  if (e.kind === 'runtime.applied' && e.body.artifact !== undefined) return { artifact: e.body.artifact };
  return null;
}

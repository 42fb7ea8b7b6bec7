import { commandId } from '../../contract/command-id.ts';
import { targetOf } from '../../contract/names.ts';
import type { CommandKind } from '../../contract/vocabulary.ts';
import { oneOf } from '../../store/port.ts';
import type { CommandRow, CommandState } from '../../store/schema.ts';
import type { OrgTransaction } from './org-transaction.ts';

/** The states of a command that is not over. */
export const OPEN_COMMAND = oneOf<CommandState>('held', 'recorded', 'published', 'offered', 'leased');

/** The row of a command that was never offered. Its fences count from the floor of the ledger (F54). */
export function newCommand(
  { org, at, head }: OrgTransaction,
  about: { readonly service: string; readonly revision: number; readonly attempt: number },
  kind: CommandKind,
  state: 'recorded' | 'held',
  id = commandId(about.service, about.revision, about.attempt, kind),
): CommandRow {
  const { service, revision, attempt } = about;
  return {
    org,
    id,
    service,
    target: targetOf(service),
    revision,
    attempt,
    kind,
    state,
    fence: String(head.floor),
    lapses: 0,
    availableAt: at,
    cancelRequested: false,
  };
}

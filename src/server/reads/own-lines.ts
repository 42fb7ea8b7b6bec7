import type { Caller } from '../../access/caller.ts';
import { maySendLine, type RecordedBuild, type RecordedOrigin } from '../../access/log-lines.ts';
import { leaseId } from '../../contract/command-id.ts';
import { targetOf } from '../../contract/names.ts';
import type { Host } from '../../evidence/door/host.ts';
import type { LogItem } from '../../logs/log-item.ts';
import { pick, readable } from '../../store/broken-row.ts';
import type { ReadTx } from '../../store/port.ts';

/** Keeps the lines of recorded attempts that this caller may send (F111). */
export function ownLines(host: Host, caller: Caller, lines: readonly LogItem[]): Promise<LogItem[]> {
  return host.store.read(async (tx) => {
    const verdicts = new Map<string, Promise<boolean>>();
    const own: LogItem[] = [];
    for (const line of lines) {
      const { service, revision, attempt, stream, command, fence, epoch } = line;
      const about = JSON.stringify([service, revision, attempt, stream, command, fence, epoch]);
      const verdict = verdicts.get(about) ?? isOwn(tx, caller, line);
      verdicts.set(about, verdict);
      if (await verdict) own.push(line);
    }
    return own;
  });
}

async function isOwn(tx: ReadTx, caller: Caller, line: LogItem): Promise<boolean> {
  const { org } = caller;
  const { service, revision, attempt } = line;
  if ((await tx.get('attempts', { org, service, revision, attempt })) === undefined) return false;
  const recorded = line.stream === 'build' ? buildOrigin : instanceOrigin;
  return maySendLine(caller, line, await recorded(tx, org, line));
}

async function buildOrigin(tx: ReadTx, org: string, line: LogItem): Promise<RecordedOrigin> {
  const { service, revision, attempt } = line;
  const builds: RecordedBuild[] = [];
  for (const row of await tx.select('commands', { org, service, revision, attempt, kind: 'build' })) {
    const command = pick(row, 'id', 'fence');
    if (command === undefined) continue;
    const lease = await tx.get('leases', { org, id: leaseId(command.id, command.fence) });
    builds.push({ ...command, holder: readable(lease).caller });
  }
  return { stream: 'build', builds };
}

async function instanceOrigin(tx: ReadTx, org: string, line: LogItem): Promise<RecordedOrigin> {
  const { service, command, fence, epoch } = line;
  const agent = epoch == null ? undefined : await tx.get('agents', { org, target: targetOf(service) });
  const current = { stream: 'run', epoch: readable(agent).epoch } as const;
  if (command == null) return { ...current, service: undefined, holder: undefined };
  if (fence == null) {
    const row = readable(await tx.get('commands', { org, id: command }));
    return { ...current, service: row.service, holder: undefined };
  }
  const lease = readable(await tx.get('leases', { org, id: leaseId(command, fence) }));
  return { ...current, service: lease.service, holder: lease.caller };
}

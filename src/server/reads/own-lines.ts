import { authorize } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import { leaseId } from '../../contract/command-id.ts';
import { targetOf } from '../../contract/names.ts';
import type { Host } from '../../evidence/door/host.ts';
import type { LogItem } from '../../logs/log-item.ts';
import { pick, readable } from '../../store/broken-row.ts';
import type { ReadTx } from '../../store/port.ts';

/**
 * Keeps the lines that this caller may send (F111). Lines of a build are its holder's: the caller that has the newest
 * fence of its command, also after its own evidence has ended the lease, because the last lines of a build come after
 * its evidence. Lines of instances may come from any agent whose token is bound to the service. A line that names
 * `command`, `fence` or `epoch` must name the right ones: with `epoch`, only the current agent's lines pass.
 */
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
  const { service, revision, attempt, stream } = line;
  if (!authorize(caller, { operation: 'transfer', service }).ok) return false;
  if ((stream === 'build') !== (caller.role === 'builder')) return false;
  if ((await tx.get('attempts', { org, service, revision, attempt })) === undefined) return false;
  return stream === 'build' ? holdsBuild(tx, caller, line) : speaksFor(tx, caller, line);
}

async function holdsBuild(tx: ReadTx, { org, name }: Caller, line: LogItem): Promise<boolean> {
  const { service, revision, attempt } = line;
  for (const row of await tx.select('commands', { org, service, revision, attempt, kind: 'build' })) {
    const command = pick(row, 'id', 'fence');
    if (command === undefined) continue;
    if (line.command != null && line.command !== command.id) continue;
    if (line.fence != null && line.fence !== command.fence) continue;
    const lease = await tx.get('leases', { org, id: leaseId(command.id, command.fence) });
    if (readable(lease).caller === name) return true;
  }
  return false;
}

async function speaksFor(tx: ReadTx, { org, name }: Caller, line: LogItem): Promise<boolean> {
  const { service, command, fence, epoch } = line;
  if (epoch != null) {
    const agent = await tx.get('agents', { org, target: targetOf(service) });
    if (readable(agent).epoch !== epoch) return false;
  }
  if (command == null) return true;
  if (fence == null) return readable(await tx.get('commands', { org, id: command })).service === service;
  // On an instance the fence is provenance: it outlives its lease.
  const lease = readable(await tx.get('leases', { org, id: leaseId(command, fence) }));
  return lease.caller === name && lease.service === service;
}

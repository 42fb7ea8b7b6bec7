import { authorize } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import { type Answer, invalid } from '../../contract/problem.ts';
import { parseReport, type Report } from '../../contract/report.ts';
import type { Host } from '../door/host.ts';
import type { Prefetch } from '../door/prefetch.ts';
import { TARGET_SIZE, throughDoor } from '../door/through-door.ts';
import { takeCalmReport } from './calm-report.ts';
import { contentOf } from './compared-reports.ts';
import { groupItems, type ItemsByService, namedServices } from './items.ts';
import type { ReceivedReport, ReportResult } from './received-report.ts';
import { recordReport } from './record-report.ts';
import { rejectReport } from './reject-report.ts';

interface ReportHandling {
  /** Prepares the input where it has to be read; a server redacts it. */
  readonly prepare?: (input: unknown) => Promise<unknown>;
  /** Groups the report's items; a server passes one that gives other work its turn meanwhile. */
  readonly group?: (report: Report) => ItemsByService | Promise<ItemsByService>;
  /**
   * False for a report that goes through the door at once, calm or not. A server says so of changes: agents send one
   * where something differs, so that the look whether it is calm, in a transaction of its own that locks the agent's row
   * against its other scopes, is for nothing.
   */
  readonly mayBeCalm?: (report: Report) => boolean;
}

/**
 * Takes a full, change or heartbeat report of an agent. It is compared with what is stored: each service whose
 * observation or claim it changes gets one row, otherwise only the span of liveness grows. A calm report costs no row
 * and does not lock the head of the ledger.
 */
export async function report(
  host: Host,
  caller: Caller,
  target: string,
  input: unknown,
  {
    prepare = async (received) => received,
    group = (parsed) => groupItems(parsed, target),
    mayBeCalm = () => true,
  }: ReportHandling = {},
): Promise<Answer<ReportResult>> {
  const allowed = authorize(caller, { operation: 'represent', target });
  if (!allowed.ok) return allowed;
  const content = host.compared === undefined ? null : contentOf(input);
  const unchanged = content === null ? null : await takeUnchanged(host, { caller, target, content }, input);
  if (unchanged !== null) return unchanged;
  const parsed = parseReport(await prepare(input));
  if (!parsed.ok) {
    await throughDoor(host, caller.org, (door) => rejectReport(door, { caller, target }, 'invalid'), {
      caller,
    });
    return invalid(parsed.errors);
  }
  const grouping = group(parsed.report);
  const items = grouping instanceof Promise ? await grouping : grouping;
  const received = { caller, target, report: parsed.report, items };
  if (mayBeCalm(parsed.report)) {
    const calm = await host.store.transact(
      (tx) => takeCalmReport(tx, host, { ...received, content }),
      'liveness',
    );
    if (calm !== null) return calm;
  }
  host.compared?.forget(caller.org, target);
  const prefetch = prefetchFor(received);
  return throughDoor(host, caller.org, (door) => recordReport(door, received), {
    prefetch,
    size: TARGET_SIZE,
    caller,
  });
}

/**
 * Takes a full report whose content was compared before, by its head alone: its items are neither validated again nor
 * compared. Null if the content is not known, or something may have been recorded since.
 */
async function takeUnchanged(
  host: Host,
  { caller, target, content }: { readonly caller: Caller; readonly target: string; readonly content: string },
  input: unknown,
): Promise<Answer<ReportResult> | null> {
  const parsed = parseReport({ ...(input as object), instances: [], services: [] });
  if (!parsed.ok) return null;
  const { report: head } = parsed;
  if (!host.compared?.hasKept(caller.org, { target, scope: head.scope, content })) return null;
  const received = { caller, target, report: head, items: null, content };
  return host.store.transact((tx) => takeCalmReport(tx, host, received), 'liveness');
}

/** The rows that the door reads with the head. A full report names most services without news: these are left out. */
function prefetchFor({ caller: { org }, target, report, items }: ReceivedReport): Prefetch[] {
  const named = report.kind === 'change' ? [...namedServices(items)] : [];
  return [
    { table: 'agents', keys: [{ org, target }], lock: true },
    { table: 'scopes', keys: [{ org, target, scope: report.scope }] },
    { table: 'services', keys: named.map((service) => ({ org, service })) },
  ];
}

import type { Answer } from '../../contract/problem.ts';
import { isIntact, readable } from '../../store/broken-row.ts';
import { gt, type Tx } from '../../store/port.ts';
import type { ScopeRow } from '../../store/schema.ts';
import { ended, tokenKeysOf } from '../door/bearer.ts';
import type { Host } from '../door/host.ts';
import { agentLiveness } from '../door/liveness.ts';
import { isSameHead } from '../door/recent-commits.ts';
import { hasNews } from './changes.ts';
import type { ItemsByService } from './items.ts';
import { ruleIn } from './observation-rule.ts';
import { type ReceivedReport, type ReportResult, skewOf } from './received-report.ts';
import { extendsSpan, isContactInFuture, nextScope, orderOf, soundOrAbsent } from './scope.ts';
import { reachesOf } from './target-services.ts';

/** A report that may be calm. */
interface CalmReport extends Omit<ReceivedReport, 'items'> {
  /** Null: they were not read, since a report of the same content was compared before. */
  readonly items: ItemsByService | null;
  /** The fingerprint of the content, where it is remembered or was. */
  readonly content: string | null;
}

/**
 * The fast path of `decideReport` (src/evidence/report/decide-report.ts). Takes a report that shows nothing new, that no
 * service awaits and that extends its span: the common case, without the head's lock and without opening a service file.
 * Null if the report has to go through the door. It must take no report that `decideReport` would not call calm for each
 * service of the target; it may send a calm one through the door.
 */
export async function takeCalmReport(
  tx: Tx,
  host: Host,
  { content, items, ...received }: CalmReport,
): Promise<Answer<ReportResult> | null> {
  const { caller, target, report } = received;
  const { org } = caller;
  if (report.kind === 'full' && !report.complete) return null;
  if (items !== null && items.rejected.length > 0) return null;
  const of = { org, target };
  const [[agent], [stored], now, [head], tokens, [declared]] = await tx.readAll([
    { table: 'agents', keys: [of], lock: true },
    { table: 'scopes', keys: [{ ...of, scope: report.scope }] },
    'now',
    { table: 'heads', keys: [{ org }] },
    { table: 'tokens', keys: tokenKeysOf(caller) },
    { table: 'targets', keys: [of] },
  ]);
  if (ended(caller, tokens, now) !== null) return null;
  const scope = soundOrAbsent(stored, now);
  if (agent === undefined || scope === undefined) return null;
  if (orderOf(report, readable(agent).epoch, scope).kind !== 'applies' || isContactInFuture(report, now))
    return null;
  if (agentLiveness(agent, now) === 'broken' || head === undefined || !isIntact(head)) return null;
  const { freshForMs } = host.settings;
  if (!extendsSpan(report, scope, { at: now, freshForMs, recoveredAt: head.recoveredAt })) return null;
  const rule = ruleIn(declared);
  const { yieldIfDue, compared } = host;
  const itself = content === null ? null : { target, scope: report.scope, content, rule };
  if (items === null) {
    if (itself === null || !compared?.isCalm(head, now, itself)) return null;
  } else {
    const comparison = { tx, yieldIfDue, received: { ...received, items }, scope, rule };
    // mutant: calm-no-news
    if (report.kind !== 'heartbeat' && (await hasNews(comparison))) return null;
  }
  // mutant: calm-not-awaited
  if (await isAwaited(tx, scope)) return null;
  const counted = { org, target, report, complete: true, tainted: false };
  const next = nextScope(scope, counted, Math.max(now, scope.receivedAt));
  // Another transaction may record a service meanwhile, as the head is not locked: a calm report covers no more than
  // was covered before (S1).
  const { completeAt } = scope;
  const expect = { seqEpoch: report.epoch, seq: scope.seq, silenced: false, completeAt };
  const contact = { seenAt: now, skewMs: skewOf(report, now) };
  const [extended] = await tx.updateAll([
    { table: 'scopes', key: { ...of, scope: report.scope }, expect, set: { ...next, completeAt } },
    { table: 'agents', key: of, expect: { epoch: report.epoch }, set: contact },
  ]);
  if (extended === 0) return null;
  if (items !== null && itself !== null && compared !== undefined) {
    const [[after]] = await tx.readAll([{ table: 'heads', keys: [{ org }] }]);
    if (isSameHead(head, readable(after))) compared.keep(head, now, itself);
  }
  return {
    ok: true,
    seq: report.seq,
    now,
    resync: false,
    rejected: [],
    observation: rule,
  };
}

/** A service awaits a report, or is younger than the last full one: then the door requests another from the agent. */
async function isAwaited(tx: Tx, { org, target, scope, completeAt }: ScopeRow): Promise<boolean> {
  const reads = reachesOf(scope).flatMap((reach) =>
    [{ awaitsReport: true }, { createdAt: gt(completeAt ?? 0) }].map((matching) => ({
      table: 'services' as const,
      where: { org, target, ...reach, ...matching },
      options: { limit: 1 },
    })),
  );
  const found = await tx.readAll(reads);
  return found.some((rows) => rows.length > 0);
}

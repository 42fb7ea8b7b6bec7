import type { ObservationRule } from '../../contract/observation.ts';
import { type Answer, invalid, problem } from '../../contract/problem.ts';
import type { Liveness, ScopeLiveness } from '../../projection/facts.ts';
import { workloadFate } from '../../projection/workload-seen.ts';
import type { ScopeRow } from '../../store/schema.ts';
import type { Door } from '../door/door.ts';
import { earlierTemplates } from '../door/earlier-templates.ts';
import { scopeLiveness } from '../door/liveness.ts';
import { recordRevision } from '../door/record-revision.ts';
import type { ServiceFile } from '../door/service-file.ts';
import { type Affected, affectedServices, allServices } from './changes.ts';
import { type CurrentAgent, currentAgent, holderIn } from './current-agent.ts';
import { decideReport, type ReportDecision, showsEarlierTemplate } from './decide-report.ts';
import { takeWorkloads } from './found-workloads.ts';
import { ruleOf } from './observation-rule.ts';
import { type ReceivedReport, type ReportResult, skewOf } from './received-report.ts';
import { rejectReport } from './reject-report.ts';
import { extendsSpan, isContactInFuture, nextScope, orderOf, saveScope, soundOrAbsent } from './scope.ts';
import { servicesPerPage } from './target-services.ts';
import { recordUnknownServices, unknownServices } from './unknown-services.ts';

/** Takes a report through the door: the span of its scope, then a row for each service that it changes. */
export async function recordReport(door: Door, sent: ReceivedReport): Promise<Answer<ReportResult>> {
  const { target, report } = sent;
  const { org, tx } = door;
  const agent = await currentAgent(door, target);
  const scope = soundOrAbsent(await tx.get('scopes', { org, target, scope: report.scope }), door.at);
  const observation = await ruleOf(tx, org, target);
  const unusable = await answerUnusable(door, sent, agent, { scope, observation });
  if (unusable !== null) return unusable;

  const { created, items, refused } = await takeWorkloads(door, sent, observation);
  const received = { ...sent, items };
  // Opening a file settles it: every affected service is settled under the liveness before the report.
  const affected = await affectedBy(door, received, scope, observation);
  const { files, stored } = await openFiles(door, received, affected);
  const complete = report.kind !== 'full' || (report.complete && !items.corrupt.all);
  const tainted = items.rejected.length > 0;
  const next = nextScope(scope, { org, target, report, complete, tainted }, door.at);
  await saveScope(door, scope, next);
  const contact = { seenAt: door.at, skewMs: skewOf(report, door.at) };
  await tx.update('agents', { org, target }, { epoch: report.epoch }, contact);
  for (const file of files) {
    if (!created.includes(file)) await reportTo(door, file, received, { scope: next, rule: observation });
    await door.yieldIfDue?.();
  }
  for (const file of created) {
    await reportTo(door, file, received, { scope: next, rule: observation }, { templateAdopted: true });
    await door.yieldIfDue?.();
  }
  await recordUnknownServices(door, received, unknownServices(items, stored));
  // Only a full report proves that nothing runs of a service that is younger than the base.
  const resync = report.kind !== 'full' && files.some((file) => (next.completeAt ?? 0) < file.createdAt);
  const rejected = [...items.rejected, ...refused];
  return { ok: true, seq: report.seq, now: door.at, resync, rejected, observation };
}

const NOT_CURRENT = {
  unissued: 'This epoch was never issued for this target; register, and report with the epoch of the answer.',
  stale_epoch: 'A newer registration speaks for this target; stop, or register again with a new instance.',
} as const;

/** The answer to a report that cannot be used: rejected, or on a base that is not stored. Null if it can be used. */
async function answerUnusable(
  door: Door,
  received: ReceivedReport,
  agent: CurrentAgent | undefined,
  { scope, observation }: { scope: ScopeRow | undefined; observation: ObservationRule | null },
): Promise<Answer<ReportResult> | null> {
  const { report } = received;
  const order = orderOf(report, agent?.epoch, scope);
  if (order.kind === 'rejected') {
    const { reason, stored } = order;
    await rejectReport(door, received, reason);
    if (reason === 'out_of_order')
      return { ok: true, seq: stored, now: door.at, resync: false, rejected: [], observation };
    return problem('stale_epoch', NOT_CURRENT[reason], reason === 'stale_epoch' ? holderIn(agent) : {});
  }
  if (isContactInFuture(report, door.at)) {
    await rejectReport(door, received, 'invalid');
    return invalid(['heard: in the future']);
  }
  if (order.kind === 'resync')
    return { ok: true, seq: order.stored, now: door.at, resync: true, rejected: [], observation };
  return null;
}

/** The services that the report may change: all of the target, unless it only extends its span. */
function affectedBy(
  door: Door,
  received: ReceivedReport,
  scope: ScopeRow | undefined,
  rule: ObservationRule | null,
): Promise<Affected> {
  const { tx, yieldIfDue, at, settings, head } = door;
  const { report, items } = received;
  const reader = { tx, yieldIfDue, received };
  if (scope === undefined || items.corrupt.all) return allServices(reader);
  if (report.unavailable != null || scope.unavailable !== null) return allServices(reader);
  const { freshForMs } = settings;
  if (!extendsSpan(report, scope, { at, freshForMs, recoveredAt: head.recoveredAt }))
    return allServices(reader);
  return affectedServices({ ...reader, scope, rule });
}

async function openFiles(door: Door, { items }: ReceivedReport, { services, stored }: Affected) {
  const files: ServiceFile[] = [];
  const found = new Set(stored);
  const perPage = servicesPerPage(items);
  for (const [i, service] of services.entries()) {
    if (i % perPage === 0) await door.prefetch(services.slice(i, i + perPage));
    const file = await door.file(service);
    if (file !== null) found.add(service);
    if (file !== null && !file.unreadable) files.push(file);
    await door.yieldIfDue?.();
  }
  return { files, stored: found };
}

/** Decides the report for one service, and does what was decided. */
async function reportTo(
  door: Door,
  file: ServiceFile,
  received: ReceivedReport,
  { scope, rule }: { readonly scope: ScopeRow; readonly rule: ObservationRule | null },
  { templateAdopted } = { templateAdopted: false },
): Promise<void> {
  const { report, items } = received;
  const before = file.liveness;
  file.liveness = withScope(file.liveness, scopeLiveness(scope));
  const earlier = showsEarlierTemplate(file, items)
    ? await earlierTemplates(door.tx, file, file.newest + 1)
    : [];
  const reported = { report, items, scope, rule, before, earlier };
  let decision = decideReport(file, { templateAdopted, ...reported }, door.at);
  if (decision.kind === 'adopt_template') {
    const source = { role: 'api', name: 'observe', instance: 'report' } as const;
    await recordRevision(door, file, decision.revision, source, { queued: false, observed: true });
    decision = decideReport(file, { templateAdopted: true, ...reported }, door.at);
  }
  if (decision.kind === 'rejudge') await door.rejudge(file, 'watcher', file.active?.recorded?.id ?? '');
  if (decision.kind === 'record') await record(door, file, received, decision);
  hideUnobserved(file);
}

/** A service that the rule no longer covers is off the list, and back on it with the report that shows it again. */
function hideUnobserved(file: ServiceFile): void {
  const { workload } = file.proven.observed;
  if (workload !== undefined) file.hidden = workloadFate(file.proven.observed) === 'not_observed';
}

async function record(
  door: Door,
  file: ServiceFile,
  { caller, target, report }: ReceivedReport,
  { evidence, body, alarm }: Extract<ReportDecision, { kind: 'record' }>,
): Promise<void> {
  await door.admit(file, {
    kind: evidence,
    // The target is the source, whichever agent reports for it: epochs order the agents.
    source: { role: 'watcher', name: target, instance: `${caller.name}/${report.epoch}` },
    seq: report.seq,
    body,
  });
  if (alarm !== null) await door.alarm(alarm, file.service);
}

function withScope(liveness: Liveness, reported: ScopeLiveness): Liveness {
  const { scope } = reported;
  return {
    ...liveness,
    scopes: [...liveness.scopes.filter((other) => other.scope !== scope), reported],
    unread: liveness.unread.filter((unread) => unread !== scope),
  };
}

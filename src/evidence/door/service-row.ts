import { targetOf } from '../../contract/names.ts';
import { isGrowth } from '../../projection/changed-elsewhere.ts';
import { recordedOutcome } from '../../projection/claim.ts';
import { dueAt } from '../../projection/decide.ts';
import type { Recorded, RevisionFacts } from '../../projection/facts.ts';
import { observedEntry, templateOf } from '../../projection/running-contract.ts';
import type { Standing } from '../../projection/standing.ts';
import { scopeOfWorkload } from '../../projection/workload-seen.ts';
import type { ServiceRow } from '../../store/schema.ts';
import type { ServiceFile } from './service-file.ts';

/**
 * The stored row of a service: its facts, and the columns that find it when time or a report may change it.
 */
export function serviceRow(
  file: ServiceFile,
  active: RevisionFacts,
  recorded: Recorded,
  at: number,
): ServiceRow {
  const { org, service } = file;
  const standing = file.standing(at);
  return {
    org,
    service,
    target: targetOf(service),
    createdAt: file.createdAt,
    newest: file.newest,
    active: active.revision,
    attempt: active.attempt.attempt,
    // mutant: facts-saved
    proven: file.proven,
    settledTo: at,
    steadyUntil: standing.overdue ? at : standing.changesAt,
    state: recorded.state,
    outcome: recordedOutcome(active, standing),
    since: recorded.since,
    position: recorded.position,
    command: file.command,
    due: dueAt(file.intent, file.facts, standing, at),
    awaitsReport: awaitsReport(file, standing, active),
    scope: file.activeIntent?.origin.kind === 'observe' ? scopeOfWorkload(file.proven.observed) : '*',
    rejected: file.rejected,
    hidden: file.hidden,
    sinceCheckpoint: file.sinceCheckpoint,
  };
}

/**
 * The columns to write for a service whose facts cannot be read. The facts stay as they are, for a later
 * repair.
 */
export function unreadRow({ recorded, rejected }: ServiceFile, at: number): Partial<ServiceRow> | null {
  if (recorded === null) return null;
  const { state, since, position } = recorded;
  const idle = { settledTo: at, steadyUntil: null, due: null, awaitsReport: false };
  return { ...idle, state, since, position, rejected };
}

/**
 * True if a report without news could still change the claim, by stability, by absence, by its freshness, or could put the
 * attempt's end on record: a place that is retired may leave a contract that holds and that no report has judged (S11).
 */
function awaitsReport(file: ServiceFile, standing: Standing, active: RevisionFacts): boolean {
  const { state, stage, reading } = standing;
  const isUnsettled = active.attempt.settled === null && !active.recorded?.absent;
  if (state === 'running') return isUnsettled || (reading !== null && reading.unstableScopes.length > 0);
  if (state === 'stopped') return isUnsettled;
  if (state === 'failed' && isUnsettled) return reading !== null;
  // mutant: awaits-stability
  return reading === null ? stage === 'stop' : !isEndedByNewsAlone(file, standing, active);
}

/**
 * True if the contract is recorded as unmet and stays so until a report shows something else: a target whose services all
 * start would otherwise have each of them opened by every heartbeat. Deadlines pass without a report; the sweeper acts on
 * them.
 */
function isEndedByNewsAlone(
  { activeIntent, proven: { observed } }: ServiceFile,
  standing: Standing,
  active: RevisionFacts,
): boolean {
  const { state, reading } = standing;
  const { parts, lastJudged } = observed;
  if (reading === null || (state !== 'starting' && state !== 'degraded' && state !== 'failed')) return false;
  const { unmet, wanted, showsAttempt, opaque, loop } = reading;
  if (unmet === null || wanted === 0 || !showsAttempt || opaque !== null || loop !== null) return false;
  // Several scopes age apart, and growth becomes a break by time: the report that follows has to put that on record.
  const isRecorded = (lastJudged ?? 'unmet') === 'unmet' && !isGrowth(standing) && !active.recorded?.absent;
  // A template that is shown and has no revision yet begins one with the next report.
  const shown = observedEntry(observed)?.template ?? null;
  const isAdopted =
    shown === null || activeIntent === undefined || shown === templateOf(activeIntent, active);
  return isRecorded && isAdopted && parts.length === 1;
}

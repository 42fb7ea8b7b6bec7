import { targetOf } from '../../contract/names.ts';
import { recordedOutcome } from '../../projection/claim.ts';
import { dueAt } from '../../projection/decide.ts';
import type { Recorded, RevisionFacts } from '../../projection/facts.ts';
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
    awaitsReport: awaitsReport(standing, active),
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
function awaitsReport({ state, stage, reading }: Standing, { attempt, recorded }: RevisionFacts): boolean {
  const isUnsettled = attempt.settled === null && !recorded?.absent;
  if (state === 'running') return isUnsettled || (reading !== null && reading.unstableScopes.length > 0);
  if (state === 'stopped') return isUnsettled;
  return reading !== null || stage === 'stop';
}

import { compareDigits, type Digits, ZERO } from '../../contract/digits.ts';
import type { Report, ScopeNotes } from '../../contract/report.ts';
import { intact, type Stored } from '../../store/broken-row.ts';
import type { ScopeRow } from '../../store/schema.ts';
import type { OrgTransaction } from '../door/org-transaction.ts';
import { isSound } from './sound-scope.ts';

/** A report's place in the order of its scope; `stored` is the last sequence number of its own epoch. */
type ReportOrder =
  | {
      readonly kind: 'rejected';
      readonly reason: 'unissued' | 'stale_epoch' | 'out_of_order';
      readonly stored: Digits;
    }
  | { readonly kind: 'resync'; readonly stored: Digits }
  | { readonly kind: 'applies' };

/** Decides by epoch, sequence number and base, so that a captured report has no effect (F112); `epoch` is the current agent's. */
export function orderOf(report: Report, epoch: Digits | undefined, scope: ScopeRow | undefined): ReportOrder {
  // mutant: sequence-of-epoch
  const continued = scope !== undefined && scope.seqEpoch === report.epoch;
  const stored = continued ? scope.seq : ZERO;
  const order = epoch === undefined ? 1 : compareDigits(report.epoch, epoch);
  // mutant: unissued-epoch
  if (order > 0) return { kind: 'rejected', reason: 'unissued', stored };
  // mutant: stale-epoch
  if (order < 0) return { kind: 'rejected', reason: 'stale_epoch', stored };
  // mutant: report-sequence
  if (continued && compareDigits(report.seq, scope.seq) <= 0)
    return { kind: 'rejected', reason: 'out_of_order', stored };
  // mutant: report-base
  if (report.kind !== 'full' && (!continued || scope.base !== report.base)) return { kind: 'resync', stored };
  return { kind: 'applies' };
}

/** A scope with something unreadable counts as absent: it begins anew with the next full report. */
export function soundOrAbsent(row: Stored<'scopes'> | undefined, now: number): ScopeRow | undefined {
  const scope = intact(row);
  return scope !== undefined && isSound(scope, now) ? scope : undefined;
}

/** The report continues the open span of its scope: that alone changes no claim. */
export function extendsSpan(
  { epoch }: Report,
  scope: ScopeRow,
  on: { readonly at: number; readonly freshForMs: number; readonly recoveredAt: number | null },
): boolean {
  if (scope.silenced || scope.epoch !== epoch || on.at >= scope.asOf + on.freshForMs) return false;
  return on.recoveredAt === null || (scope.completeAt ?? 0) > on.recoveredAt;
}

/**
 * Caps how far the clocks of servers on one store may be apart while the store's clock is behind an instant that one of
 * them sent (ADR 11): each is steady by itself, and an instant sent by one is no forgery to another.
 */
const CLOCKS_APART_MS = 10_000;

/** The agent claims to have received an instant that no server has sent yet: it would say nothing of the report's age. */
export const isContactInFuture = ({ heard }: Report, now: number) =>
  heard != null && Date.parse(heard) > now + CLOCKS_APART_MS;

/** The instant that a report is as of: never after its watch, never after the server's time that the agent last received. */
export function asOfReport(report: Report, now: number): number {
  const heard = report.heard == null ? now : Date.parse(report.heard) + (report.heardAgoMs ?? 0);
  // mutant: report-as-of
  return Math.max(0, Math.min(now - report.watchAgeMs, heard));
}

/** A report as it counts for its scope. */
interface CountedReport {
  readonly org: string;
  readonly target: string;
  readonly report: Report;
  /** False if the report leaves out something of its scope that it cannot name. */
  readonly complete: boolean;
  /** An item was rejected: no change or heartbeat may stand on this report. */
  readonly tainted: boolean;
}

/** The scope's row after a report. */
export function nextScope(
  scope: ScopeRow | undefined,
  { org, target, report, complete, tainted }: CountedReport,
  now: number,
): ScopeRow {
  const same = scope !== undefined && scope.epoch === report.epoch;
  // mutant: report-proves
  const proves = complete && report.unavailable == null;
  const asOf = proves ? asOfReport(report, now) : 0;
  const full = report.kind === 'full' && proves;
  return {
    org,
    target,
    scope: report.scope,
    epoch: proves || scope === undefined ? report.epoch : scope.epoch,
    seqEpoch: report.epoch,
    seq: report.seq,
    // mutant: tainted-no-base
    base: tainted
      ? null
      : full || (report.kind === 'change' && proves)
        ? report.seq
        : same && scope.seqEpoch === report.epoch
          ? scope.base
          : null,
    // Within an epoch `asOf` only grows; another epoch starts from its own (F61).
    asOf: proves ? (same ? Math.max(scope.asOf, asOf) : asOf) : (scope?.asOf ?? 0),
    // Receipt does not go back with a clock that was set back (F35): `asOf` is never after it.
    receivedAt: Math.max(now, scope?.receivedAt ?? 0),
    completeAt: full ? now : (scope?.completeAt ?? null),
    spanFrom: scope?.spanFrom ?? now,
    firstSeq: scope?.firstSeq ?? report.seq,
    unavailable: report.unavailable ?? null,
    silenced: false,
    swept: false,
    notes: report.kind === 'full' ? notesOf(report) : (scope?.notes ?? null),
  };
}

function notesOf({ denied, absent }: Report): ScopeNotes | null {
  if (!absent && !denied?.length) return null;
  return { denied: denied ?? [], absent: absent ?? false };
}

/** Extends the span of the scope, or closes it and opens the next one. */
export async function saveScope(
  { tx, at, settings }: OrgTransaction,
  before: ScopeRow | undefined,
  next: ScopeRow,
): Promise<void> {
  const { org, target, scope } = next;
  if (before === undefined) {
    // The row of an unreadable scope is still there.
    if (!(await tx.insert('scopes', next))) await tx.update('scopes', { org, target, scope }, {}, next);
    return;
  }
  const broken = beginsSpan(before, next, at, settings.freshForMs);
  if (broken) {
    const key = { org, subject: `scope/${target}/${scope}`, from: before.spanFrom };
    const span = {
      until: before.asOf,
      firstSeq: before.firstSeq,
      lastSeq: before.seq,
      epoch: before.epoch,
      receivedAt: before.receivedAt,
      completeAt: before.completeAt,
      unavailable: before.unavailable,
    };
    // The later one of two spans that began in the same millisecond is kept.
    if (!(await tx.insert('spans', { ...key, ...span }))) await tx.update('spans', key, {}, span);
  }
  const row = broken ? { ...next, spanFrom: at, firstSeq: next.seq } : next;
  await tx.update('scopes', { org, target, scope }, { seq: before.seq, seqEpoch: before.seqEpoch }, row);
}

/**
 * A report begins another span if its epoch is another, if it comes after a silence, if it is fresh where the last was
 * old, or if it is unavailable for another reason. Inside a span every instant has the same answer to "fresh?" and "if
 * not, why?", so that the past needs no row per report.
 */
function beginsSpan(before: ScopeRow, next: ScopeRow, at: number, freshForMs: number): boolean {
  if (before.epoch !== next.epoch || at >= before.receivedAt + freshForMs) return true;
  const wasFresh = before.asOf + freshForMs > before.receivedAt;
  if (wasFresh) return at >= before.asOf + freshForMs;
  return next.asOf + freshForMs > at || next.unavailable !== before.unavailable;
}

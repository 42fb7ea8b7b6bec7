import { compareDigits, type Digits, ZERO } from '../../contract/digits.ts';
import type { Report } from '../../contract/report.ts';
import type { ScopeRow } from '../../store/schema.ts';
import type { Door } from '../door/door.ts';

type Misplaced = 'unissued' | 'stale_epoch' | 'out_of_order';

/** What a report may do, by epoch, sequence number and base; `stored` is the last number of its own epoch. */
type Placed =
  | { readonly kind: 'refused'; readonly reason: Misplaced; readonly stored: Digits }
  | { readonly kind: 'resync'; readonly stored: Digits }
  | { readonly kind: 'applies' };

export function place(report: Report, epoch: Digits | undefined, scope: ScopeRow | undefined): Placed {
  const continued = scope !== undefined && scope.seqEpoch === report.epoch;
  const stored = continued ? scope.seq : ZERO;
  const order = epoch === undefined ? 1 : compareDigits(report.epoch, epoch);
  if (order > 0) return { kind: 'refused', reason: 'unissued', stored };
  if (order < 0) return { kind: 'refused', reason: 'stale_epoch', stored };
  if (continued && compareDigits(report.seq, scope.seq) <= 0)
    return { kind: 'refused', reason: 'out_of_order', stored };
  if (report.kind !== 'full' && (!continued || scope.base !== report.base)) return { kind: 'resync', stored };
  return { kind: 'applies' };
}

/**
 * So far the clocks of servers on one store may be apart while its clock is behind what was told before, each steady by
 * itself (ADR 11): what one of them told is no forgery to another.
 */
const CLOCKS_APART_MS = 10_000;

/** What nobody can have heard from us yet. Believed, it would say nothing of how old the report is. */
export const isHeardInFuture = ({ heard }: Report, now: number) =>
  heard != null && Date.parse(heard) > now + CLOCKS_APART_MS;

/** How old a report is: never younger than its watch, never younger than what the agent last heard from us. */
export function asOfReport(given: Report, now: number): number {
  const heard = given.heard == null ? now : Date.parse(given.heard) + (given.heardAgoMs ?? 0);
  return Math.max(0, Math.min(now - given.watchAgeMs, heard));
}

export function nextScope(
  scope: ScopeRow | undefined,
  given: Report,
  at: { org: string; target: string; now: number },
  complete: boolean,
  tainted = false,
): ScopeRow {
  const same = scope !== undefined && scope.epoch === given.epoch;
  const proves = complete && given.unavailable == null;
  const asOf = proves ? asOfReport(given, at.now) : 0;
  const full = given.kind === 'full' && proves;
  return {
    org: at.org,
    target: at.target,
    scope: given.scope,
    epoch: proves || scope === undefined ? given.epoch : scope.epoch,
    seqEpoch: given.epoch,
    seq: given.seq,
    base: tainted
      ? null
      : full || (given.kind === 'change' && proves)
        ? given.seq
        : same && scope.seqEpoch === given.epoch
          ? scope.base
          : null,
    // Within an epoch knowledge only grows; another epoch starts from its own (F61).
    asOf: proves ? (same ? Math.max(scope.asOf, asOf) : asOf) : (scope?.asOf ?? 0),
    // Nor does receipt go back with a clock that was set back (F35): what it is as of is never after it.
    receivedAt: Math.max(at.now, scope?.receivedAt ?? 0),
    completeAt: full ? at.now : (scope?.completeAt ?? null),
    spanFrom: scope?.spanFrom ?? at.now,
    firstSeq: scope?.firstSeq ?? given.seq,
    unavailable: given.unavailable ?? null,
    silenced: false,
    swept: false,
  };
}

/** A report that goes on as the last one did extends the span; another closes it and opens its own. */
export async function saveScope(
  door: Door,
  before: ScopeRow | undefined,
  next: ScopeRow,
  freshForMs: number,
): Promise<void> {
  const { org, target, scope } = next;
  if (before === undefined) {
    // One that cannot be read is there all the same.
    if (!(await door.tx.insert('scopes', next)))
      await door.tx.update('scopes', { org, target, scope }, {}, next);
    return;
  }
  const broken = isBroken(door, before, next, freshForMs);
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
    // Of two that began in the same millisecond the later is what that instant is remembered by.
    if (!(await door.tx.insert('spans', { ...key, ...span }))) await door.tx.update('spans', key, {}, span);
  }
  const row = broken ? { ...next, spanFrom: door.at, firstSeq: next.seq } : next;
  await door.tx.update('scopes', { org, target, scope }, { seq: before.seq, seqEpoch: before.seqEpoch }, row);
}

/**
 * Whether the next report is another stretch: another epoch, heard after a silence, fresh where the last was old,
 * or unreadable for another reason. Inside a stretch every instant has the same answer to "fresh?" and "if not,
 * why?", so that the past needs no row per report.
 */
function isBroken(door: Door, before: ScopeRow, next: ScopeRow, freshForMs: number): boolean {
  if (before.epoch !== next.epoch || door.at >= before.receivedAt + freshForMs) return true;
  const wasFresh = before.asOf + freshForMs > before.receivedAt;
  if (wasFresh) return door.at >= before.asOf + freshForMs;
  return next.asOf + freshForMs > door.at || next.unavailable !== before.unavailable;
}

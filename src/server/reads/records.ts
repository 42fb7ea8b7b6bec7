import { isBoundTo, isUnbound } from '../../access/binding.ts';
import type { Caller } from '../../access/caller.ts';
import type { VisibleService } from '../../access/visible-service.ts';
import { compareDigits, DIGITS, type Digits, ZERO } from '../../contract/digits.ts';
import type { Body } from '../../contract/evidence.ts';
import { targetOf } from '../../contract/names.ts';
import type { Kind } from '../../contract/vocabulary.ts';
import type { Host } from '../../evidence/door/host.ts';
import { type Gap, gapsAfter } from '../../evidence/past/recoveries.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { redactObserved } from '../../redact/redact-body.ts';
import type { SecretValues } from '../../redact/secret-values.ts';
import { intact, readable, type Stored } from '../../store/broken-row.ts';
import { gt, type ReadTx } from '../../store/port.ts';
import type { AnyLedgerRow } from '../../store/schema.ts';

/** Only rejected evidence has a reason; the index of rejections uses it. */
const REJECTED = { verdict: 'rejected', reason: { op: 'ne', value: null } } as const;

/** In ledger order, from a position on. */
export function transitionsPage(
  host: Host,
  { org, service }: VisibleService,
  after: Digits,
  limit: number,
): Promise<Stored<'transitions'>[]> {
  return host.store.read((tx) =>
    tx.select('transitions', { org, service, position: gt(after) }, { order: 'position', limit }),
  );
}

/** The recoveries in the stretch of a page: up to its last row, or to the end on the last page. */
export async function recoveriesIn(
  host: Host,
  org: string,
  after: Digits,
  last: Digits | null,
): Promise<Gap[]> {
  const gaps = await host.store.read((tx) => gapsAfter(tx, org, after));
  return last === null ? gaps : gaps.filter(({ to }) => compareDigits(to, last) < 0);
}

/**
 * Reads the evidence of a service, and the evidence above it since it exists: another cluster under its
 * target, blindness of the platform, a recovery. Transitions of the service cite these too, and everything
 * cited can be opened (S14).
 */
export function evidencePage(
  host: Host,
  { org, service }: VisibleService,
  after: Digits,
  limit: number,
  verdict: 'admitted' | 'rejected' | undefined,
): Promise<Stored<'ledger'>[]> {
  const where = { org, service, position: gt(after) };
  const only = { ...where, ...(verdict === 'rejected' ? REJECTED : { verdict }) } as typeof where;
  return host.store.read(async (tx) => {
    const own = await tx.select('ledger', verdict === undefined ? where : only, { order: 'position', limit });
    if (verdict === 'rejected') return own;
    // A row whose position cannot be read bounds nothing (F56).
    const placed = own.map((row) => readable(row).position).filter((position) => position !== undefined);
    const from = after === ZERO ? placed[0] : after;
    if (from === undefined) return own;
    const to = own.length < limit ? null : (placed.at(-1) ?? from);
    const target = targetOf(service);
    const above = [
      ...(after === ZERO ? await clusterBefore(tx, org, target, from) : []),
      ...(await decidedIn(tx, { org, target, from, to, limit })),
      ...(await decidedIn(tx, { org, target: null, from, to, limit })),
    ];
    if (above.length === 0) return own;
    return [...own, ...above].sort((a, b) => compareDigits(placeOf(a), placeOf(b))).slice(0, limit);
  });
}

const placeOf = (row: Stored<'ledger'>) => readable(row).position ?? ZERO;

/**
 * Reads the registration of the target's current cluster, if no other followed: a younger service cites it
 * too.
 */
async function clusterBefore(
  tx: ReadTx,
  org: string,
  target: string,
  first: Digits,
): Promise<Stored<'ledger'>[]> {
  const agent = intact(await tx.get('agents', { org, target }));
  if (agent === undefined || agent.epoch !== agent.identityEpoch) return [];
  const position = agent.evidence.slice(1);
  const row = DIGITS.test(position) ? await tx.get('ledger', { org, position }) : undefined;
  return row !== undefined && decides(row) && compareDigits(position, first) < 0 ? [row] : [];
}

interface PositionRange {
  readonly org: string;
  /** Null: evidence about every target. */
  readonly target: string | null;
  readonly from: Digits;
  /** Null: to the end. */
  readonly to: Digits | null;
  readonly limit: number;
}

/** Reads decisions above the service after `from`, up to and including `to`. */
async function decidedIn(
  tx: ReadTx,
  { org, target, from, to, limit }: PositionRange,
): Promise<Stored<'ledger'>[]> {
  const found: Stored<'ledger'>[] = [];
  for (let after = from; ; ) {
    const where = { org, service: null, target, verdict: 'admitted', position: gt(after) } as const;
    const rows = await tx.select('ledger', where, { order: 'position', limit });
    let last: Digits | undefined;
    let isBeyond = false;
    for (const row of rows) {
      const { position } = readable(row);
      if (position === undefined) continue;
      isBeyond = to !== null && compareDigits(position, to) > 0;
      if (isBeyond) break;
      if (decides(row)) found.push(row);
      last = position;
    }
    const isOver = last === undefined || isBeyond || rows.length < limit;
    if (isOver || found.length >= limit || last === undefined) return found;
    after = last;
  }
}

/** A registration changes the claims of services only if it brings another cluster. */
function decides(row: Stored<'ledger'>): boolean {
  const { verdict, kind, body } = readable(row);
  if (verdict !== 'admitted') return false;
  return kind !== 'agent.heartbeat' || (body as Body<'agent.heartbeat'> | undefined)?.changed === true;
}

/** Rejected evidence of an org inside the caller's binding; evidence without a service is for unbound callers alone. */
export function rejectedPage(
  host: Host,
  caller: Caller,
  after: Digits,
  limit: number,
): Promise<Stored<'ledger'>[]> {
  const maySee = (row: Stored<'ledger'>) => {
    const { service } = readable(row);
    return service === null ? isUnbound(caller) : isBoundTo(caller, service);
  };
  return host.store.read(async (tx) => {
    const found: Stored<'ledger'>[] = [];
    for (let from = after; ; ) {
      const where = { org: caller.org, position: gt(from), ...REJECTED };
      const rows = await tx.select('ledger', where as { org: string }, { order: 'position', limit });
      found.push(...rows.filter(maySee));
      const { position } = readable(rows.at(-1));
      if (position === undefined || rows.length < limit || found.length >= limit)
        return found.slice(0, limit);
      from = position;
    }
  });
}

export function evidenceItem(row: AnyLedgerRow, secrets: SecretValues) {
  const {
    id,
    position,
    kind,
    service,
    revision,
    attempt,
    command,
    fence,
    source,
    receivedAt,
    observedAt,
    verdict,
    body,
  } = row;
  const reason = verdict === 'rejected' ? row.reason : null;
  return {
    id,
    position,
    kind,
    service,
    revision,
    attempt,
    command,
    fence,
    source,
    receivedAt: rfc3339(receivedAt),
    observedAt,
    verdict,
    reason,
    body: verdict === 'rejected' ? body : bodyView(row, secrets),
  };
}

/** Fields with instants in evidence of the platform itself. Rejected evidence is shown as it was sent. */
const INSTANTS: Partial<Record<Kind, readonly string[]>> = {
  'runtime.observed': ['asOf', 'changedAsOf', 'silentSince', 'pausedSince'],
  'route.observed': ['asOf', 'changedAsOf', 'silentSince', 'pausedSince'],
  'command.heartbeat': ['silentSince'],
  'lease.lapsed': ['at'],
  'stage.timed_out': ['at'],
  'command.withdrawn': ['at'],
  'platform.blind': ['from', 'to'],
};

/** The body as people see it: instants, stored in milliseconds, become RFC 3339 like every other time. */
function bodyView(row: AnyLedgerRow, secrets: SecretValues): unknown {
  const { kind, body, service } = row;
  if (service === null && kind === 'operator.acted') return orgBody(body as Body<'operator.acted'>);
  const view = withTimes(body, INSTANTS[kind as Kind] ?? []);
  return kind === 'runtime.observed' || kind === 'route.observed' ? redactObserved(view, secrets) : view;
}

function withTimes(body: unknown, names: readonly string[]): unknown {
  if (names.length === 0 || typeof body !== 'object' || body === null) return body;
  const view: Record<string, unknown> = { ...body };
  for (const name of names) if (typeof view[name] === 'number') view[name] = rfc3339(view[name]);
  return view;
}

/**
 * A recovery concerns all orgs, and its reason may name another org: the reason is only in the server's log
 * (F109).
 */
function orgBody({ action, void: jumped, lost }: Body<'operator.acted'>): unknown {
  return { action, void: jumped, lost: withTimes(lost, ['from', 'to']) };
}

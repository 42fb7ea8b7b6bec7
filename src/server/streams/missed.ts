import { type Binding, isBoundTo } from '../../access/binding.ts';
import type { Caller } from '../../access/caller.ts';
import type { Claim } from '../../contract/claim.ts';
import { compareDigits, type Digits, ZERO } from '../../contract/digits.ts';
import type { Host } from '../../evidence/door/host.ts';
import { claimNow, transitionsAfter } from '../../evidence/read.ts';
import { isIntact, readable } from '../../store/broken-row.ts';
import { Refused } from '../http/problems.ts';
import { listServices } from '../reads/services.ts';
import type { Audience } from './last-read.ts';
import { PastTransitions } from './past-transitions.ts';
import type { TransitionEvent } from './watch-event.ts';

const PAGE = 200;

/** Reads the head and, for a watch of one service, its claim, from one snapshot. */
export async function snapshotOf(host: Host, org: string, service: string | null, audience: Audience) {
  if (service === null) {
    const position = await host.store.read(
      async (tx) => readable(await tx.get('heads', { org })).position ?? ZERO,
    );
    return { position, claim: null };
  }
  const answer = await claimNow(host, org, service, audience);
  if (!answer.ok) throw new Refused(answer.code, answer.detail);
  return { position: answer.claim.position, claim: answer.claim };
}

/** Yields every claim that the caller may read, in the order of names, each as of its own read. */
export async function* claimsInView(host: Host, caller: Caller, audience: Audience): AsyncGenerator<Claim> {
  const all = {
    ...{ target: undefined, hidden: false, binding: caller, limit: PAGE },
    order: 'name' as const,
  };
  for (let after = ''; ; ) {
    const { found } = await listServices(host, caller.org, audience, { ...all, after });
    for (const { claim } of found) yield claim;
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE) return;
    after = last.service;
  }
}

export interface Missed {
  readonly org: string;
  /** One service, or the services that the token may see. */
  readonly which: Binding;
  readonly audience: Audience;
  /** The last position that the client has. */
  readonly from: Digits;
  readonly to: Digits;
}

/**
 * Yields the transitions after `from` in their order, and returns `reset` where they cannot be sent without a
 * gap (F84). Gives way between them, because they may be many and others share the thread (F41).
 */
export async function* missedTransitions(
  host: Host,
  { org, which, audience, from, to }: Missed,
  past = new PastTransitions(host, org),
): AsyncGenerator<TransitionEvent, 'sent' | 'reset'> {
  if (compareDigits(from, to) > 0) return 'reset';
  const retention = await host.store.read((tx) => tx.get('retention', { org }));
  if (compareDigits(from, readable(retention).position ?? ZERO) < 0) return 'reset';
  const one = which.service.includes('*') ? null : which.service;
  for (let position = from; ; ) {
    const { rows, isVoid } = await transitionsAfter(host, org, one, position, PAGE);
    if (isVoid) return 'reset';
    for (const { position: at, row } of rows) {
      if (compareDigits(at, to) > 0) return 'sent';
      if (!isIntact(row) || !isBoundTo(which, row.service)) continue;
      yield await past.of(row, audience);
      await host.yieldIfDue?.();
    }
    await host.yieldIfDue?.();
    const last = rows.at(-1);
    if (last === undefined) return 'sent';
    position = last.position;
  }
}

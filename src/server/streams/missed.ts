import type { Claim } from '../../contract/claim.ts';
import { compareDigits, type Digits, ZERO } from '../../contract/digits.ts';
import { type Binding, type Caller, isBoundTo } from '../../evidence/caller.ts';
import type { Host } from '../../evidence/host.ts';
import { claimAfter, claimNow, readFrom } from '../../evidence/read.ts';
import { Refused } from '../problems.ts';
import { listServices } from '../reads/services.ts';
import type { Audience } from './last-known.ts';
import { eventText } from './sse.ts';
import { transitionEvent } from './transition-event.ts';

const PAGE = 200;

/** What a viewer begins with: the head, and for one service its claim, from one snapshot. */
export async function snapshotOf(
  host: Host,
  org: string,
  service: string | null,
  audience: 'user' | 'operator',
) {
  if (service === null) {
    const position = await host.store.read(async (tx) => (await tx.get('heads', { org }))?.position ?? ZERO);
    return { position, claim: null };
  }
  const answer = await claimNow(host, org, service, audience);
  if (!answer.ok) throw new Refused(answer.code, answer.detail);
  return { position: answer.claim.position, claim: answer.claim };
}

/** Every claim that the token may see, in order of their names, each as of when it is asked for. */
export async function* claimsInView(host: Host, caller: Caller, audience: Audience): AsyncGenerator<Claim> {
  const all = { state: undefined, target: undefined, hidden: false, binding: caller, limit: PAGE };
  for (let after = ''; ; ) {
    const { found } = await listServices(host, caller.org, audience, { ...all, after });
    for (const { claim } of found) yield claim;
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE) return;
    after = last.row.service;
  }
}

/** Transitions after the position that the viewer saw last; `reset` where they cannot be told without a gap. */
export async function missedBetween(
  host: Host,
  org: string,
  /** One service, or those that the token may see. */
  which: Binding,
  audience: Audience,
  from: Digits,
  to: Digits,
): Promise<string[] | 'reset'> {
  if (compareDigits(from, to) > 0) return 'reset';
  const kept = await host.store.read((tx) => tx.get('retention', { org }));
  if (kept !== undefined && compareDigits(from, kept.position) < 0) return 'reset';
  const texts: string[] = [];
  for (let position = from; compareDigits(position, to) < 0; ) {
    const { entries, isVoid } = await readFrom(host, org, position, PAGE);
    if (isVoid) return 'reset';
    for (const entry of entries) {
      if (compareDigits(entry.position, to) > 0) return texts;
      if (entry.is !== 'transition' || !isBoundTo(which, entry.row.service)) continue;
      const after = await claimAfter(host, org, entry.row, audience);
      texts.push(eventText('transition', transitionEvent(entry.row, after), entry.position));
    }
    const end = entries.at(-1)?.position;
    if (end === undefined) break;
    position = end;
  }
  return texts;
}

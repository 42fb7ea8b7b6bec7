import type { ServiceItem } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { statement } from '../../../../src/contract/presentation/moves.ts';
import {
  isTargetSilent,
  serverNowOf,
  servingNow,
  silenceMs,
} from '../../../../src/contract/presentation/server-contact.ts';
import { span } from '../../../../src/contract/presentation/times.ts';
import { lastKnownSentence } from '../../../../src/contract/presentation/words.ts';
import { STATES } from '../../../../src/contract/vocabulary.ts';
import { type ClaimView, claimViewOf } from '../../live/claim-view.ts';
import type { PageView } from '../../live/page-view.ts';

export interface ServiceRowView {
  readonly ref: string;
  readonly name: string;
  readonly target: string;
  readonly claim: Claim;
  readonly claimView: ClaimView;
  /** The revision that serves, if proven. */
  readonly serving: number | null;
  /** The revision that was last observed serving, with its age, where none is proven to serve. */
  readonly lastServing: { readonly revision: number; readonly agoMs: number } | null;
  /** Nothing that counts was heard of its target: whatever its state, what runs there is not proven (F116). */
  readonly isTargetSilent: boolean;
  /** The reason why it waits or failed, in one line. */
  readonly why: string;
  readonly move: string;
  readonly group: Group;
}

export const GROUPS = ['needs you', 'unknown', 'in progress', 'running', 'at rest'] as const;
export type Group = (typeof GROUPS)[number];

/** The list as it was read, updated by the claims received since. */
export function rowsOf(items: readonly ServiceItem[], view: PageView, now: number): ServiceRowView[] {
  return items.map(({ ref, name, target, claim: read }) => {
    const claim = view.claims.get(ref) ?? read;
    const claimView = claimViewOf(claim, view, now);
    const { serving } = claim;
    const answers = serving !== null && servingNow(view, ref, serving, now).isFresh && claimView.isLive;
    return {
      ref,
      name,
      target,
      claim,
      claimView: claimView,
      serving: answers ? serving.revision : null,
      lastServing: answers ? null : lastServingOf(claim, serverNowOf(view, now)),
      isTargetSilent: isTargetSilent(view, target, now),
      why: whyOf(claim, claimView, view, now),
      move: claimView.isLive ? moveOf(claim, serverNowOf(view, now)) : '—',
      group: groupOf(claim, claimView),
    };
  });
}

function lastServingOf({ serving, lastServing }: Claim, serverNow: number): ServiceRowView['lastServing'] {
  const last = serving ?? lastServing;
  return last === null ? null : { revision: last.revision, agoMs: serverNow - Date.parse(last.asOf) };
}

function whyOf(claim: Claim, { isLive, was }: ClaimView, view: PageView, now: number): string {
  const who = silenceMs(view, now) === null ? 'the platform' : 'this page';
  if (!isLive && was !== null) return lastKnownSentence(was.state, who);
  return statement(claim, serverNowOf(view, now)) || claim.message.title;
}

function groupOf({ next, outcome }: Claim, { state }: ClaimView): Group {
  if (state === 'unknown') return 'unknown';
  if (next.owner === 'user' && next.action !== null) return 'needs you';
  if (state === 'running') return 'running';
  return outcome === 'in_progress' ? 'in progress' : 'at rest';
}

function moveOf({ next, expecting, state }: Claim, serverNow: number): string {
  if (next.owner === 'none') return '—';
  if (next.owner === 'user') return 'you';
  const left = expecting?.by == null || state === 'running' ? null : Date.parse(expecting.by) - serverNow;
  return left === null || left <= 0 ? 'platform' : `platform · ${span(left).replace(/\.\d s/, ' s')} left`;
}

/** A sentence that counts the list. */
export function countsOf(rows: readonly ServiceRowView[]): string {
  const targets = new Set(rows.map(({ target }) => target)).size;
  const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
  const of = (group: Group) => rows.filter((row) => row.group === group).length;
  // A build is proven, but nobody knows what runs at a silent target meanwhile.
  const known = rows.filter(({ claimView }) => claimView.state !== 'unknown');
  const proven = known.filter((row) => !row.isTargetSilent).length;
  const silent = known.length - proven;
  const unseen = silent === 0 ? '' : ` ${silent} on silent targets,`;
  return `${count(rows.length, 'service')} on ${count(targets, 'target')}. ${proven} proven now,${unseen} ${of('unknown')} unknown, ${of('needs you')} ${of('needs you') === 1 ? 'needs' : 'need'} you.`;
}

/** Order of urgency: services that need attention first. */
const URGENCY: Readonly<Record<string, number>> = Object.fromEntries(
  ['failed', 'unknown', 'degraded', ...STATES].map((state, i) => [state, i]).reverse(),
);

export const SORTS = ['state', 'service', 'wanted', 'serving', 'move', 'age'] as const;
export type Sort = (typeof SORTS)[number];

/**
 * For each column, the order that puts the most wanted rows first: urgent, by name, newest, own, oldest
 * evidence.
 */
const COMPARED: Readonly<Record<Sort, (a: ServiceRowView, b: ServiceRowView) => number>> = {
  state: (a, b) => (URGENCY[a.claimView.state] ?? 0) - (URGENCY[b.claimView.state] ?? 0),
  service: () => 0,
  wanted: (a, b) => b.claim.desired.revision - a.claim.desired.revision,
  serving: (a, b) => (b.serving ?? 0) - (a.serving ?? 0),
  move: (a, b) => MOVERS.indexOf(a.claim.next.owner) - MOVERS.indexOf(b.claim.next.owner),
  age: (a, b) => (b.claimView.ageMs ?? -1) - (a.claimView.ageMs ?? -1),
};
const MOVERS: readonly string[] = ['user', 'platform', 'none'];

export function sorted(
  rows: readonly ServiceRowView[],
  sort: Sort,
  isReversed: boolean,
): readonly ServiceRowView[] {
  const way = isReversed ? -1 : 1;
  return [...rows].sort((a, b) => way * (COMPARED[sort](a, b) || byName(a, b)));
}

function byName(a: ServiceRowView, b: ServiceRowView): number {
  return a.ref < b.ref ? -1 : 1;
}

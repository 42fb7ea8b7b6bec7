import { isBoundTo } from '../access/binding.ts';
import type { Claim } from '../contract/claim.ts';
import type { Outcome } from '../contract/vocabulary.ts';
import type { ToldEvent, WebhookFilter } from '../contract/webhook.ts';
import { rfc3339 } from '../projection/instant.ts';
import type { AlarmRow, TransitionRow, WebhookRow } from '../store/schema.ts';

type Wishes = Pick<WebhookRow, 'events' | 'filter'>;

export const filterBinding = ({ target = '*', service = '*' }: WebhookFilter) => ({ target, service });

/** True if a webhook asked for anything that a transition may bring. */
export function wantsTransition({ events, filter }: Wishes, row: TransitionRow): boolean {
  if (!events.includes('transition') && !events.includes('settled')) return false;
  return isBoundTo(filterBinding(filter), row.service) && (filter.states?.includes(row.to) ?? true);
}

/** An attempt and the outcome that it got. */
export type OutcomeTold = Pick<TransitionRow, 'revision' | 'attempt'> & { readonly outcome: Outcome };

/** What to tell of a transition, and of the attempts that were settled with it. */
export function toldOfTransition(
  { events }: Wishes,
  row: TransitionRow,
  claim: Claim | null,
  settled: readonly OutcomeTold[],
): readonly ToldEvent[] {
  const { service, revision, attempt, from, to } = row;
  const about = { service, revision, attempt, at: rfc3339(row.at), claim };
  const told: ToldEvent[] = [];
  if (events.includes('transition')) told.push({ event: 'transition', ...about, from, to });
  for (const ended of settled) told.push({ event: 'settled', ...about, ...ended });
  return told;
}

export function toldOfAlarm(
  { events, filter }: Wishes,
  { code, service, at }: AlarmRow,
): readonly ToldEvent[] {
  if (!events.includes('alarm')) return [];
  if (service !== null && !isBoundTo(filterBinding(filter), service)) return [];
  return [{ event: 'alarm', at: rfc3339(at), code, service }];
}

/** Deliveries about the same are sent in their order. */
export function toldSubject(told: ToldEvent): string {
  if ('service' in told && told.service !== null) return told.service;
  return 'target' in told ? told.target : 'platform';
}

import type { ToldEvent } from '../contract/webhook.ts';
import { rfc3339 } from '../projection/instant.ts';
import type { Incident, WebhookRow } from '../store/schema.ts';

/** The services of a target that are not known at the moment. */
export interface NotKnown {
  readonly target: string;
  /** Of those that have not been known for the grace of the webhook. */
  readonly overdue: number;
  readonly since: number;
  /** Of all. */
  readonly services: number;
  readonly named: readonly string[];
  readonly why: string | null;
}

interface Turn {
  readonly incidents: WebhookRow['incidents'];
  readonly told: readonly ToldEvent[];
}

/**
 * Opens an incident when services of a target have not been known for the grace, and closes it when all of them have been
 * known for as long. While it is open nothing more is told of the target, however often its states change: a flapping
 * target is one message, and one when it ends. Pure: what it returns is written with what it tells, or not at all.
 */
export function judgeIncidents(
  { events, graceMs, incidents }: Pick<WebhookRow, 'events' | 'graceMs' | 'incidents'>,
  notKnown: readonly NotKnown[],
  now: number,
): Turn {
  const next: Record<string, Incident> = {};
  const told: ToldEvent[] = [];
  const at = rfc3339(now);
  const byTarget = new Map(notKnown.map((one) => [one.target, one]));
  for (const one of notKnown) {
    const { target, since, services, named, why } = one;
    if (Object.hasOwn(incidents, target) || one.overdue === 0) continue;
    next[target] = { since, services, knownSince: null };
    if (events.includes('unknown'))
      told.push({ event: 'unknown', at, target, since: rfc3339(since), services, named, why });
  }
  for (const [target, incident] of Object.entries(incidents)) {
    const still = byTarget.get(target);
    if (still !== undefined) {
      next[target] = {
        ...incident,
        services: Math.max(incident.services, still.services),
        knownSince: null,
      };
      continue;
    }
    const knownSince = incident.knownSince ?? now;
    if (now - knownSince < graceMs) {
      next[target] = { ...incident, knownSince };
      continue;
    }
    const { since, services } = incident;
    if (events.includes('recovered'))
      told.push({
        ...{ event: 'recovered', at, target, services },
        ...{ since: rfc3339(since), until: rfc3339(knownSince) },
      });
  }
  return { incidents: next, told };
}

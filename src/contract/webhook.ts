import { z } from 'zod';
import type { Claim } from './claim.ts';
import { type Outcome, STATES, type State, WEBHOOK_EVENTS, WEBHOOK_FORMATS } from './vocabulary.ts';

/** The time after which a state that is not known is told: a server that restarts is back by then. */
const DEFAULT_GRACE_MS = 60_000;
const LONGEST_GRACE_MS = 24 * 3_600_000;

const pattern = z.string().regex(/^[a-z0-9@.*-]{1,317}$/, 'a name, with * for any run of characters');

/** Absent parts let everything through. */
const filterSchema = z.strictObject({
  target: pattern.optional(),
  service: pattern.optional(),
  states: z.array(z.enum(STATES)).min(1).max(STATES.length).optional(),
});
export type WebhookFilter = z.infer<typeof filterSchema>;

export const newWebhookSchema = z.strictObject({
  url: z.string().min(1).max(2_000),
  events: z.array(z.enum(WEBHOOK_EVENTS)).min(1).max(WEBHOOK_EVENTS.length),
  filter: filterSchema.default({}),
  format: z.enum(WEBHOOK_FORMATS).default('cloudevents'),
  graceMs: z
    .int()
    .min(0)
    .default(DEFAULT_GRACE_MS)
    .transform((ms) => Math.min(ms, LONGEST_GRACE_MS))
    .describe(
      'How long a state is not known before `unknown` says so, and known again before `recovered` does.',
    ),
});
export type NewWebhook = z.infer<typeof newWebhookSchema>;

/** An event as a webhook tells it. Its claim is the one that a viewer reads, without what is for operators only. */
export type ToldEvent = ToldChange | ToldSettled | ToldUnknown | ToldRecovered | ToldAlarm | ToldTest;

interface AboutService {
  readonly service: string;
  readonly revision: number;
  readonly attempt: number;
  /** The claim at that instant; null where it can no longer be computed. */
  readonly claim: Claim | null;
}

interface ToldChange extends AboutService {
  readonly event: 'transition';
  readonly at: string;
  readonly from: State | null;
  readonly to: State;
}

/** The attempt has an outcome, which never changes again (S11). */
interface ToldSettled extends AboutService {
  readonly event: 'settled';
  readonly at: string;
  readonly outcome: Outcome;
}

/** One message for all services of a target that are not known, and not one for each. */
interface ToldUnknown {
  readonly event: 'unknown';
  readonly at: string;
  readonly target: string;
  readonly since: string;
  readonly services: number;
  /** The first of them by name. */
  readonly named: readonly string[];
  /** Why, in the words of the claim of one of them. */
  readonly why: string | null;
}

interface ToldRecovered {
  readonly event: 'recovered';
  readonly at: string;
  readonly target: string;
  readonly since: string;
  readonly until: string;
  readonly services: number;
}

interface ToldAlarm {
  readonly event: 'alarm';
  readonly at: string;
  readonly code: string;
  readonly service: string | null;
}

interface ToldTest {
  readonly event: 'test';
  readonly at: string;
  readonly by: string;
}

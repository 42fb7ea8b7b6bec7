import { z } from 'zod';
import { STATES, WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '../vocabulary.ts';
import { instant } from './claim.ts';
import { pageOf } from './history.ts';

const count = z.int().min(0);

export const webhookSchema = z.object({
  id: z.string(),
  url: z.string().describe('Without its query and its path below the host: these often are a secret.'),
  events: z.array(z.enum(WEBHOOK_EVENTS)),
  filter: z.object({
    target: z.string().optional(),
    service: z.string().optional(),
    states: z.array(z.enum(STATES)).optional(),
  }),
  format: z.enum(WEBHOOK_FORMATS),
  graceMs: count,
  createdAt: instant,
  createdBy: z.string(),
  endedAt: instant.nullable(),
  endedBecause: z.enum(['gone']).nullable().describe('`gone`: the receiver answered 410.'),
  waiting: count.describe('Deliveries that are still tried.'),
  dead: count.describe('Deliveries that were given up. Each can be sent again.'),
});
export type WebhookView = z.infer<typeof webhookSchema>;

export const webhooksSchema = pageOf(webhookSchema);

export const newWebhookAnswerSchema = webhookSchema.extend({
  secret: z.string().describe('Signs what is sent; shown once.'),
});

export type NewWebhookView = z.infer<typeof newWebhookAnswerSchema>;

export const webhookSecretSchema = z.object({
  id: z.string(),
  secret: z.string(),
  formerUntil: instant.describe('Until then what is sent is signed with the former secret too.'),
});

const deliverySchema = z.object({
  id: z.string().describe('The `webhook-id`, equal in all tries.'),
  event: z.enum([...WEBHOOK_EVENTS, 'test']),
  about: z
    .string()
    .describe('The service or target that it is about; deliveries about one are sent in order.'),
  state: z.enum(['waiting', 'delivered', 'dead', 'dropped']),
  tries: count,
  createdAt: instant,
  nextTryAt: instant.nullable(),
  lastTryAt: instant.nullable(),
  lastStatus: z.int().nullable().describe('The HTTP status of the last answer; null: there was none.'),
  problem: z.string().nullable(),
});
export type DeliveryView = z.infer<typeof deliverySchema>;

export const deliveriesSchema = pageOf(deliverySchema);
export const deliverySentSchema = z.object({ id: z.string() });
export type SentDelivery = z.infer<typeof deliverySentSchema>;

import { z } from 'zod';
import { digitsSchema } from '../report.ts';
import { OUTCOMES } from '../vocabulary.ts';
import { claimSchema, instant, transitionSchema } from './claim.ts';
import { logLineSchema } from './history.ts';

const number = z.int().min(0);
const position = digitsSchema.describe('What `Last-Event-ID` resumes from.');

const claimEvent = z
  .object({
    event: z.literal('claim'),
    id: position.optional().describe('None while time alone has changed it, or while all of an org is told.'),
    data: claimSchema,
  })
  .meta({ id: 'ClaimEvent', description: 'What is true now.' });

const changed = z
  .object({
    event: z.literal('transition'),
    id: position,
    data: transitionSchema.extend({
      service: z.string(),
      claim: claimSchema.nullable().describe('After it; null where it can no longer be told.'),
    }),
  })
  .meta({ id: 'TransitionEvent', description: 'A recorded change, in the order of the ledger.' });

const fresh = z
  .object({
    event: z.literal('fresh'),
    data: z.object({
      service: z.string().optional().describe('None on the stream of an org.'),
      now: instant,
      targets: z.record(z.string(), z.object({ asOf: instant, validUntil: instant })),
    }),
  })
  .meta({
    id: 'FreshEvent',
    description: 'Nothing changed: the time, and how fresh each target in view is.',
  });

const reset = z
  .object({
    event: z.literal('reset'),
    data: z.object({
      service: z.string().optional().describe('None on the stream of an org.'),
      reason: z.string(),
      position: digitsSchema,
    }),
  })
  .meta({
    id: 'ResetEvent',
    description: 'What was seen so far is void: every claim in view follows, the last with an id.',
  });

const settled = z
  .object({
    event: z.literal('settled'),
    id: position,
    data: claimSchema.extend({
      settled: z.object({ revision: number, attempt: number, outcome: z.enum(OUTCOMES) }),
    }),
  })
  .meta({
    id: 'SettledEvent',
    description: 'How what was requested has ended; the stream ends with it.',
  });

/** One event of a stream, as `event`, `id` and the JSON of its `data`. */
export const watchEventSchema = z.union([claimEvent, changed, fresh, reset]);
export const progressEventSchema = z.union([claimEvent, changed, fresh, reset, settled]);
export const logEventSchema = z
  .object({ event: z.literal('log'), data: logLineSchema })
  .meta({ id: 'LogEvent', description: 'A line, as it comes.' });

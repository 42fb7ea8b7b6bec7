import { z } from 'zod';
import { digitsSchema } from '../contract/report.ts';

/** One line of a build or of an instance, as workers and agents send it. */
export const logItemSchema = z.object({
  service: z.string().min(1).max(200),
  revision: z.int().min(1),
  attempt: z.int().min(1),
  stream: z.enum(['build', 'run']),
  instance: z.string().max(200).nullish(),
  command: z.string().max(300).nullish(),
  fence: digitsSchema.nullish(),
  epoch: digitsSchema.nullish(),
  seq: z.union([digitsSchema, z.int().min(0)]),
  at: z.string().max(40),
  line: z.string(),
});
export type LogItem = z.infer<typeof logItemSchema>;

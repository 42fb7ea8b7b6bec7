import { z } from 'zod';

const named = <K extends string>(key: K, ...texts: readonly string[]) =>
  z.looseObject(Object.fromEntries([key, ...texts].map((name) => [name, z.string()])));

/** The status model as data. Rows may have more columns. */
export const modelSchema = z.object({
  states: z.array(named('state', 'meaning')),
  kinds: z.array(named('kind')),
  transitions: z.array(z.looseObject({ from: z.string().nullable(), to: z.string() })),
  reasons: z.array(named('reason')),
  causes: z.array(named('code')),
  deadlines: z.array(named('name')),
  actions: z.array(named('action')),
  messages: z.array(named('code', 'title')),
});

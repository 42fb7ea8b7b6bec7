import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { takesKind } from '../../access/roles.ts';
import { COMMAND_KINDS } from '../../contract/vocabulary.ts';
import type { Host } from '../../evidence/door/host.ts';
import { acquire } from '../../ownership/acquire.ts';
import { inputsOf } from '../../ownership/input.ts';
import type { LeaseRequest } from '../../ownership/offer.ts';
import { redactName } from '../../redact/redact.ts';
import { unwrap } from '../http/unwrap.ts';

/** Caps the commands that one request is offered, and the leases that one request extends. */
export const MOST_LEASES = 100;

/** A request for work, alone or behind evidence. */
export const workRequest = z.object({
  kinds: z.array(z.enum(COMMAND_KINDS)).min(1).max(3),
  target: z.string().min(1).max(40).optional(),
  worker: z.string().min(1).max(200),
  instance: z.string().min(1).max(200),
  // Rejected: `int()`, which refuses a number far above the range instead of leaving it to be clamped.
  max: z
    .number()
    .min(1)
    .refine(Number.isInteger, 'must be a whole number')
    .meta({ type: 'integer' })
    .transform((count) => Math.min(count, MOST_LEASES))
    .optional(),
});

/** The request as the verb takes it: of the kinds those that the role does. */
export function leaseRequest(
  { role }: Caller,
  { kinds, target, worker, instance, max }: z.infer<typeof workRequest>,
): LeaseRequest {
  return {
    kinds: kinds.filter((kind) => takesKind(role, kind)),
    worker: redactName(worker),
    instance,
    ...(target === undefined ? {} : { target }),
    ...(max === undefined ? {} : { max }),
  };
}

/** What is offered now, each with its input. */
export async function offersTo(host: Host, caller: Caller, request: LeaseRequest) {
  const { offers } = unwrap(await acquire(host, caller, request));
  const inputs = await inputsOf(host, caller.org, offers);
  return offers.map((offer, i) => ({ ...offer, input: inputs[i] ?? {} }));
}

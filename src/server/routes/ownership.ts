import { z } from 'zod';
import { authorize } from '../../access/authorize.ts';
import { takesKind } from '../../access/roles.ts';
import { heartbeatSchema, offerSchema } from '../../contract/answers/fleet.ts';
import { digitsSchema } from '../../contract/report.ts';
import { COMMAND_KINDS } from '../../contract/vocabulary.ts';
import { acquire } from '../../ownership/acquire.ts';
import { heartbeat } from '../../ownership/heartbeat.ts';
import { inputOf } from '../../ownership/input.ts';
import { release } from '../../ownership/release.ts';
import { redact, redactName } from '../../redact/redact.ts';
import type { ServerContext } from '../context.ts';
import { clientLeft } from '../http/client-left.ts';
import { type Call, type Reply, type Route, route } from '../http/route.ts';
import { unwrap } from '../http/unwrap.ts';

/** Hints can be lost: a waiting worker looks this often by itself, which also keeps it online (F51). */
const LOOK_MS = 1_000;
/** The least time that a request waits for a store that does not answer, even with `waitMs` 0. */
const LATE_MS = 1_000;

const leaseRequest = (maxWaitMs: number) =>
  z.object({
    kinds: z.array(z.enum(COMMAND_KINDS)).min(1).max(3),
    target: z.string().min(1).max(40).optional(),
    worker: z.string().min(1).max(200),
    instance: z.string().min(1).max(200),
    // Rejected: `int()`, which refuses a number far above the range instead of leaving it to be clamped.
    waitMs: z
      .number()
      .min(0)
      .refine(Number.isInteger, 'must be a whole number')
      .meta({ type: 'integer' })
      .transform((ms) => Math.min(ms, maxWaitMs))
      .default(0),
  });
type LeaseRequestBody = z.infer<ReturnType<typeof leaseRequest>>;

/** Routes for leases. */
export function ownershipRoutes(context: ServerContext): Route[] {
  const { host } = context;
  return [
    route({
      method: 'POST',
      path: '/v1/leases',
      vital: true,
      verbChecksToken: true,
      access: 'work',
      summary: 'Ask for work, and wait for it up to waitMs',
      body: leaseRequest(context.config.maxWaitMs),
      answers: {
        200: 'lease: an offer, until the first fenced call acknowledges it',
        204: 'nothing came',
        403: 'forbidden',
        409: 'stale_epoch',
      },
      gives: { 200: offerSchema },
      handle: (call) => lease(context, call),
    }),
    route({
      method: 'POST',
      path: '/v1/leases/:id/heartbeat',
      vital: true,
      verbChecksToken: true,
      access: 'work',
      summary: 'Still at it: extends the lease; the first one acknowledges it',
      body: z.object({ fence: digitsSchema }),
      answers: { 200: 'ttlMs, cancelRequested, superseded', 409: 'lease_lost' },
      gives: { 200: heartbeatSchema },
      handle: async ({ caller, params, body }) => {
        const { ttlMs, cancelRequested, superseded } = unwrap(
          await heartbeat(host, caller, params.id ?? '', body.fence),
        );
        return { body: { ttlMs, cancelRequested, superseded } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/leases/:id/release',
      vital: true,
      verbChecksToken: true,
      access: 'work',
      summary: 'Give it back for another worker',
      body: z.object({ fence: digitsSchema, reason: z.string().max(1000).default('') }),
      answers: { 204: 'given back', 409: 'lease_lost' },
      gives: {},
      handle: async ({ caller, params, body }) => {
        unwrap(await release(host, caller, params.id ?? '', body.fence, redact(body.reason)));
        return { status: 204 };
      },
    }),
  ];
}

async function lease(context: ServerContext, call: Call<unknown, LeaseRequestBody>): Promise<Reply> {
  const { host, hints, stopping, readiness } = context;
  const { kinds, target, worker, instance, waitMs } = call.body;
  const caller = { ...call.caller, instance };
  const of = target === undefined ? {} : { target };
  unwrap(authorize(caller, { operation: 'work', kinds, ...of }));
  const own = kinds.filter((kind) => takesKind(caller.role, kind));
  const signal = AbortSignal.any([clientLeft(call), stopping]);
  const until = performance.now() + waitMs - call.reply.elapsedTime;
  const request = {
    kinds: own,
    worker: redactName(worker),
    instance,
    ...of,
  };
  // An offer that comes after the request was refused lapses like any that is not acknowledged.
  const look = async () => {
    const { offer } = unwrap(await acquire(host, caller, request));
    return offer === null ? null : { ...offer, input: await inputOf(host, caller.org, offer) };
  };
  const waiter = hints.waitForWork(caller.org, {
    kinds: own,
    of: target,
    target: caller.target,
    service: caller.service,
  });
  try {
    // A client that has gone is offered nothing: the offer would keep the command from those who wait.
    while (!signal.aborted) {
      const found = await readiness.patiently(look(), Math.max(until - performance.now(), LATE_MS));
      if (found !== null) return { body: { lease: found } };
      const left = until - performance.now();
      if (left <= 0) break;
      await waiter.wait(Math.min(left, LOOK_MS), signal);
    }
    return { status: 204 };
  } finally {
    waiter.leave();
  }
}

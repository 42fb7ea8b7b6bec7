import { z } from 'zod';
import { authorize } from '../../access/authorize.ts';
import {
  type HeartbeatAnswer,
  heartbeatSchema,
  heartbeatsSchema,
  offerSchema,
} from '../../contract/answers/fleet.ts';
import type { Answer } from '../../contract/problem.ts';
import { digitsSchema } from '../../contract/report.ts';
import { heartbeat, heartbeats } from '../../ownership/heartbeat.ts';
import { release } from '../../ownership/release.ts';
import { redact } from '../../redact/redact.ts';
import type { ServerContext } from '../context.ts';
import { clientLeft } from '../http/client-left.ts';
import { type Call, type Reply, type Route, route } from '../http/route.ts';
import { unwrap } from '../http/unwrap.ts';
import { leaseRequest, MOST_LEASES, offersTo, workRequest } from './work-request.ts';

/** Hints can be lost: a waiting worker looks this often by itself, which also keeps it online (F51). */
const LOOK_MS = 1_000;
/** The least time that a request waits for a store that does not answer, even with `waitMs` 0. */
const LATE_MS = 1_000;

const patientRequest = (maxWaitMs: number) =>
  workRequest.extend({
    waitMs: z
      .number()
      .min(0)
      .refine(Number.isInteger, 'must be a whole number')
      .meta({ type: 'integer' })
      .transform((ms) => Math.min(ms, maxWaitMs))
      .default(0),
  });
type PatientRequest = z.infer<ReturnType<typeof patientRequest>>;

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
      body: patientRequest(context.config.maxWaitMs),
      answers: {
        200: 'lease: an offer, until the first fenced call acknowledges it; with `max` leases: several',
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
      path: '/v1/leases/heartbeats',
      vital: true,
      verbChecksToken: true,
      access: 'work',
      summary: 'Still at all of these: each is extended and answered by itself, in order',
      body: z.object({
        beats: z.array(z.object({ id: z.string().max(1000), fence: digitsSchema })).max(MOST_LEASES),
      }),
      answers: { 200: 'beats: as of one heartbeat, or code lease_lost' },
      gives: { 200: heartbeatsSchema },
      handle: async ({ caller, body: { beats } }) => {
        const answers = await heartbeats(host, caller, beats);
        return { body: { beats: answers.map((answer, i) => ({ id: beats[i]?.id, ...beatView(answer) })) } };
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

/** The answer to one of several heartbeats: the extension, or why the lease is lost. */
function beatView(answer: Answer<HeartbeatAnswer>): object {
  if (!answer.ok) return { code: answer.code, detail: answer.detail, ...answer.params };
  const { ttlMs, cancelRequested, superseded } = answer;
  return { ttlMs, cancelRequested, superseded };
}

async function lease(context: ServerContext, call: Call<unknown, PatientRequest>): Promise<Reply> {
  const { host, hints, stopping, readiness } = context;
  const { kinds, target, instance, max, waitMs } = call.body;
  const caller = { ...call.caller, instance };
  unwrap(authorize(caller, { operation: 'work', kinds, ...(target === undefined ? {} : { target }) }));
  const request = leaseRequest(caller, call.body);
  const until = performance.now() + waitMs - call.reply.elapsedTime;
  const waiter = hints.waitForWork(caller.org, {
    kinds: request.kinds,
    of: target,
    target: caller.target,
    service: caller.service,
  });
  // Made by the first wait: most requests find work at once, and a signal costs as much as their parsing.
  let signal: AbortSignal | null = null;
  const isOver = () => (signal === null ? call.reply.raw.destroyed || stopping.aborted : signal.aborted);
  try {
    // A client that has gone is offered nothing: the offer would keep the command from those who wait.
    while (!isOver()) {
      // An offer that comes after the request was refused lapses like any that is not acknowledged.
      const look = offersTo(host, caller, request);
      const found = await readiness.patiently(look, Math.max(until - performance.now(), LATE_MS));
      if (found.length > 0) return { body: max === undefined ? { lease: found[0] } : { leases: found } };
      const left = until - performance.now();
      if (left <= 0) break;
      signal ??= AbortSignal.any([clientLeft(call), stopping]);
      await waiter.wait(Math.min(left, LOOK_MS), signal);
    }
    return { status: 204 };
  } finally {
    waiter.leave();
  }
}

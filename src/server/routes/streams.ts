import { z } from 'zod';
import type { VisibleService } from '../../access/visible-service.ts';
import { logEventSchema, watchEventSchema } from '../../contract/answers/events.ts';
import { logLineSchema } from '../../contract/answers/history.ts';
import type { LogLine, LogQuery } from '../../logs/log-line.ts';
import type { ServerContext } from '../context.ts';
import { Refused } from '../http/problems.ts';
import { type Call, clamped, type Reply, type Route, route } from '../http/route.ts';
import { serviceRoute } from '../http/service-route.ts';
import { UnsentResponses } from '../http/unsent-responses.ts';
import { hasAttempt, revisionOf } from '../reads/history.ts';
import { logView } from '../reads/log-view.ts';
import { endWithToken } from '../streams/end-with-token.ts';
import { MAX_POSITION, resumesAfter, sendEvents } from '../streams/send-events.ts';
import { keepAlive, Sse } from '../streams/sse.ts';
import { watch } from '../streams/watch.ts';

const after = z.object({ after: z.string().max(MAX_POSITION).optional() });
const number = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a whole number from 1 on')
  .transform(Number)
  .optional();
const logQuery = z.object({
  stream: z.enum(['build', 'run']).default('build'),
  revision: number,
  attempt: number,
  instance: z.string().max(200).optional(),
  tail: clamped(1, 10_000, 200),
  follow: z.enum(['0', '1']).optional(),
});

const STREAM = { 200: { 'text/event-stream': watchEventSchema } } as const;

/** Streams of events and logs. */
export function streamRoutes(context: ServerContext): Route[] {
  const unsent = new UnsentResponses();
  return [
    serviceRoute(context, {
      method: 'GET',
      path: '/v1/services/:ref/events',
      access: 'read',
      streams: true,
      summary: 'The claim, then every change of it (SSE); Last-Event-ID resumes',
      query: after,
      answers: { 200: 'text/event-stream', 400: 'invalid_request', 404: 'not_found', 429: 'too_many' },
      gives: STREAM,
      handle: async (call, find) => watched(context, call, (await find()).service),
    }),
    route({
      method: 'GET',
      path: '/v1/events',
      access: 'read',
      streams: true,
      summary: 'Every change of every service of the org (SSE)',
      query: after,
      answers: { 200: 'text/event-stream', 400: 'invalid_request', 429: 'too_many' },
      gives: STREAM,
      handle: (call) => watched(context, call, null),
    }),
    serviceRoute(context, {
      method: 'GET',
      path: '/v1/services/:ref/logs',
      access: 'read',
      streams: true,
      summary: 'Lines of the build or of the instances; follow=1 goes on (SSE)',
      query: logQuery,
      answers: { 200: 'NDJSON, or text/event-stream', 404: 'not_found' },
      gives: { 200: { 'application/x-ndjson': logLineSchema, 'text/event-stream': logEventSchema } },
      handle: async (call, find) => logs(context, call, await find(), unsent),
    }),
  ];
}

async function watched(
  context: ServerContext,
  call: Call<unknown, unknown>,
  service: string | null,
): Promise<Reply> {
  const events = await watch(context, call, { service, after: resumesAfter(call) });
  sendEvents(context.log, call, events);
  return 'sent';
}

async function logs(
  context: ServerContext,
  call: Call<z.infer<typeof logQuery>, unknown>,
  visible: VisibleService,
  unsent: UnsentResponses,
): Promise<Reply> {
  const { org, service } = visible;
  const { stream, revision, attempt, instance, tail, follow } = call.query;
  const query: LogQuery = {
    service,
    stream,
    tail,
    ...(revision === undefined ? {} : { revision }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(instance === undefined ? {} : { instance }),
  };
  if (revision !== undefined) {
    const found = await revisionOf(context.host, visible, revision);
    if (found === undefined || (attempt !== undefined && !hasAttempt(found, attempt)))
      throw new Refused('not_found', 'No such revision or attempt.');
  }
  const view = logView(call.caller, await context.secrets.of(org, service));
  if (follow !== '1') {
    unsent.requireRoom();
    const lines = await context.logs.read(org, query);
    const body = Buffer.from(lines.map((line) => `${JSON.stringify(view(line))}\n`).join(''));
    unsent.hold(call.reply.raw, body.length);
    return { body, headers: { 'content-type': 'application/x-ndjson; charset=utf-8' } };
  }
  const place = context.feeds.enter(org);
  const sse = new Sse(call);
  context.feeds.hold(sse, place);
  endWithToken(context, call, sse);
  keepAlive(sse);
  const send = (line: LogLine) => sse.send({ event: 'log', data: view(line) });
  const stop = await context.logs.follow(org, query, send, () => sse.drained());
  void sse.closed.then(stop);
  return 'sent';
}
